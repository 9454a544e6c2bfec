"""What a team's pods may talk to: each other, names, Google's APIs, and nothing else.

Sources: GKE's page on network policies (metadata server of workload identity, NodeLocal DNS cache), facts on IAM of the design.
"""

from typing import Any

from hybrid_pools.blueprint.vocabulary import NAMESPACE_NAME_LABEL
from hybrid_pools.manifests.manifest import Manifest, manifest

_NETWORKING = "networking.k8s.io/v1"
_METADATA_SERVER = "169.254.169.254/32"
_METADATA_SERVER_BEHIND = "169.254.169.252/32"
_NODE_LOCAL_DNS = "169.254.20.10/32"
_NOT_PUBLIC = ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"]
"""Networks of the company, of nodes, pods and services of any cluster, and of the control plane."""

_COLLECTORS = ["gke-gmp-system", "gmp-system"]
"""Where Google's managed Prometheus runs what scrapes pods."""


def denies_all(namespace: str) -> Manifest:
    """Nothing in and nothing out, for every pod of a namespace. Other policies add to it."""
    return _policy("default-deny", namespace, policyTypes=["Ingress", "Egress"])


def reaches_the_api_server(namespace: str) -> Manifest:
    """Out to the API server, whose address differs from cluster to cluster, and to nothing that is not encrypted."""
    return _policy("reach-api-server", namespace, policyTypes=["Egress"], egress=[{"ports": [_port(443), _port(6443)]}])


def resolves_names(namespace: str) -> Manifest:
    """Out to the cluster's name service, wherever it runs: in pods, on the node, or as Cloud DNS."""
    name_service = {
        "namespaceSelector": {"matchLabels": {NAMESPACE_NAME_LABEL: "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    places = [name_service, _block(_NODE_LOCAL_DNS), _block(_METADATA_SERVER)]
    egress = [{"to": places, "ports": [_port(53, "UDP"), _port(53)]}]
    return _policy("resolve-names", namespace, policyTypes=["Egress"], egress=egress)


def reaches_google(namespace: str) -> tuple[Manifest, ...]:
    """Out to the metadata server, which hands out the workload's identity, and to Google's APIs.

    The addresses of Google's APIs are public ones that change, unless the network maps the names to Google's private address
    (199.36.153.8/30). A policy knows no names, so it keeps training out of every private network instead: of operations, of other teams, of
    the control plane.
    """
    metadata = [
        {"to": [_block(_METADATA_SERVER)], "ports": [_port(80)]},  # on Dataplane V2
        {"to": [_block(_METADATA_SERVER_BEHIND)], "ports": [_port(988)]},  # elsewhere, where the packet has been redirected by then
    ]
    public = [{"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": _NOT_PUBLIC}}], "ports": [_port(443)]}]
    return (
        _policy("reach-identity", namespace, policyTypes=["Egress"], egress=metadata),
        _policy("reach-google-apis", namespace, policyTypes=["Egress"], egress=public),
    )


def training_isolation(namespace: str) -> tuple[Manifest, ...]:
    """All policies of a team's namespace."""
    own: list[Manifest] = [{"podSelector": {}}]
    # A gang meets on ports of its framework's choice. Pods of one namespace trust each other: whoever may start one may start any.
    within = _policy("within-the-team", namespace, policyTypes=["Ingress", "Egress"], ingress=[{"from": own}], egress=[{"to": own}])
    collectors = {"namespaceSelector": {"matchExpressions": [{"key": NAMESPACE_NAME_LABEL, "operator": "In", "values": _COLLECTORS}]}}
    scraped = _policy("be-scraped", namespace, policyTypes=["Ingress"], ingress=[{"from": [collectors]}])
    return (denies_all(namespace), within, resolves_names(namespace), *reaches_google(namespace), scraped)


def _policy(name: str, namespace: str, **rules: Any) -> Manifest:
    return manifest(_NETWORKING, "NetworkPolicy", name, namespace=namespace, spec={"podSelector": {}, **rules})


def _block(cidr: str) -> Manifest:
    return {"ipBlock": {"cidr": cidr}}


def _port(port: int, protocol: str = "TCP") -> Manifest:
    return {"protocol": protocol, "port": port}
