"""Networks and what is in them: what Compute Engine is known to refuse; not taken from a document."""

import ipaddress
from collections.abc import Callable, Iterator

from lab.google.refusal import Refusal, bad_request, in_use, not_found
from lab.google.refusals.write import Removal, Write
from lab.google.store import Record, Store
from lab.google.values import Document

_NETWORK = "gcp:compute/network:Network"
_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_ROUTER = "gcp:compute/router:Router"
_NAT = "gcp:compute/routerNat:RouterNat"
_FIREWALL = "gcp:compute/firewall:Firewall"
_CLUSTER = "gcp:container/cluster:Cluster"
_SMALLEST_PREFIX = 29

Range = ipaddress.IPv4Network


def network_id(reference: str, project: str) -> str:
    """The identifier that a link, an identifier or a name of a network means."""
    if "projects/" in reference:
        return reference[reference.index("projects/") :]
    return f"projects/{project}/global/networks/{reference}"


def subnetwork_id(reference: str, project: str, region: str) -> str:
    """The identifier that a link, an identifier or a name of a subnetwork means."""
    if "projects/" in reference:
        return reference[reference.index("projects/") :]
    return f"projects/{project}/regions/{region}/subnetworks/{reference}"


def _in_network(write: Write) -> Iterator[Refusal]:
    if "network" in write.document:
        id_ = network_id(write.document["network"], write.document["project"])
        if not id_.endswith("/default") and not write.store.get(id_):
            yield not_found(id_)


def _ranges(document: Document) -> Iterator[tuple[str, str]]:
    if document.get("ipCidrRange"):
        yield "ipCidrRange", document["ipCidrRange"]
    for entry in document.get("secondaryIpRanges", []):
        if entry.get("ipCidrRange"):
            yield entry["rangeName"], entry["ipCidrRange"]


def _valid_ranges(write: Write) -> Iterator[Refusal]:
    for name, text in _ranges(write.document):
        try:
            network = Range(text)
        except ValueError:
            yield bad_request(f"Invalid value for field {name}: {text!r}. Must be a CIDR range of IPv4 whose host bits are 0")
            continue
        if network.prefixlen > _SMALLEST_PREFIX:
            yield bad_request(f"Invalid value for field {name}: {text!r} is smaller than the smallest subnetwork, /{_SMALLEST_PREFIX}")
    names = [entry["rangeName"] for entry in write.document.get("secondaryIpRanges", [])]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield bad_request(f"The secondary range {name!r} is given twice")


def _overlaps(write: Write) -> Iterator[Refusal]:
    try:
        own = [(name, Range(text)) for name, text in _ranges(write.document)]
    except ValueError:
        return
    for index, (name, network) in enumerate(own):
        for other, other_network in own[index + 1 :]:
            if network.overlaps(other_network):
                yield bad_request(f"Range {name} {network} overlaps with {other} {other_network} of the same subnetwork")
    mine = network_id(write.document["network"], write.document["project"])
    for record in write.store.resources(_SUBNETWORK):
        if record.id == write.id or network_id(record.document["network"], record.document["project"]) != mine:
            continue
        for other, text in _ranges(record.document):
            for name, network in own:
                if network.overlaps(Range(text)):
                    yield bad_request(f"Range {name} {network} overlaps with {other} {text} of {record.id}")


def _nat_router(write: Write) -> Iterator[Refusal]:
    document = write.document
    router = f"projects/{document['project']}/regions/{document['region']}/routers/{document['router'].rpartition('/')[2]}"
    if not write.store.get(router, _ROUTER):
        yield not_found(router)
    listed = document["sourceSubnetworkIpRangesToNat"] == "LIST_OF_SUBNETWORKS"
    if listed != bool(document.get("subnetworks")):
        yield bad_request("subnetworks are given exactly when sourceSubnetworkIpRangesToNat is LIST_OF_SUBNETWORKS")
    if document.get("natIpAllocateOption") == "MANUAL_ONLY" and not document.get("natIps"):
        yield bad_request("natIpAllocateOption MANUAL_ONLY needs natIps")


def _firewall_sides(write: Write) -> Iterator[Refusal]:
    document = write.document
    given = [key for key in ("sourceRanges", "sourceTags", "sourceServiceAccounts") if document.get(key)]
    if document.get("direction") == "EGRESS":
        for key in given:
            yield bad_request(f"{key} cannot be given for a firewall rule of direction EGRESS")
    elif not given:
        yield bad_request("A firewall rule of direction INGRESS needs sourceRanges, sourceTags or sourceServiceAccounts")
    for key in ("sourceRanges", "destinationRanges"):
        for text in document.get(key, []):
            try:
                ipaddress.ip_network(text)
            except ValueError:
                yield bad_request(f"Invalid value for field {key}: {text!r}. Must be a CIDR range whose host bits are 0")


def _users(store: Store, types: tuple[str, ...]) -> Iterator[Record]:
    for type_ in types:
        yield from store.resources(type_)


def _network_in_use(removal: Removal) -> Iterator[Refusal]:
    for user in _users(removal.store, (_SUBNETWORK, _ROUTER, _FIREWALL, _CLUSTER)):
        if network_id(user.document.get("network", ""), user.document["project"]) == removal.id:
            yield in_use(f"network '{removal.id}'", user.id)


def _subnetwork_in_use(removal: Removal) -> Iterator[Refusal]:
    for cluster in removal.store.resources(_CLUSTER):
        reference = cluster.document.get("subnetwork", "")
        if reference and subnetwork_id(reference, cluster.document["project"], removal.document["region"]) == removal.id:
            yield in_use(f"subnetwork '{removal.id}'", cluster.id)


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    _SUBNETWORK: (_in_network, _valid_ranges, _overlaps),
    _ROUTER: (_in_network,),
    _NAT: (_nat_router,),
    _FIREWALL: (_in_network, _firewall_sides),
}
DELETES: dict[str, tuple[Callable[[Removal], Iterator[Refusal]], ...]] = {
    _NETWORK: (_network_in_use,),
    _SUBNETWORK: (_subnetwork_in_use,),
}
