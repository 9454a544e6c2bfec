"""What a kubelet reports of a pod: a pure function of the pod and of its containers' attempts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lab.kubelet.containers import KILLED, Attempt
from lab.kubelet.lifecycle import Cause, restarts
from lab.kubelet.marks import TERMINATED

ADDRESS: Final = "127.0.0.1"

_DEADLINE_MESSAGE: Final = "Pod was active on the node longer than the specified deadline"
_LOST_MESSAGE: Final = "The container could not be located when the pod was terminated"

Object = Mapping[str, Any]


@dataclass(frozen=True)
class Waiting:
    """Why a container does not run, in the words that a kubelet uses for it."""

    reason: str
    message: str = ""


@dataclass(frozen=True)
class PodView:
    """What the kubelet knows of a pod.

    Attributes:
        attempts: Of each container by name, init containers too, oldest first.
        waiting: Of containers that wait for something else than their turn.
        started_at: When the kubelet saw the pod first, as Kubernetes writes it.
        now: The time, likewise.
        conditions: As they were reported last: one that stays keeps its time.
        ready_to_start: Whether its volumes are there.
        stop: Why the pod is ended; None while it is not.
        ended: Whether its end is over: nothing runs and nothing will.
    """

    attempts: Mapping[str, Sequence[Attempt]]
    started_at: str
    now: str
    conditions: Sequence[Object] = ()
    waiting: Mapping[str, Waiting] = field(default_factory=dict)
    ready_to_start: bool = True
    stop: Cause | None = None
    ended: bool = False

    def last(self, name: str) -> Attempt | None:
        """The last attempt of a container."""
        attempts = self.attempts.get(name, ())
        return attempts[-1] if attempts else None


def pod_status(pod: Object, view: PodView) -> dict[str, Any]:
    """The status, as a strategic merge patch of the pod's."""
    spec = pod["spec"]
    inits, mains = spec.get("initContainers", ()), spec["containers"]
    phase = pod_phase(pod, view)
    reason, message = _why(phase, view)
    return {
        "phase": phase,
        "reason": reason,
        "message": message,
        "startTime": view.started_at,
        "hostIP": ADDRESS,
        "hostIPs": [{"ip": ADDRESS}],
        "podIP": ADDRESS,
        "podIPs": [{"ip": ADDRESS}],
        "conditions": _conditions(pod, view, phase),
        "containerStatuses": [_container(pod, each, view, init=False) for each in mains],
        **({"initContainerStatuses": [_container(pod, each, view, init=True) for each in inits]} if inits else {}),
    }


def refused_status(reason: str, message: str, now: str) -> dict[str, Any]:
    """The status of a pod that the kubelet does not take."""
    return {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {message}", "startTime": now}


def pod_phase(pod: Object, view: PodView) -> str:
    """The phase. A pod that is ended keeps the one it has until nothing of it runs (Kubernetes, `getPhase` and status manager)."""
    spec = pod["spec"]
    mains = [view.last(each["name"]) for each in spec["containers"]]
    if view.ended:
        done = all(attempt is not None and attempt.exit_code == 0 for attempt in mains)
        return "Succeeded" if done and view.stop is not Cause.DEADLINE else "Failed"
    if not initialized(pod, view):
        return "Pending"
    if any(attempt is None or (attempt.exit_code is None and not attempt.started_at) for attempt in mains):
        return "Pending"
    return "Running"


def initialized(pod: Object, view: PodView) -> bool:
    """Whether all init containers have succeeded."""
    return all(_succeeded(view.last(each["name"])) for each in pod["spec"].get("initContainers", ()))


def is_over(pod: Object, view: PodView) -> bool:
    """Whether a pod that nobody ends has come to its own end: nothing runs, and nothing is started again."""
    policy = pod["spec"].get("restartPolicy", "Always")
    for each in pod["spec"].get("initContainers", ()):
        attempt = view.last(each["name"])
        if attempt is not None and attempt.exit_code not in (None, 0) and not restarts(policy, attempt, init=True):
            return True
    lasts = [view.last(each["name"]) for each in pod["spec"]["containers"]]
    return all(attempt is not None and attempt.exit_code is not None and not restarts(policy, attempt, init=False) for attempt in lasts)


def _succeeded(attempt: Attempt | None) -> bool:
    return attempt is not None and attempt.exit_code == 0


def _why(phase: str, view: PodView) -> tuple[str | None, str | None]:
    if phase != "Failed" or not view.ended:
        return None, None
    if view.stop is Cause.SHUTDOWN:
        return "Terminated", TERMINATED
    return ("DeadlineExceeded", _DEADLINE_MESSAGE) if view.stop is Cause.DEADLINE else (None, None)


def _container(pod: Object, container: Object, view: PodView, init: bool) -> dict[str, Any]:
    name = container["name"]
    attempts = view.attempts.get(name, ())
    identifiers = [_identifier(pod, name, attempt) for attempt in attempts]
    current = attempts[-1] if attempts else None
    running = current is not None and current.exit_code is None and bool(current.started_at)
    status: dict[str, Any] = {
        "name": name,
        "image": container.get("image", ""),
        "imageID": "",
        "restartCount": max(0, len(attempts) - 1),
        "ready": _succeeded(current) if init else running,
        "started": running,
        "containerID": identifiers[-1] if identifiers else "",
    }
    waiting = None if view.ended else view.waiting.get(name)
    earlier = attempts[:-1]
    if current is None or waiting is not None or (current.exit_code is None and not running):
        if current is not None and current.exit_code is not None:
            earlier = attempts
        status["state"] = _not_running(waiting, view, pod, init)
    elif running:
        status["state"] = {"running": {"startedAt": current.started_at}}
    else:
        status["state"] = {"terminated": _terminated(current, identifiers[-1])}
    if earlier:
        status["lastState"] = {"terminated": _terminated(earlier[-1], identifiers[len(earlier) - 1])}
    return status


def _not_running(waiting: Waiting | None, view: PodView, pod: Object, init: bool) -> dict[str, Any]:
    if view.ended:
        return {"terminated": {"exitCode": KILLED, "reason": "ContainerStatusUnknown", "message": _LOST_MESSAGE}}
    first = Waiting("ContainerCreating") if init or initialized(pod, view) else Waiting("PodInitializing")
    why = waiting or first
    return {"waiting": {"reason": why.reason, **({"message": why.message} if why.message else {})}}


def _terminated(attempt: Attempt, identifier: str) -> dict[str, Any]:
    return {
        "exitCode": attempt.exit_code,
        "reason": attempt.reason,
        "startedAt": attempt.started_at,
        "finishedAt": attempt.finished_at,
        "containerID": identifier,
        **({"message": attempt.message} if attempt.message else {}),
    }


def _identifier(pod: Object, name: str, attempt: Attempt) -> str:
    return f"process://{pod['metadata']['uid']}/{name}/{attempt.number}"


def _conditions(pod: Object, view: PodView, phase: str) -> list[dict[str, Any]]:
    spec = pod["spec"]
    inits = [each["name"] for each in spec.get("initContainers", ()) if not _succeeded(view.last(each["name"]))]
    unready = [each["name"] for each in spec["containers"] if not _runs(view.last(each["name"]))]
    terminal = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(phase)
    not_ready = (terminal or "ContainersNotReady", None if terminal else f"containers with unready status: {_listed(unready)}")
    not_initialized = ("ContainersNotInitialized", f"containers with incomplete status: {_listed(inits)}")
    ready = not terminal and not unready and not inits
    conditions = [
        _condition("PodReadyToStartContainers", view.ready_to_start and not view.ended, None, None),
        _condition("Initialized", not inits, *((None, None) if not inits else not_initialized)),
        _condition("ContainersReady", ready, *((None, None) if ready else not_ready)),
        _condition("Ready", ready, *((None, None) if ready else not_ready)),
    ]
    if view.stop is Cause.SHUTDOWN and view.ended:
        conditions.append(_condition("DisruptionTarget", True, "TerminationByKubelet", TERMINATED))
    known = {each["type"]: each for each in view.conditions}
    for condition in conditions:
        before = known.get(condition["type"], {})
        same = before.get("status") == condition["status"]
        condition["lastTransitionTime"] = before["lastTransitionTime"] if same and before.get("lastTransitionTime") else view.now
    return conditions


def _runs(attempt: Attempt | None) -> bool:
    return attempt is not None and attempt.exit_code is None and bool(attempt.started_at)


def _condition(kind: str, status: bool, reason: str | None, message: str | None) -> dict[str, Any]:
    return {"type": kind, "status": "True" if status else "False", "reason": reason, "message": message}


def _listed(names: Iterable[str]) -> str:
    return f"[{' '.join(names)}]"
