"""A node as GKE makes it: name, labels, taints and resources, from its pool, its zone and its place in it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hybrid_pools.blueprint import vocabulary as words
from hybrid_pools.blueprint.allocatable import NodeResources, allocatable, capacity
from lab.cluster.kwok import SIMULATED as KWOK_ANNOTATION
from lab.kubelet.marks import (
    LAB_NODE_LABEL,
    PROCESS,
    SHUTDOWN_GRACE_ANNOTATION,
    SHUTDOWN_GRACE_CRITICAL_ANNOTATION,
    SIMULATED,
)
from lab.nodes.objects import APPLIED_ANNOTATION, POOL_ANNOTATION, LabNode
from lab.nodes.pools import GpuSetup, NodePool

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIXES = len(_DIGITS) ** 4
_STRIDE = 716_539  # shares no factor with the number of suffixes, so that no two places of a zone share one
_SUBBLOCK, _BLOCK = 4, 16  # nodes; how Google groups machines differs by machine type and is not published for all
_PROVISIONING = "standard"
_NODE_INFO = {
    "bootID": "",
    "containerRuntimeVersion": "",
    "kernelVersion": "",
    "kubeProxyVersion": "",
    "machineID": "",
    "operatingSystem": "linux",
    "osImage": "Container-Optimized OS from Google",
    "systemUUID": "",
}


@lru_cache(maxsize=65536)
def node_name(pool: str, zone: str, index: int) -> str:
    """Name of the node at a place of a zone, as GKE forms it; a node that comes back has the same one again.

    Args:
        pool: Identifier of the pool.
        zone: Zone.
        index: Place in the zone, from 0.
    """
    digest = hashlib.sha256(f"{pool}/{zone}".encode()).hexdigest()
    number = (int(digest[8:16], 16) + index * _STRIDE) % _SUFFIXES
    suffix = ""
    for _ in range(4):
        number, digit = divmod(number, len(_DIGITS))
        suffix += _DIGITS[digit]
    parts = pool.split("/")
    cluster, name = parts[5][:15].strip("-"), parts[7][:20].strip("-")
    return f"gke-{cluster}-{name}-{digest[:8]}-{suffix}"


def node(pool: NodePool, zone: str, index: int, process: bool) -> dict[str, Any]:
    """The whole Node object.

    Args:
        pool: Its pool.
        zone: Its zone.
        index: Its place in the zone.
        process: Whether its pods run as local processes; otherwise KWOK plays it.
    """
    name = node_name(pool.id, zone, index)
    project = pool.id.split("/")[1]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels(pool, zone, index, process), "annotations": _annotations(pool, process)},
        "spec": {"providerID": f"gce://{project}/{zone}/{name}", "taints": taints(pool)},
        "status": {
            "capacity": _quantities(capacity(pool.shape)),
            "allocatable": _quantities(allocatable(pool.shape)),
            "nodeInfo": _NODE_INFO
            | {"architecture": pool.machine.architecture, "kubeletVersion": f"v{pool.version}" if pool.version else ""},
        },
    }


def labels(pool: NodePool, zone: str, index: int, process: bool) -> dict[str, str]:
    """Labels of a node: the pool's own, and those that GKE puts on."""
    return {**pool.labels, **_system_labels(pool, zone, index), LAB_NODE_LABEL: PROCESS if process else SIMULATED}


def taints(pool: NodePool) -> list[dict[str, str]]:
    """Taints that a node carries from its first second, as Kubernetes writes them."""
    return [{"key": taint.key, "value": taint.value, "effect": taint.effect.value} for taint in pool.taints]


def applied(pool: NodePool) -> str:
    """Value of the annotation that remembers what the pool has put on its nodes."""
    return json.dumps({"labels": dict(pool.labels), "taints": taints(pool)}, sort_keys=True)


@dataclass(frozen=True)
class InPlace:
    """What changes on a node that is there, since its pool's labels or taints have changed.

    Attributes:
        labels: New values; None takes a label off.
        taints: All taints of the node.
    """

    labels: Mapping[str, str | None]
    taints: list[dict[str, Any]]


def in_place(found: LabNode, pool: NodePool) -> InPlace | None:
    """The change of a node, or None. GKE changes labels and taints of nodes without making new ones (facts of GKE node pools, 1.1)."""
    if found.applied == applied(pool):
        return None
    before = json.loads(found.applied or "{}")
    gone = {key: None for key in before.get("labels", {}) if key not in pool.labels}
    own = {(taint["key"], taint["effect"]) for taint in (*before.get("taints", ()), *taints(pool))}
    others = [dict(taint) for taint in found.taints if (taint["key"], taint["effect"]) not in own]
    return InPlace({**gone, **pool.labels}, [*others, *taints(pool)])


def _system_labels(pool: NodePool, zone: str, index: int) -> dict[str, str]:
    machine = pool.machine
    found = {
        words.HOSTNAME_LABEL: node_name(pool.id, zone, index),
        words.ARCHITECTURE_KEY: machine.architecture,
        words.OPERATING_SYSTEM_LABEL: "linux",
        words.INSTANCE_TYPE_LABEL: machine.name,
        words.ZONE_LABEL: zone,
        words.REGION_LABEL: pool.region,
        words.NODE_POOL_LABEL: pool.name,
        words.MACHINE_FAMILY_LABEL: machine.name.partition("-")[0],
        words.PROVISIONING_LABEL: _provisioning(pool),
        "topology.gke.io/zone": zone,
        "cloud.google.com/gke-boot-disk": pool.boot_disk,
        "cloud.google.com/gke-container-runtime": "containerd",
        "cloud.google.com/gke-cpu-scaling-level": str(machine.vcpus),
        "cloud.google.com/gke-max-pods-per-node": str(capacity(pool.shape).pods),
        "cloud.google.com/gke-memory-gb-scaling-level": str(int(machine.memory_gib)),
        "cloud.google.com/gke-os-distribution": "cos",
        "iam.gke.io/gke-metadata-server-enabled": "true",
    }
    if pool.spot:
        found[words.SPOT_KEY] = "true"
    if pool.flex_start:
        found[words.FLEX_START_LABEL] = "true"
    if pool.shape.ephemeral_ssds:
        found["cloud.google.com/gke-ephemeral-storage-local-ssd"] = "true"
    if pool.shape.image_streaming:
        found["cloud.google.com/gke-image-streaming"] = "true"
    if pool.compact:
        found |= _topology(pool, zone, index)
    return found | (_gpu_labels(pool.gpus) if pool.gpus else {})


def _provisioning(pool: NodePool) -> str:
    if pool.spot:
        return "spot"
    if pool.flex_start:
        return "flex-start"
    return "reservation" if pool.reserved else _PROVISIONING


def _gpu_labels(gpus: GpuSetup) -> dict[str, str]:
    found = {
        words.ACCELERATOR_LABEL: gpus.type,
        f"{words.ACCELERATOR_LABEL}-count": str(gpus.count),
        "cloud.google.com/gke-gpu": "true",
        "cloud.google.com/gke-gpu-driver-version": gpus.driver.lower().replace("_", "-"),
    }
    if gpus.partition:
        found["cloud.google.com/gke-gpu-partition-size"] = gpus.partition
    if gpus.sharing:
        found["cloud.google.com/gke-gpu-sharing-strategy"] = gpus.sharing.lower().replace("_", "-")
        found["cloud.google.com/gke-max-shared-clients-per-gpu"] = str(gpus.clients)
    return found


def _topology(pool: NodePool, zone: str, index: int) -> dict[str, str]:
    def place(*parts: object) -> str:
        return hashlib.sha256("/".join(map(str, (pool.id, zone, *parts))).encode()).hexdigest()[:32]

    return {
        words.TOPOLOGY_BLOCK_LABEL: place("block", index // _BLOCK),
        words.TOPOLOGY_SUBBLOCK_LABEL: place("subblock", index // _SUBBLOCK),
        words.TOPOLOGY_HOST_LABEL: place("host", index),
    }


def _annotations(pool: NodePool, process: bool) -> Mapping[str, str]:
    grace = {
        SHUTDOWN_GRACE_ANNOTATION: pool.shutdown_grace,
        SHUTDOWN_GRACE_CRITICAL_ANNOTATION: pool.shutdown_grace_critical,
    }
    return {
        POOL_ANNOTATION: pool.id,
        APPLIED_ANNOTATION: applied(pool),
        **{key: str(value) for key, value in grace.items() if value is not None},
        **({} if process else dict([KWOK_ANNOTATION])),
    }


def _quantities(resources: NodeResources) -> dict[str, str]:
    found = {
        "cpu": f"{resources.cpu}m",
        "memory": f"{resources.memory}Mi",
        "ephemeral-storage": f"{resources.ephemeral_storage}Gi",
        "pods": str(resources.pods),
    }
    return found | ({words.GPU_KEY: str(resources.gpus)} if resources.gpus else {})
