"""JobSet's manager, with the definition, rights and webhooks that its release brings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from lab.cluster.kubernetes import API_SERVER
from lab.cluster.parts import Part, Surroundings, binary, folder
from lab.cluster.probe import answers
from lab.cluster.programs import control_plane
from lab.cluster.upstream import Manifest, documents, install, module_directory, placed, reached_by_url, resources

JOBSET: Final = "jobset"
NAMESPACE: Final = "jobset-system"
USER: Final = f"system:serviceaccount:{NAMESPACE}:jobset-controller-manager"

_MODULE: Final = "sigs.k8s.io/jobset"
_PREFIX: Final = "jobset-"
_WEBHOOK_PORT: Final = "jobset-webhook"
_HEALTH_PORT: Final = "jobset-health"


def configuration(webhook_port: int, health_port: int, certificates: Path) -> dict[str, Any]:
    """What the manager is told."""
    return {
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health_port}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": webhook_port, "certDir": str(certificates)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
    }


def manifests(source: Path, webhook_port: int, ca: Path) -> list[Manifest]:
    """What JobSet needs in the cluster, in order of creation.

    Args:
        source: Folder of its module.
        webhook_port: On which its webhooks listen.
        ca: Certificate of the authority that vouches for the webhooks.
    """
    components = source / "config" / "components"
    everything = (*resources(components / "crd"), *resources(components / "rbac"), *_webhooks(components / "webhook"))
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    return [namespace, *(reached_by_url(placed(one, _PREFIX, NAMESPACE), webhook_port, ca) for one in everything)]


def _webhooks(folder: Path) -> list[Manifest]:
    """Its webhooks with its patches, which narrow them to pods of JobSets."""
    configurations = {manifest["kind"]: manifest for manifest in documents(folder / "manifests.yaml")}
    (kustomization,) = documents(folder / "kustomization.yaml")
    for patch in kustomization["patches"]:
        (steps,) = documents(folder / patch["path"])
        for step in steps:
            index = int(step["path"].removeprefix("/webhooks/"))
            configurations[patch["target"]["kind"]]["webhooks"][index] = step["value"]
    return list(configurations.values())


def _prepare(surroundings: Surroundings) -> None:
    authority = surroundings.webhook_authority
    webhook_port = surroundings.ports[_WEBHOOK_PORT]
    source = module_directory(control_plane()[JOBSET], _MODULE)
    install(surroundings.access.client(), manifests(source, webhook_port, authority.own.certificate))
    settings = configuration(webhook_port, surroundings.ports[_HEALTH_PORT], authority.server.certificate.parent)
    (folder(surroundings, JOBSET) / "manager.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))


def _command(surroundings: Surroundings) -> Sequence[str]:
    return (
        binary(JOBSET),
        f"--config={folder(surroundings, JOBSET) / 'manager.yaml'}",
        f"--kubeconfig={surroundings.access.kubeconfig(USER)}",
    )


PART: Final = Part(
    JOBSET,
    _command,
    ready=lambda surroundings: answers(surroundings.ports[_HEALTH_PORT], "/readyz"),
    after=(API_SERVER,),
    ports=(_WEBHOOK_PORT, _HEALTH_PORT),
    prepare=_prepare,
)
