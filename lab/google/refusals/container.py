"""Clusters and node pools.

Sources: preconditions of cluster-toolkit's module gke-node-pool; the Terraform provider's documentation of container_node_pool.
What a cluster and its surroundings need is as GKE is known to behave, not taken from a document.
"""

from collections.abc import Callable, Iterator

from lab.google.computed import CLUSTER, NODE_POOL, cluster_id
from lab.google.refusal import Refusal, bad_request, not_found
from lab.google.refusals.network import network_id, subnetwork_id
from lab.google.refusals.write import Removal, Write
from lab.google.values import find, first

_PER_ZONE = ("minNodeCount", "maxNodeCount")
_TOTAL = ("totalMinNodeCount", "totalMaxNodeCount")
_NO_RESERVATION = (None, "NO_RESERVATION")
_OWN_ACCOUNT = ".iam.gserviceaccount.com"


def _limits(write: Write) -> Iterator[Refusal]:
    limits = write.get("autoscaling")
    if limits is None:
        return
    if any(limits.get(key) for key in _PER_ZONE) and any(limits.get(key) for key in _TOTAL):
        yield bad_request(
            "Cannot specify both per-zone (minNodeCount, maxNodeCount) and total (totalMinNodeCount, totalMaxNodeCount) autoscaling limits"
        )
    if not any(limits.get(key) for key in (_PER_ZONE[1], _TOTAL[1])):
        yield bad_request("Autoscaling needs an upper limit: set maxNodeCount for each zone or totalMaxNodeCount for all zones together")
    for least, largest in (_PER_ZONE, _TOTAL):
        if largest in limits and limits.get(least, 0) > limits[largest]:
            yield bad_request(f"{least} ({limits[least]}) cannot be greater than {largest} ({limits[largest]})")


def _capacity(write: Write) -> Iterator[Refusal]:
    spot, flex = write.get("nodeConfig.spot"), write.get("nodeConfig.flexStart")
    queued = write.get("queuedProvisioning.enabled")
    reservation = write.get("nodeConfig.reservationAffinity.consumeReservationType")
    if spot and write.get("nodeConfig.preemptible"):
        yield bad_request("A node pool cannot be both spot and preemptible")
    if spot and reservation not in _NO_RESERVATION:
        yield bad_request(f"Spot VMs cannot consume a reservation: set consumeReservationType to NO_RESERVATION, got {reservation}")
    if spot and (flex or queued):
        yield bad_request("Spot VMs cannot be combined with flex-start or queued provisioning")
    if (flex or queued) and reservation != "NO_RESERVATION":
        yield bad_request("Flex-start and queued provisioning need a reservation affinity of NO_RESERVATION")
    if flex and write.get("management.autoRepair"):
        yield bad_request("Flex-start nodes cannot be repaired: set management.autoRepair to false")
    if (flex or queued) and not write.document.get("autoscaling"):
        yield bad_request("Flex-start and queued provisioning need autoscaling")
    specific = reservation == "SPECIFIC_RESERVATION"
    if specific != bool(write.get("nodeConfig.reservationAffinity.values")):
        yield bad_request("A reservation is named exactly when consumeReservationType is SPECIFIC_RESERVATION")
    if not spot and write.get("nodeConfig.kubeletConfig.shutdownGracePeriodSeconds"):
        yield bad_request("shutdownGracePeriodSeconds is for Spot VMs only")


def _upgrades(write: Write) -> Iterator[Refusal]:
    settings = write.get("upgradeSettings")
    if not settings:
        return
    blue_green = settings.get("strategy") == "BLUE_GREEN"
    if not blue_green and "maxSurge" in settings and settings["maxSurge"] + settings.get("maxUnavailable", 0) == 0:
        yield bad_request("maxSurge and maxUnavailable cannot both be 0: no node could be upgraded")
    if settings.get("maxSurge", 0) + settings.get("maxUnavailable", 0) > 20:
        yield bad_request("maxSurge and maxUnavailable together cannot be more than 20")
    if settings.get("blueGreenSettings") and not blue_green:
        yield bad_request("blueGreenSettings need the strategy BLUE_GREEN")
    if blue_green and write.get("placementPolicy.type") == "COMPACT":
        yield bad_request("Compact placement cannot be combined with blue-green upgrades")


def _nodes(write: Write) -> Iterator[Refusal]:
    for path, taint in find(write.document, "nodeConfig.taints[]"):
        for own in write.catalogue.taints.values():
            if taint["key"] == own["key"] and taint != own:
                yield bad_request(f"Taint {own['key']} in {path[0]} is reserved: GKE sets it to {own['value']} with {own['effect']}")
    keys = [(taint["key"], taint["effect"]) for _, taint in find(write.document, "nodeConfig.taints[]")]
    for key, effect in sorted({pair for pair in keys if keys.count(pair) > 1}):
        yield bad_request(f"Taint {key} with the effect {effect} is given twice")
    image = write.get("nodeConfig.imageType", "COS_CONTAINERD")
    if image != "COS_CONTAINERD" and write.get("nodeConfig.gcfsConfig.enabled"):
        yield bad_request(f"Image streaming needs COS_CONTAINERD, got {image}")
    drivers = [driver for _, driver in find(write.document, "nodeConfig.guestAccelerators[].gpuDriverInstallationConfig.gpuDriverVersion")]
    if image != "COS_CONTAINERD" and "LATEST" in drivers:
        yield bad_request(f"The driver version LATEST needs COS_CONTAINERD, got {image}")
    if write.get("nodeConfig.fastSocket.enabled") and not write.get("nodeConfig.gvnic.enabled"):
        yield bad_request("Fast socket needs gVNIC")
    if write.get("nodeConfig.secondaryBootDisks") and not write.get("nodeConfig.gcfsConfig.enabled"):
        yield bad_request("Secondary boot disks need image streaming (gcfsConfig)")
    if write.get("nodeConfig.ephemeralStorageLocalSsdConfig.localSsdCount") and write.get(
        "nodeConfig.localNvmeSsdBlockConfig.localSsdCount"
    ):
        yield bad_request("Local SSDs are either ephemeral storage or raw block devices, not both")


def _surroundings(write: Write) -> Iterator[Refusal]:
    id_ = cluster_id(write.document)
    cluster = write.store.get(id_, CLUSTER)
    if cluster is None:
        yield not_found(id_)
    zones = write.document.get("nodeLocations", [])
    yield from _zones(zones, write.document["location"])
    if write.get("placementPolicy.type") == "COMPACT" and len(zones) > 1:
        yield bad_request(f"Compact placement needs exactly one zone, got {', '.join(zones)}")
    yield from _account(write)
    policy = write.get("placementPolicy.policyName")
    region = _region(write.document["location"])
    if policy and not write.store.get(
        f"projects/{write.document['project']}/regions/{region}/resourcePolicies/{policy.rpartition('/')[2]}"
    ):
        yield not_found(f"resource policy {policy} in {region}")


def _region(location: str) -> str:
    return location if location[-2:-1] != "-" else location[:-2]


def _zones(zones: list[str], location: str) -> Iterator[Refusal]:
    region = _region(location)
    for zone in zones:
        if _region(zone) != region or zone == region:
            yield bad_request(f"Location {zone!r} is not a zone of the region {region!r}")


def _account(write: Write) -> Iterator[Refusal]:
    email = write.get("nodeConfig.serviceAccount", "default")
    if email.endswith(_OWN_ACCOUNT):
        project = email.removesuffix(_OWN_ACCOUNT).partition("@")[2]
        if not write.store.get(f"projects/{project}/serviceAccounts/{email}"):
            yield bad_request(f"The user does not have access to service account {email!r}, or it does not exist")


def _cluster_network(write: Write) -> Iterator[Refusal]:
    document = write.document
    project, region = document["project"], _region(document["location"])
    network = network_id(document.get("network", "default"), project)
    # The network called default is in every project unless somebody removed it.
    if not network.endswith("/default") and not write.store.get(network):
        yield not_found(network)
    if "subnetwork" not in document:
        return
    id_ = subnetwork_id(document["subnetwork"], project, region)
    subnetwork = write.store.get(id_)
    if subnetwork is None:
        yield not_found(id_)
        return
    if network_id(subnetwork.document["network"], project) != network:
        yield bad_request(f"Subnetwork {id_} is not in the network {network}")
    ranges = [entry["rangeName"] for entry in subnetwork.document.get("secondaryIpRanges", [])]
    for key in ("clusterSecondaryRangeName", "servicesSecondaryRangeName"):
        name = write.get(f"ipAllocationPolicy.{key}")
        if name and name not in ranges:
            yield bad_request(f"{key} {name!r} is not a secondary range of {id_}, which has {', '.join(ranges) or 'none'}")


def _cluster_zones(write: Write) -> Iterator[Refusal]:
    yield from _zones(write.document.get("nodeLocations", []), write.document["location"])


def _cluster_identity(write: Write) -> Iterator[Refusal]:
    pool, project = write.get("workloadIdentityConfig.workloadPool"), write.document["project"]
    if pool and pool != f"{project}.svc.id.goog":
        yield bad_request(f"Workload pool {pool!r} is not supported: the only one of this project is {project}.svc.id.goog")


def _protected(removal: Removal) -> Iterator[Refusal]:
    if removal.document.get("deletionProtection", True):
        yield Refusal(
            400,
            f"Cannot destroy cluster {removal.id} because deletionProtection is set to true. Set it to false, run an update, then destroy",
            "prevented",
        )


def _last_ordinary_pool(write: Write) -> Iterator[Refusal]:
    # A queue of flex-start nodes alone would leave the system pods without a place.
    if not first(write.document, "nodeConfig.flexStart"):
        return
    pools = [
        record
        for record in write.store.resources(NODE_POOL)
        if record.id.startswith(f"{cluster_id(write.document)}/") and record.id != write.id
    ]
    if not any(not first(pool.document, "nodeConfig.flexStart") for pool in pools):
        yield bad_request("A cluster with flex-start node pools needs at least one node pool without flex-start")


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    NODE_POOL: (_limits, _capacity, _upgrades, _nodes, _surroundings, _last_ordinary_pool),
    CLUSTER: (_cluster_network, _cluster_zones, _cluster_identity),
}
DELETES: dict[str, tuple[Callable[[Removal], Iterator[Refusal]], ...]] = {CLUSTER: (_protected,)}
