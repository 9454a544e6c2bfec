"""Address ranges of a new network."""

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import ExistingCluster, ExistingNetwork, NewCluster, NewNetwork
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.rules.rule import Finding, region_of, section_rule

_DOCKER = ip_network("172.17.0.0/16")
_RESERVED_ADDRESSES = 4
"""Google keeps the first two and the last two addresses of a primary range."""


def _parsed(text: str) -> IPv4Network | None:
    try:
        return IPv4Network(text)
    except ValueError:
        return None


def _no_network(at: str, text: str) -> Finding:
    try:
        fix = f"write {IPv4Network(text, strict=False)}, the range that this address lies in"
    except ValueError:
        fix = "each part of the address is at most 255, and the length at most 32"
    return Finding(at, text, "is not a network address", "the first address of a range and its length, for example 10.0.0.0/20", fix)


def _ranges(network: NewNetwork) -> dict[str, str]:
    ranges = network.ranges
    named = {"network.ranges.nodes": ranges.nodes, "network.ranges.pods": ranges.pods, "network.ranges.services": ranges.services}
    return named | {f"network.operationsRanges[{index}]": text for index, text in enumerate(network.operations_ranges)}


@section_rule("CFG-500", "An existing cluster brings its own network", "VPC-native clusters page of the GKE documentation")
def network_belongs_to_the_cluster(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A network beside an existing cluster would be made, paid for and used by nobody."""
    if isinstance(reading.cluster, ExistingCluster) and reading.network is not None:
        yield Finding(
            "network",
            "existing" if isinstance(reading.network, ExistingNetwork) else "ranges",
            "the existing cluster has its own network, so nothing would use this one",
            "no network section",
            "remove the section",
        )


@section_rule("CFG-501", "Ranges are networks, apart from each other", "Subnets page of the VPC documentation")
def ranges_are_apart(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Google refuses overlapping ranges at creation; an overlap with the operational range would open training nodes to it."""
    if not isinstance(reading.network, NewNetwork):
        return
    seen: dict[str, IPv4Network] = {}
    for at, text in _ranges(reading.network).items():
        parsed = _parsed(text)
        if parsed is None:
            yield _no_network(at, text)
            continue
        if parsed.overlaps(_DOCKER):
            yield Finding(at, text, f"overlaps {_DOCKER}, which node software uses for itself", "ranges outside it", "choose another range")
        for other, network in seen.items():
            if parsed.overlaps(network):
                yield Finding(at, text, f"overlaps {other} ({network})", "ranges that do not overlap", "choose another range")
        seen[at] = parsed


@section_rule(
    "CFG-502", "The ranges hold the nodes that the pools may reach", "Flexible Pod CIDR page of the GKE documentation", needs_all=True
)
def ranges_are_large_enough(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """GKE gives each node twice the addresses its pods may need, as a power of two; without a free block no node comes up."""
    if not isinstance(reading.network, NewNetwork) or isinstance(reading.cluster, ExistingCluster):
        return
    region = region_of(reading, catalogue)
    nodes, addresses = 0, 0
    for pool in reading.pools.values():
        zones = pool.zones or (region.zones if region else ())
        limits = pool.limits.per_zone or pool.limits.total
        if limits is None:
            continue
        count = limits.maximum * (len(zones) if pool.limits.per_zone else 1)
        nodes += count
        addresses += count * pod_addresses(pool.max_pods_per_node or _DEFAULT_MAX_PODS)
    for at, text, needed, what in (
        ("network.ranges.nodes", reading.network.ranges.nodes, nodes + _RESERVED_ADDRESSES, f"{nodes} nodes"),
        ("network.ranges.pods", reading.network.ranges.pods, addresses, f"the pod addresses of {nodes} nodes"),
    ):
        parsed = _parsed(text)
        if parsed is not None and parsed.num_addresses < needed:
            prefix = 32 - (needed - 1).bit_length()
            yield Finding(
                at, text, f"has {parsed.num_addresses} addresses, too few for {what}", f"/{prefix} or larger", "enlarge it, or lower limits"
            )


@section_rule("CFG-503", "Ranges that may reach the control plane are networks", "Authorized networks page of the GKE documentation")
def control_plane_networks_exist(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Google refuses the cluster for one address that is none."""
    if isinstance(reading.cluster, NewCluster):
        for name, text in reading.cluster.control_plane_networks.items():
            if _parsed(text) is None:
                yield _no_network(f"cluster.controlPlaneNetworks.{name}", text)


_DEFAULT_MAX_PODS = 110


def pod_addresses(max_pods: int) -> int:
    """Addresses that GKE reserves on a node: the power of two that holds twice its pods."""
    return 1 << (2 * max_pods - 1).bit_length()
