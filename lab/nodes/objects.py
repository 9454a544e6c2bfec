"""Nodes and pods as the API server gives them, read as far as deciding about nodes needs it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hybrid_pools.blueprint.vocabulary import DOMAIN, ZONE_LABEL
from lab.kubelet.marks import LAB_NODE_LABEL, PROCESS, STOP_ANNOTATION
from lab.nodes.amounts import PODS, Amounts, amounts, largest, total

Object = Mapping[str, Any]

POOL_ANNOTATION = f"{DOMAIN}/lab-pool"
"""Node annotation: identifier of the node pool at the stand-in. Nodes without it are somebody else's."""

APPLIED_ANNOTATION = f"{DOMAIN}/lab-pool-applied"
"""Node annotation: labels and taints that the pool has put on, as JSON; the others of the node are GKE's and Kubernetes'."""

DRAIN_ANNOTATION = f"{DOMAIN}/lab-drained-since"
"""Node annotation: since when the node is being removed, in seconds of the epoch."""

STOPPED_ANNOTATION = f"{DOMAIN}/lab-stopped-at"
"""Node annotation: when its machine was told to stop, in seconds of the epoch."""

_KEEP_ANNOTATION = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_DEFAULT_GRACE = 30
_CRITICAL_PRIORITY = 2_000_000_000
_SIDECAR = "Always"


@dataclass(frozen=True)
class LabNode:
    """A node of a pool.

    Attributes:
        pool: Identifier of its pool.
        applied: What the pool has put on it, as in its annotation.
        ready: Whether its kubelet says that it takes pods.
        cordoned: Whether somebody closed it to new pods.
        draining_since: Since when it is being removed, or None.
        stop: How its machine ends, one of `lab.kubelet.marks`; empty while it runs.
        stopped_at: Since when.
        kept: Whether the autoscaler is told to leave it alone.
        process: Whether its pods run as processes.
    """

    name: str
    uid: str
    pool: str
    zone: str
    created: float
    labels: Mapping[str, str]
    taints: tuple[Object, ...]
    applied: str
    allocatable: Amounts
    ready: bool
    cordoned: bool
    draining_since: float | None
    stop: str
    stopped_at: float
    kept: bool
    process: bool

    @property
    def lasting(self) -> bool:
        """Whether nobody is taking it away."""
        return self.draining_since is None and not self.stop


@dataclass(frozen=True)
class Pod:
    """A pod.

    Attributes:
        node: The node it is bound to, or empty.
        active: Whether it has not ended.
        waiting: Whether the scheduler found no place for it.
        nominated: The node on which the scheduler makes room for it, or empty.
        tied: Whether it belongs to its node, as a pod of a daemon set does, so that it keeps no node alive.
        grace: Seconds between SIGTERM and SIGKILL that it asks for.
        critical: Whether a kubelet that shuts down stops it last.
        spec: Its specification, for matching.
    """

    namespace: str
    name: str
    uid: str
    node: str
    created: float
    priority: int
    active: bool
    deleting: bool
    waiting: bool
    nominated: str
    tied: bool
    grace: int
    critical: bool
    requests: Amounts
    spec: Object


def lab_node(node: Object) -> LabNode | None:
    """The node if it belongs to a pool of the stand-in."""
    meta, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    notes = meta.get("annotations") or {}
    if POOL_ANNOTATION not in notes:
        return None
    labels = meta.get("labels") or {}
    drained = notes.get(DRAIN_ANNOTATION)
    return LabNode(
        name=meta["name"],
        uid=meta["uid"],
        pool=notes[POOL_ANNOTATION],
        zone=labels.get(ZONE_LABEL, ""),
        created=seconds(meta["creationTimestamp"]),
        labels=labels,
        taints=tuple(spec.get("taints") or ()),
        applied=notes.get(APPLIED_ANNOTATION, ""),
        allocatable=amounts(status.get("allocatable")),
        ready=condition(node, "Ready").get("status") == "True",
        cordoned=bool(spec.get("unschedulable")),
        draining_since=float(drained) if drained is not None else None,
        stop=notes.get(STOP_ANNOTATION, ""),
        stopped_at=float(notes.get(STOPPED_ANNOTATION, 0)),
        kept=notes.get(_KEEP_ANNOTATION) == "true",
        process=labels.get(LAB_NODE_LABEL) == PROCESS,
    )


def pod(found: Object) -> Pod:
    """The pod."""
    meta, spec, status = found["metadata"], found["spec"], found.get("status") or {}
    scheduled = condition(found, "PodScheduled")
    priority = int(spec.get("priority") or 0)
    return Pod(
        namespace=meta["namespace"],
        name=meta["name"],
        uid=meta["uid"],
        node=spec.get("nodeName") or "",
        created=seconds(meta["creationTimestamp"]),
        priority=priority,
        active=status.get("phase") not in ("Succeeded", "Failed"),
        deleting="deletionTimestamp" in meta,
        waiting=not spec.get("nodeName") and scheduled.get("reason") == "Unschedulable",
        nominated=status.get("nominatedNodeName") or "",
        tied=_tied(meta),
        grace=int(spec.get("terminationGracePeriodSeconds", _DEFAULT_GRACE)),
        critical=priority >= _CRITICAL_PRIORITY,
        requests=requests(spec),
        spec=spec,
    )


def requests(spec: Object) -> dict[str, int]:
    """What the scheduler counts of a pod: containers and sidecars together, or the largest moment of its start."""
    sidecars: list[Amounts] = []
    moments: list[Amounts] = []
    for container in spec.get("initContainers") or ():
        wanted = _wanted(container)
        if container.get("restartPolicy") == _SIDECAR:
            sidecars.append(wanted)
        moments.append(total((*sidecars, *(() if container.get("restartPolicy") == _SIDECAR else (wanted,)))))
    running = total((*sidecars, *(_wanted(container) for container in spec["containers"])))
    of_containers = largest((running, *moments))
    whole = of_containers | amounts((spec.get("resources") or {}).get("requests"))
    return total((whole, amounts(spec.get("overhead")), {PODS: 1}))


def condition(found: Object, type_: str) -> Object:
    """The condition of that type, or an empty one."""
    conditions: Iterable[Object] = (found.get("status") or {}).get("conditions") or ()
    return next((entry for entry in conditions if entry["type"] == type_), {})


def seconds(timestamp: str) -> float:
    """Seconds of the epoch of a timestamp of the API."""
    return datetime.fromisoformat(timestamp).timestamp()


def _wanted(container: Object) -> dict[str, int]:
    return amounts((container.get("resources") or {}).get("requests"))


def _tied(meta: Object) -> bool:
    owned = any(owner["kind"] in ("DaemonSet", "Node") for owner in meta.get("ownerReferences") or () if owner.get("controller"))
    return owned or "kubernetes.io/config.mirror" in (meta.get("annotations") or {})
