"""How simulated machines end: a spot preemption as GKE plays it, and a machine that is gone without a word.

A kubelet that is told to shut down marks its node NotReady, stops ordinary pods, then critical ones, and marks each as terminated (facts of
spot training, 2.3). Process nodes do that by themselves; here it is done for simulated ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from lab.kubelet.marks import PREEMPT, SHUTDOWN_GRACE, SHUTDOWN_GRACE_CRITICAL
from lab.nodes.objects import LabNode, Pod
from lab.nodes.pools import NodePool

_PROCESS_MARGIN = 10.0  # seconds that the kubelet of a process node has for its last reports


class Duty(Enum):
    """What is to be done about a stopped node, besides ending pods."""

    SHUT_DOWN = "shut down"
    """Its kubelet says that the node shuts down and takes no pods any more."""

    FALL_SILENT = "fall silent"
    """Its kubelet says nothing any more."""

    REMOVE = "remove"
    """The machine is gone, and with it the Node object."""

    WAIT = "wait"
    """Nothing yet."""


@dataclass(frozen=True)
class Ending:
    """What is to be done about a stopped node now: its duty and the pods that end."""

    node: LabNode
    duty: Duty
    pods: tuple[Pod, ...] = ()


def ending(node: LabNode, pods: Sequence[Pod], pool: NodePool | None, now: float, repair_seconds: float) -> Ending:
    """Decides about a node whose machine is stopped.

    Args:
        node: The node.
        pods: The pods bound to it.
        pool: Its pool; None when that is gone.
        now: Seconds of the epoch.
        repair_seconds: After which a machine that fell silent is made again.
    """
    elapsed = now - node.stopped_at
    if node.stop != PREEMPT:
        if elapsed >= repair_seconds:
            return Ending(node, Duty.REMOVE)
        return Ending(node, Duty.WAIT if node.process else Duty.FALL_SILENT)
    whole, critical = _window(pool)
    left = [pod for pod in pods if pod.active]
    if node.process:
        over = elapsed >= whole + _PROCESS_MARGIN or (not left and not node.ready)
        return Ending(node, Duty.REMOVE if over else Duty.WAIT)
    due = tuple(pod for pod in left if elapsed >= _end(pod, whole, critical))
    if not any(pod not in due for pod in left) and not node.ready:
        return Ending(node, Duty.REMOVE, due)
    return Ending(node, Duty.SHUT_DOWN if node.ready else Duty.WAIT, due)


def stopped(nodes: Iterable[LabNode]) -> list[LabNode]:
    """The nodes whose machine is stopped."""
    return [node for node in nodes if node.stop]


def _window(pool: NodePool | None) -> tuple[float, float]:
    """The whole shutdown window and the part at its end for critical pods, in seconds."""
    whole = pool.shutdown_grace if pool else None
    critical = pool.shutdown_grace_critical if pool else None
    whole = SHUTDOWN_GRACE if whole is None else whole
    return whole, min(whole, SHUTDOWN_GRACE_CRITICAL if critical is None else critical)


def _end(pod: Pod, whole: float, critical: float) -> float:
    """Seconds after the notice at which a pod ends that uses all the time it has."""
    if pod.critical:
        return whole - critical + min(pod.grace, critical)
    return min(pod.grace, whole - critical)
