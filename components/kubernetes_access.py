"""The way into a cluster: Pulumi's Kubernetes provider on the cluster's DNS endpoint.

Who runs Pulumi gets in as themselves: the plugin of the gcloud command line hands out short-lived tokens, and nothing secret is in the
state.
"""

import json
import re
from dataclasses import dataclass
from importlib.metadata import version

import pulumi

from components.siblings import Siblings

_PLUGIN = "gke-gcloud-auth-plugin"
_UNREACHABLE = re.compile(rf"cluster is unreachable|{_PLUGIN}", re.IGNORECASE)
_ADDRESS = re.compile(r"[0-9.]+(:[0-9]+)?")


@dataclass(frozen=True)
class ClusterAddress:
    """Where a cluster is.

    Attributes:
        project: Project id.
        region: Region of its control plane.
        name: Physical name.
        endpoint: DNS endpoint of its control plane, without a scheme.
    """

    project: str
    region: str
    name: pulumi.Input[str]
    endpoint: pulumi.Input[str]


def kubernetes_provider(cluster: ClusterAddress, opts: pulumi.ResourceOptions) -> pulumi.ProviderResource:
    """The provider of everything inside a cluster."""
    # Of the release whose Python package is installed: any other version of the plugin would do too, and read fields in another way.
    pinned = pulumi.ResourceOptions(version=version("pulumi-kubernetes"))
    identifier = pulumi.Output.format("projects/{0}/locations/{1}/clusters/{2}", cluster.project, cluster.region, cluster.name)
    return pulumi.ProviderResource(
        "kubernetes",
        "kubernetes",
        {
            "kubeconfig": pulumi.Output.from_input(cluster.endpoint).apply(kubeconfig),
            # Without it another endpoint of the same cluster would count as another cluster, and replace everything.
            "clusterIdentifier": identifier,
            # Each field has one owner and a collision is told, not overwritten.
            "enableServerSideApply": "true",
            # Admission reads its parameters at any moment, so they are changed in place and never gone.
            "enableConfigMapMutable": "true",
        },
        pulumi.ResourceOptions.merge(opts, pinned),
    )


def kubeconfig(endpoint: str) -> str:
    """A kubeconfig for a DNS endpoint, whose certificate everybody trusts.

    Raises:
        pulumi.RunError: The cluster has no such endpoint.
    """
    if not endpoint or _ADDRESS.fullmatch(endpoint):
        raise pulumi.RunError(
            f"the cluster has no DNS endpoint{f', only the address {endpoint}' if endpoint else ''}, so nothing can be declared inside it\n"
            "  allowed: a cluster with a DNS endpoint that takes traffic from outside\n"
            "  fix:     gcloud container clusters update NAME --enable-dns-access, or leave the section kubernetes out"
        )
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": _PLUGIN,
            "interactiveMode": "Never",
            "provideClusterInfo": True,
            "installHint": "Install it: https://cloud.google.com/kubernetes-engine/docs/how-to/cluster-access-for-kubectl#install_plugin",
        }
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "gke", "cluster": {"server": f"https://{endpoint}"}}],
            "users": [{"name": "gke", "user": user}],
            "contexts": [{"name": "gke", "context": {"cluster": "gke", "user": "gke"}}],
            "current-context": "gke",
        }
    )


def unreachable_hook(endpoint: pulumi.Input[str], pools: Siblings) -> pulumi.ErrorHook:
    """Tells the way on when the first objects cannot be made because the cluster does not answer. Once: all of them fail alike.

    Args:
        endpoint: DNS endpoint of the cluster.
        pools: Pools that a cluster that refuses its first objects shall not hold up.
    """
    told: list[str] = []

    async def tell(args: pulumi.ErrorHookArgs) -> bool:
        if not told and any(_UNREACHABLE.search(error) for error in args.errors):
            told.append(args.name)
            pulumi.log.error(_way_on(await pulumi.Output.from_input(endpoint).future() or "its endpoint"))
        await pools.settled()
        return False

    return pulumi.ErrorHook("unreachable", tell)


def _way_on(endpoint: str) -> str:
    return (
        f"the cluster does not answer at {endpoint}. The pools are not held up by it. If {_PLUGIN} is not on PATH, install it; if the "
        "account that runs Pulumi may not connect, grant it roles/container.admin; if the cluster was made a moment ago, its endpoint "
        "may take some minutes. Then run the same command again: it goes on where it stopped."
    )
