"""Kueue's manager, with the definitions, rights and webhooks that its release brings."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from hybrid_pools.manifests.kueue_configuration import kueue_configuration
from lab.cluster.certificates import Authority
from lab.cluster.kubernetes import API_SERVER
from lab.cluster.parts import Part, Surroundings, binary, folder
from lab.cluster.probe import answers
from lab.cluster.programs import control_plane
from lab.cluster.upstream import Manifest, documents, install, judging, module_directory, placed, reached_by_url, resources

KUEUE: Final = "kueue"
NAMESPACE: Final = "kueue-system"
USER: Final = f"system:serviceaccount:{NAMESPACE}:kueue-controller-manager"

_MODULE: Final = "sigs.k8s.io/kueue"
_PREFIX: Final = "kueue-"
_WEBHOOK_PORT: Final = "kueue-webhook"
_HEALTH_PORT: Final = "kueue-health"

# Kinds whose objects wait in queues here. The webhooks of other kinds do nothing then (NoopWebhook in Kueue's jobframework), and the pods'
# would be asked for every pod of the cluster, so they are left out; Kueue's chart lets them fail open for the same reason.
_FRAMEWORKS: Final = ("batch/job", "jobset.x-k8s.io/jobset")
_JUDGED_GROUPS: Final = ("kueue.x-k8s.io", "batch", "jobset.x-k8s.io")


def configuration(webhook_port: int, health_port: int, certificates: Path) -> dict[str, Any]:
    """What the manager is told: how it decides as on every cluster, and where it listens here, alone."""
    return kueue_configuration() | {
        "namespace": NAMESPACE,
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health_port}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": webhook_port, "certDir": str(certificates)},
        "leaderElection": {"leaderElect": False},
        # With certificates managed by hand Kueue insists on more of them in /etc. So it manages its own, and finds ours in its secret.
        "internalCertManagement": {"enable": True},
        "featureGates": {"VisibilityOnDemand": False},
        # Nobody else has to be spared here.
        "clientConnection": {"qps": 500, "burst": 1000},
        "integrations": {"frameworks": list(_FRAMEWORKS)},
    }


def manifests(source: Path, webhook_port: int, authority: Authority) -> list[Manifest]:
    """What Kueue needs in the cluster, in order of creation.

    Args:
        source: Folder of its module.
        webhook_port: On which its webhooks listen.
        authority: Vouches for the webhooks.
    """
    components = source / "config" / "components"
    webhooks = judging(documents(components / "webhook" / "manifests.yaml"), _JUDGED_GROUPS)
    everything = (*_definitions(components / "crd"), *resources(components / "rbac"), *webhooks)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    moved = [reached_by_url(placed(one, _PREFIX, NAMESPACE), webhook_port, authority.own.certificate) for one in everything]
    return [namespace, _secret(authority), *moved]


def _definitions(crd: Path) -> list[Manifest]:
    (kustomization,) = documents(crd / "kustomization.yaml")
    conversions = {
        patch["metadata"]["name"]: patch["spec"]["conversion"]
        for entry in kustomization["patches"]
        for patch in documents(crd / entry["path"])
        if "conversion" in patch.get("spec", {})
    }
    definitions = resources(crd)
    for definition in definitions:
        if definition["metadata"]["name"] in conversions:
            definition["spec"]["conversion"] = conversions[definition["metadata"]["name"]]
    return definitions


def _secret(authority: Authority) -> Manifest:
    files = {
        "ca.crt": authority.own.certificate,
        "ca.key": authority.own.key,
        "tls.crt": authority.server.certificate,
        "tls.key": authority.server.key,
    }
    data = {name: base64.b64encode(file.read_bytes()).decode() for name, file in files.items()}
    metadata = {"name": "kueue-webhook-server-cert", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def _prepare(surroundings: Surroundings) -> None:
    authority = surroundings.webhook_authority
    webhook_port = surroundings.ports[_WEBHOOK_PORT]
    source = module_directory(control_plane()[KUEUE], _MODULE)
    install(surroundings.access.client(), manifests(source, webhook_port, authority))
    settings = configuration(webhook_port, surroundings.ports[_HEALTH_PORT], authority.server.certificate.parent)
    (folder(surroundings, KUEUE) / "manager.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))


def _command(surroundings: Surroundings) -> Sequence[str]:
    return (
        binary(KUEUE),
        f"--config={folder(surroundings, KUEUE) / 'manager.yaml'}",
        f"--kubeconfig={surroundings.access.kubeconfig(USER)}",
        "--zap-log-level=2",
    )


PART: Final = Part(
    KUEUE,
    _command,
    ready=lambda surroundings: answers(surroundings.ports[_HEALTH_PORT], "/readyz"),
    after=(API_SERVER,),
    ports=(_WEBHOOK_PORT, _HEALTH_PORT),
    prepare=_prepare,
)
