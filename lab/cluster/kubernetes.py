"""The parts that Kubernetes itself is: etcd, API server, controller manager and scheduler."""

from collections.abc import Sequence
from typing import Final

from lab.cluster.parts import Part, Surroundings, binary
from lab.cluster.probe import answers

ETCD: Final = "etcd"
API_SERVER: Final = "kube-apiserver"
CONTROLLER_MANAGER: Final = "kube-controller-manager"
SCHEDULER: Final = "kube-scheduler"

OLDEST_EMULATED: Final = "1.34"
"""The oldest version as which the pinned API server can behave; it refuses older ones."""

_ETCD_PEER: Final = "etcd-peer"

# Off in Kubernetes, on in GKE (policy-storage-monitoring.md, A.3). What else GKE has on, Kubernetes has on by itself: Priority,
# PodSecurity, LimitRanger, ResourceQuota, DefaultTolerationSeconds, the webhooks and the admission policies among them.
_ADMISSION_PLUGINS: Final = ("ExtendedResourceToleration", "NodeRestriction")

_CONTROLLER_MANAGER_USER: Final = "system:kube-controller-manager"
_SCHEDULER_USER: Final = "system:kube-scheduler"

# The defaults of 20 and 30 are for many small clusters; a flood of jobs would be a test of them.
_QUICK: Final = ("--kube-api-qps=500", "--kube-api-burst=1000")


def _etcd(surroundings: Surroundings) -> Sequence[str]:
    client = f"http://127.0.0.1:{surroundings.ports[ETCD]}"
    peer = f"http://127.0.0.1:{surroundings.ports[_ETCD_PEER]}"
    return (
        binary(ETCD),
        "--name=lab",
        f"--data-dir={surroundings.files.etcd}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=lab={peer}",
        "--unsafe-no-fsync",  # a crash of the machine may lose the lab's cluster, and everything is quicker
        "--log-level=warn",
    )


def _api_server(surroundings: Surroundings) -> Sequence[str]:
    authority, files = surroundings.access.authority, surroundings.files
    return (
        binary(API_SERVER),
        f"--etcd-servers=http://127.0.0.1:{surroundings.ports[ETCD]}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",  # without it the server looks for a network, and there may be none
        f"--secure-port={surroundings.ports[API_SERVER]}",
        f"--tls-cert-file={authority.server.certificate}",
        f"--tls-private-key-file={authority.server.key}",
        f"--client-ca-file={authority.own.certificate}",
        f"--token-auth-file={files.tokens}",
        "--authorization-mode=Node,RBAC",
        f"--enable-admission-plugins={','.join(_ADMISSION_PLUGINS)}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={files.signing_key}",
        f"--service-account-signing-key-file={files.signing_key}",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--endpoint-reconciler-type=none",
        "--allow-privileged=true",
        *_emulated(surroundings),
    )


def _controller_manager(surroundings: Surroundings) -> Sequence[str]:
    authority, files = surroundings.access.authority, surroundings.files
    return (
        binary(CONTROLLER_MANAGER),
        f"--kubeconfig={surroundings.access.kubeconfig(_CONTROLLER_MANAGER_USER)}",
        "--leader-elect=false",
        *_serving(surroundings, CONTROLLER_MANAGER),
        f"--service-account-private-key-file={files.signing_key}",
        f"--root-ca-file={authority.own.certificate}",
        # Each controller as its own service account, as in every real cluster: admission tells them apart by it.
        "--use-service-account-credentials=true",
        *_QUICK,
        *_emulated(surroundings),
    )


def _scheduler(surroundings: Surroundings) -> Sequence[str]:
    return (
        binary(SCHEDULER),
        f"--kubeconfig={surroundings.access.kubeconfig(_SCHEDULER_USER)}",
        "--leader-elect=false",
        *_serving(surroundings, SCHEDULER),
        *_QUICK,
        *_emulated(surroundings),
    )


def _emulated(surroundings: Surroundings) -> Sequence[str]:
    """All of them alike: a newer scheduler waits for kinds that an older API server does not have."""
    version = surroundings.emulated_version
    return (f"--emulated-version=kube={version}",) if version else ()


def _serving(surroundings: Surroundings, name: str) -> Sequence[str]:
    server = surroundings.access.authority.server
    return (
        "--bind-address=127.0.0.1",
        f"--secure-port={surroundings.ports[name]}",
        f"--tls-cert-file={server.certificate}",
        f"--tls-private-key-file={server.key}",
    )


PARTS: Final = (
    Part(
        ETCD,
        _etcd,
        ready=lambda surroundings: answers(surroundings.ports[ETCD], "/health"),
        ports=(ETCD, _ETCD_PEER),
    ),
    Part(
        API_SERVER,
        _api_server,
        ready=lambda surroundings: answers(surroundings.ports[API_SERVER], "/readyz", surroundings.files.ca),
        after=(ETCD,),
        ports=(API_SERVER,),
    ),
    Part(
        CONTROLLER_MANAGER,
        _controller_manager,
        ready=lambda surroundings: answers(surroundings.ports[CONTROLLER_MANAGER], "/healthz", surroundings.files.ca),
        after=(API_SERVER,),
        ports=(CONTROLLER_MANAGER,),
    ),
    Part(
        SCHEDULER,
        _scheduler,
        ready=lambda surroundings: answers(surroundings.ports[SCHEDULER], "/readyz", surroundings.files.ca),
        after=(API_SERVER,),
        ports=(SCHEDULER,),
    ),
)
