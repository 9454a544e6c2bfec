"""What exists already must be there, and must fit, before anything is added to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from hybrid_pools.blueprint.catalogue import GkeVersion
from hybrid_pools.blueprint.vocabulary import PROJECT


@dataclass(frozen=True)
class AdoptedCluster:
    """What the rest of the program needs of an existing cluster."""

    name: str
    endpoint: str


def absent(path: str, value: str, allowed: str) -> pulumi.RunError:
    """The message for something named in the configuration that Google does not have."""
    return pulumi.RunError(
        f"stacks/Pulumi.{pulumi.get_stack()}.yaml: {PROJECT}:{path} = {value}\n"
        f"  is not there, or the account that runs Pulumi may not see it, so nothing was added\n"
        f"  allowed: {allowed}\n"
        f"  fix:     correct the name, or grant the account the viewer role on it"
    )


@contextmanager
def told_if_absent(path: str, value: str, allowed: str) -> Iterator[None]:
    """Turns a failed look-up into one message.

    Args:
        path: Key in the configuration that names it.
        value: The name.
        allowed: What may be named there.

    Raises:
        pulumi.RunError: The look-up failed.
    """
    try:
        yield
    except Exception as error:
        # Pulumi has no error class for a failed look-up; whatever was raised, its text says why.
        pulumi.log.debug(str(error))
        raise absent(path, value, allowed) from None


def check_adopted(cluster: gcp.container.GetClusterResult, minimum: GkeVersion) -> AdoptedCluster:
    """Refuse a cluster on which the declared pools would fail, before any is created.

    Raises:
        pulumi.RunError: With every reason and what to do about it.
    """
    problems = list(_problems(cluster, minimum))
    if problems:
        reasons = "\n".join(f"  - {problem}" for problem in problems)
        raise pulumi.RunError(f"cluster {cluster.name} cannot be adopted, nothing was added to it:\n{reasons}")
    endpoints = cluster.control_plane_endpoints_configs
    dns = endpoints[0].dns_endpoint_configs if endpoints else []
    return AdoptedCluster(name=cluster.name, endpoint=dns[0].endpoint if dns else cluster.endpoint)


def _problems(cluster: gcp.container.GetClusterResult, minimum: GkeVersion) -> list[str]:
    problems = []
    if cluster.enable_autopilot:
        problems.append("it is an Autopilot cluster, which takes no node pools; name a Standard cluster in cluster.existing.name")
    if not any(identity.workload_pool for identity in cluster.workload_identity_configs):
        problems.append("it has no workload identity pool, so pods could take the node's token; turn workload identity on first")
    running = GkeVersion(cluster.master_version)
    if running < minimum:
        problems.append(
            f"it runs GKE {running}, but cluster.existing.minimumVersion says {minimum} and features were chosen by it; "
            "upgrade the control plane, or lower minimumVersion and drop the features that are then refused"
        )
    return problems
