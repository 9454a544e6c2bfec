"""What the service fills in: the values of the data files, and the few that need the rest of the cloud."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.endpoint import reachable
from lab.google.facts import Facts
from lab.google.naming import fill, project_number
from lab.google.schema import Schema, Shape
from lab.google.store import Store
from lab.google.values import UNKNOWN, Document, find, first, pattern

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
SCHEDULER_JOB = "gcp:cloudscheduler/job:Job"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
# Pulumi's provider adds this label to everything that has labels.
_PULUMI_LABEL = {"goog-pulumi-provisioned": "true"}


@dataclass(frozen=True)
class _Written:
    """A resource that is being written, and what is around it."""

    facts: Facts
    document: Document
    store: Store
    catalogue: Catalogue


def completed(catalogue: Catalogue, type_: str, id_: str, inputs: Document, old: Document, store: Store) -> Document:
    """All properties of a resource after a create or an update.

    Args:
        catalogue: The types and their facts.
        type_: Pulumi's type.
        id_: Its identifier.
        inputs: Its inputs, located.
        old: All its properties before, empty for a create.
        store: The rest of the cloud.
    """
    facts = catalogue.facts[type_]
    document = carried(catalogue, type_, inputs, old)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "-00:00")
    for place, template in facts.filled.items():
        _fill(facts, document, place, fill(template, id_, document, now))
    if facts.labels:
        document["effectiveLabels"] = document["pulumiLabels"] = {**document.get(facts.labels, {}), **_PULUMI_LABEL}
    special = _SPECIAL.get(type_)
    return special(_Written(facts, document, store, catalogue)) if special else document


def carried(catalogue: Catalogue, type_: str, inputs: Document, old: Document) -> Document:
    """The inputs with what the service had filled before: all that a preview of an update can know."""
    shape = Shape("object", object=catalogue.schema.inputs[type_])
    document: Document = _kept(catalogue.schema, catalogue.facts[type_], shape, inputs, old, ())
    return document


def foreseen(facts: Facts, inputs: Document) -> Document:
    """Properties in a preview of a create: what the service will fill inside given objects is not known yet."""
    document: Document = _copied(inputs)
    for place in facts.computed + facts.output_only:
        parent, _, key = place.rpartition(".")
        for _, value in find(document, parent) if parent else ():
            if isinstance(value, dict):
                value.setdefault(key, UNKNOWN)
    return document


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(element) for key, element in value.items()}
    return [_copied(element) for element in value] if isinstance(value, list) else value


def _kept(schema: Schema, facts: Facts, shape: Shape | None, new: Any, old: Any, path: tuple[str | int, ...]) -> Any:
    """The new value with what the service had filled before and the program still leaves out."""
    if isinstance(new, dict):
        before = old if isinstance(old, dict) else {}
        known = schema.objects[shape.object] if shape and shape.kind == "object" else {}
        merged = {
            key: _kept(schema, facts, known[key].shape if key in known else None, value, before.get(key), (*path, key))
            for key, value in new.items()
        }
        is_object = shape is not None and shape.kind == "object"
        stays = {key for key in before if key not in new and is_object and (key not in known or pattern((*path, key)) in facts.computed)}
        return {**merged, **{key: before[key] for key in stays}}
    if isinstance(new, list) and shape is not None:
        olds = old if isinstance(old, list) and pattern(path) not in facts.unordered else []
        return [_kept(schema, facts, shape.of, value, olds[i] if i < len(olds) else None, (*path, i)) for i, value in enumerate(new)]
    return new


def _fill(facts: Facts, document: Document, place: str, value: Any) -> None:
    *parents, key = place.split(".")
    targets: list[Any] = [document]
    for depth, parent in enumerate(parents, start=1):
        name = parent.removesuffix("[]")
        at = ".".join(parents[:depth]).removesuffix("[]")
        for target in targets:
            if name not in target and at in facts.computed and not parent.endswith("[]"):
                target[name] = {}
        found = [target[name] for target in targets if name in target]
        targets = [element for elements in found for element in elements] if parent.endswith("[]") else found
    for target in targets:
        if isinstance(target, dict):
            target.setdefault(key, value)


def zones_of(facts: Facts, location: str) -> list[str]:
    """The zones of a location: itself if it is a zone, the three usual ones of a region."""
    if re.fullmatch(r".+-[a-z]", location):
        return [location]
    return [f"{location}-{letter}" for letter in facts.tables["zone_letters"].get(location, "abc")]


def version_for(facts: Facts, wanted: str, channel: str) -> str:
    """The version a control plane gets: the newest of the channel, or of all channels, that begins with the wanted one."""
    versions = facts.tables["versions"]
    if "-gke." in wanted:
        return wanted
    candidates = [versions.get(channel, versions["REGULAR"]), *versions.values()]
    return str(next((version for version in candidates if not wanted or version.startswith(wanted)), candidates[0]))


def _cluster(written: _Written) -> Document:
    facts, document = written.facts, written.document
    zones = zones_of(facts, document["location"])
    regional = zones != [document["location"]]
    document.setdefault("nodeLocations", zones if regional else [])
    document["masterVersion"] = version_for(
        facts, document.get("minMasterVersion", ""), first(document, "releaseChannel.channel", "REGULAR")
    )
    document.setdefault("nodeVersion", document["masterVersion"])
    return reachable(document, written.store.path.parent)


def cluster_id(document: Document) -> str:
    """Identifier of the cluster that a node pool belongs to."""
    name = document["cluster"].rpartition("/")[2]
    return f"projects/{document['project']}/locations/{document['location']}/clusters/{name}"


def pools_of(store: Store, cluster: str) -> list[tuple[str, Document]]:
    """Identifier and properties of each node pool of a cluster."""
    return [(record.id, record.document) for record in store.resources(NODE_POOL) if record.id.startswith(f"{cluster}/nodePools/")]


def has_gpus(document: Document) -> bool:
    """Whether the nodes of a pool have GPUs."""
    return any(count for _, count in find(document, "nodeConfig.guestAccelerators[].count"))


def _node_pool(written: _Written) -> Document:
    document = written.document
    id_ = cluster_id(document)
    record = written.store.get(id_, CLUSTER)
    cluster: Document = record.document if record else {}
    zones: list[str] = document.get("nodeLocations") or cluster.get("nodeLocations") or []
    zones = document["nodeLocations"] = zones or zones_of(written.catalogue.facts[CLUSTER], document["location"])
    document.setdefault("initialNodeCount", document.get("nodeCount", 0))
    document.setdefault("nodeCount", document["initialNodeCount"])
    document.setdefault("maxPodsPerNode", cluster.get("defaultMaxPodsPerNode", written.facts.tables["max_pods_per_node"]))
    document.setdefault("version", cluster.get("masterVersion", ""))
    network = document.setdefault("networkConfig", {})
    network.setdefault("enablePrivateNodes", first(cluster, "privateClusterConfig.enablePrivateNodes", False))
    network.setdefault("podRange", first(cluster, "ipAllocationPolicy.clusterSecondaryRangeName", ""))
    network.setdefault("subnetwork", cluster.get("subnetwork", ""))
    document["operation"] = ""
    groups = [] if document.get("ignoreNodeCountChanges") else [(zone, _group(document)) for zone in zones]
    for property_, kind in (("instanceGroupUrls", "instanceGroupManagers"), ("managedInstanceGroupUrls", "instanceGroups")):
        base = f"https://www.googleapis.com/compute/v1/projects/{document['project']}/zones"
        document[property_] = [f"{base}/{zone}/{kind}/{group}" for zone, group in groups]
    document["nodeConfig"]["effectiveTaints"] = _effective_taints(written, id_)
    return document


def _group(document: Document) -> str:
    return f"gke-{document['cluster'].rpartition('/')[2][:15]}-{document['name'][:20]}-grp"


def _effective_taints(written: _Written, cluster: str) -> list[dict[str, str]]:
    document, own = written.document, written.catalogue.taints
    taints = [dict(taint) for taint in first(document, "nodeConfig.taints", [])]
    present = own["gpu"] in first(document, "nodeConfig.effectiveTaints", [])
    # GKE keeps system pods off GPUs only where they have another pool to go to (terraform-google-kubernetes-engine#703).
    if has_gpus(document) and (present or any(not has_gpus(pool) for _, pool in pools_of(written.store, cluster))):
        taints.append(own["gpu"])
    if first(document, "queuedProvisioning.enabled", False):
        taints.append(own["queued"])
    return [taint for index, taint in enumerate(taints) if taint not in taints[:index]]


def _subnetwork(written: _Written) -> Document:
    document = written.document
    if document.get("ipCidrRange"):
        network = ipaddress.ip_network(document["ipCidrRange"])
        document["gatewayAddress"] = str(network.network_address + 1)
        document["subnetworkId"] = int(network.network_address)
    return document


def _identity_pool(written: _Written) -> Document:
    document = written.document
    # Identifiers name the project by its id, the names that principals are made of by its number.
    pool = f"projects/{project_number(document['project'])}/locations/global/workloadIdentityPools/{document['workloadIdentityPoolId']}"
    provider = document.get("workloadIdentityPoolProviderId")
    document["name"] = f"{pool}/providers/{provider}" if provider else pool
    return document


def _scheduler_job(written: _Written) -> Document:
    written.document["state"] = "PAUSED" if written.document.get("paused") else "ENABLED"
    return written.document


_SPECIAL: dict[str, Callable[[_Written], Document]] = {
    SCHEDULER_JOB: _scheduler_job,
    "gcp:iam/workloadIdentityPool:WorkloadIdentityPool": _identity_pool,
    "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider": _identity_pool,
    CLUSTER: _cluster,
    NODE_POOL: _node_pool,
    SUBNETWORK: _subnetwork,
}
