"""Node pools, nodes and pods for the tests of what is done about nodes."""

from collections.abc import Mapping
from typing import Any

from hybrid_pools.blueprint.vocabulary import BUFFER_TAINT, GPU_TAINT, ROLE_LABEL, SPOT_TAINT, Role, Taint
from lab.google.computed import NODE_POOL
from lab.google.store import Record
from lab.nodes import manifests
from lab.nodes.objects import LabNode, Pod, lab_node, pod
from lab.nodes.pools import NodePool, node_pool

CLUSTER = "projects/acme/locations/us-central1/clusters/main"
START = "2026-12-01T08:00:00Z"
GPU = "nvidia.com/gpu"


def record(name: str = "train", created: float = 1.0, status: str = "RUNNING", **changes: Any) -> Record:
    """A pool of Spot VMs with two L4 GPUs each, or what the changes make of it; `nodeConfig` is merged."""
    config = {
        "machineType": "g2-standard-24",
        "spot": True,
        "diskSizeGb": 100,
        "diskType": "pd-balanced",
        "labels": {ROLE_LABEL: "spot"},
        "guestAccelerators": [{"type": "nvidia-l4", "count": 2, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}],
        "effectiveTaints": [_google(SPOT_TAINT), _google(GPU_TAINT)],
    }
    document = {
        "project": "acme",
        "location": "us-central1",
        "cluster": "main",
        "name": name,
        "nodeLocations": ["us-central1-a", "us-central1-b"],
        "nodeCount": 0,
        "maxPodsPerNode": 110,
        "version": "1.35.1-gke.1000",
        "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
        **changes,
        "nodeConfig": {**config, **changes.get("nodeConfig", {})},
    }
    return Record(NODE_POOL, f"{CLUSTER}/nodePools/{name}", document, status=status, created=created)


def stable_record(name: str = "services", **changes: Any) -> Record:
    """A pool for services, without GPUs."""
    config = {
        "machineType": "e2-standard-4",
        "spot": False,
        "labels": {ROLE_LABEL: Role.STABLE.value},
        "guestAccelerators": [],
        "effectiveTaints": [],
    }
    limits = {"minNodeCount": 1, "maxNodeCount": 3, "locationPolicy": "BALANCED"}
    return record(name, **{"nodeCount": 1, "autoscaling": limits, **changes, "nodeConfig": {**config, **changes.get("nodeConfig", {})}})


def buffer_record(name: str = "buffer", **changes: Any) -> Record:
    """A buffer pool with one L4 GPU a node."""
    config = {
        "machineType": "g2-standard-8",
        "spot": False,
        "labels": {ROLE_LABEL: Role.BUFFER.value},
        "guestAccelerators": [{"type": "nvidia-l4", "count": 1}],
        "effectiveTaints": [_google(BUFFER_TAINT), _google(GPU_TAINT)],
    }
    return record(name, **{**changes, "nodeConfig": {**config, **changes.get("nodeConfig", {})}})


def pool(made: Record | None = None) -> NodePool:
    """The pool of a record."""
    return node_pool(made or record())


def node(
    of: NodePool,
    zone: str = "us-central1-a",
    index: int = 0,
    *,
    ready: bool = True,
    created: str = START,
    notes: Mapping[str, str] | None = None,
) -> LabNode:
    """A node as the API server gives it back, with further annotations."""
    made = manifests.node(of, zone, index, process=False)
    made["metadata"] |= {"uid": f"uid-{made['metadata']['name']}", "creationTimestamp": created}
    made["metadata"]["annotations"] = {**made["metadata"]["annotations"], **(notes or {})}
    made["status"]["conditions"] = [{"type": "Ready", "status": "True" if ready else "False"}]
    found = lab_node(made)
    assert found is not None
    return found


def a_pod(
    name: str = "worker",
    *,
    on: str = "",
    cpu: str = "1",
    gpus: int = 0,
    tolerates: tuple[Taint, ...] = (SPOT_TAINT, GPU_TAINT),
    phase: str = "",
    priority: int = 0,
    **spec: Any,
) -> Pod:
    """A pod that waits for a node, or one that runs on a node."""
    wanted = {"cpu": cpu, **({GPU: str(gpus)} if gpus else {})}
    conditions = [] if on else [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    return pod(
        {
            "metadata": {"name": name, "namespace": "team-a", "uid": f"uid-{name}", "creationTimestamp": START},
            "spec": {
                "containers": [{"name": "main", "image": "train", "resources": {"requests": wanted}}],
                "tolerations": [{"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect.value} for t in tolerates],
                "priority": priority,
                **({"nodeName": on} if on else {}),
                **spec,
            },
            "status": {"phase": phase or ("Running" if on else "Pending"), "conditions": conditions},
        }
    )


def _google(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, "value": taint.value, "effect": taint.effect.google}
