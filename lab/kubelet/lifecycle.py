"""When a container starts, restarts and ends: pure decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from lab.kubelet.containers import Attempt

_FIRST_BACK_OFF: Final = timedelta(seconds=10)
_LONGEST_BACK_OFF: Final = timedelta(seconds=300)
_FORGIVEN: Final = timedelta(seconds=600)  # a container that has run for so long starts again at once
_LEAST_GRACE: Final = timedelta(seconds=2)  # that a container has after a preStop hook which took all of the grace period
_DEFAULT_GRACE: Final = 30
_CRITICAL_PRIORITY: Final = 2_000_000_000

Object = Mapping[str, Any]


class Cause(StrEnum):
    """Why a pod is ended."""

    DELETED = "deleted"
    """Somebody deletes it: a person, a controller, an eviction, the scheduler's preemption."""

    SHUTDOWN = "shutdown"
    """Its node shuts down."""

    DEADLINE = "deadline"
    """It has run for its `activeDeadlineSeconds`."""


@dataclass(frozen=True)
class Stop:
    """The end of a pod: why, and how many seconds its processes have between SIGTERM (or the preStop hook) and SIGKILL."""

    cause: Cause
    grace: int


def stop_of(pod: Object, shutdown_window: int | None, now: datetime) -> Stop | None:
    """Why a pod is to end now, or None.

    Args:
        pod: The pod as the API server has it.
        shutdown_window: Seconds that its node leaves it while it shuts down; None while it does not.
        now: The time.
    """
    metadata, spec = pod["metadata"], pod["spec"]
    own = spec.get("terminationGracePeriodSeconds", _DEFAULT_GRACE)
    if shutdown_window is not None:
        # A pod's own grace period may shorten what the node leaves it, never lengthen it.
        return Stop(Cause.SHUTDOWN, min(own, shutdown_window))
    if "deletionTimestamp" in metadata:
        return Stop(Cause.DELETED, metadata.get("deletionGracePeriodSeconds", own))
    deadline, started = spec.get("activeDeadlineSeconds"), pod.get("status", {}).get("startTime")
    if deadline is not None and started and now >= moment(started) + timedelta(seconds=deadline):
        return Stop(Cause.DEADLINE, own)
    return None


def is_critical(pod: Object) -> bool:
    """Whether a pod has the second part of a shutdown's window: its priority is a system one."""
    return bool(pod["spec"].get("priority", 0) >= _CRITICAL_PRIORITY)


def shutdown_windows(total: int, critical: int) -> tuple[int, int]:
    """Seconds that ordinary and critical pods have, from the kubelet's two settings."""
    return max(0, total - critical), critical


def kill_at(begun: datetime, grace: int, terminated: datetime | None) -> datetime:
    """When SIGKILL follows.

    Args:
        begun: When the end began, with the preStop hook or with SIGTERM.
        grace: The grace period in seconds.
        terminated: When SIGTERM was sent; None while the hook runs.
    """
    end = begun + timedelta(seconds=grace)
    if terminated is None or terminated == begun or grace == 0:
        return end
    return max(end, terminated + _LEAST_GRACE)


def restarts(policy: str, attempt: Attempt, init: bool) -> bool:
    """Whether a container that has ended is started again; an init container that has succeeded is not."""
    if policy == "Never":
        return False
    return attempt.exit_code != 0 or (policy == "Always" and not init)


def next_start(attempts: Sequence[Attempt], policy: str, init: bool) -> datetime | None:
    """When a container is started next: at once for the first time and the first restart, then with pauses that double from 10 s to 300 s.

    None where it runs, or has ended for good.
    """
    if not attempts:
        return datetime.min.replace(tzinfo=UTC)
    last = attempts[-1]
    if last.exit_code is None or not restarts(policy, last, init):
        return None
    failures = 0
    for attempt in attempts:
        forgiven = moment(attempt.finished_at) - moment(attempt.started_at) >= _FORGIVEN
        failures = 0 if forgiven else failures + 1
    pause = timedelta() if failures <= 1 else min(_LONGEST_BACK_OFF, _FIRST_BACK_OFF * 2 ** min(failures - 2, 10))
    return moment(last.finished_at) + pause


def moment(text: str) -> datetime:
    """A time as Kubernetes writes it."""
    return datetime.fromisoformat(text)
