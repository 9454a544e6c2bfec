"""One pod on its way from Pending to its end: a thread that compares what is wanted with what runs, as a kubelet's pod worker does."""

import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lab.kubelet.api import Api, ApiError, NamespaceSources, Tokens, pod_path
from lab.kubelet.containers import Attempt, Run, kill_all
from lab.kubelet.environment import ConfigError
from lab.kubelet.lifecycle import Cause, Stop, kill_at, next_start, stop_of
from lab.kubelet.sandbox import Machine, Sandbox
from lab.kubelet.shim import now as kubernetes_now
from lab.kubelet.status import PodView, Waiting, is_over, pod_status

_TICK: Final = 0.1  # seconds between two looks at what runs
_RETRY: Final = 2.0  # seconds after which what could not be made is tried again
_REFRESH: Final = timedelta(seconds=60)  # between two renderings of volumes: a kubelet's own sync period

Object = Mapping[str, Any]


@dataclass
class _Ending:
    stop: Stop
    begun: datetime


class PodWorker(threading.Thread):
    """Runs one pod until it has ended for good, its node is gone, or its object is.

    Args:
        allocatable: The node's resources.
    """

    def __init__(self, api: Api, machine: Machine, pod: Object, allocatable: Mapping[str, str]) -> None:
        super().__init__(daemon=True, name=f"pod-{pod['metadata']['name']}")
        self.pod = pod
        self.done = False
        self._api = api
        self._allocatable = allocatable
        self._sandbox = Sandbox(machine, pod)
        self._sources = NamespaceSources(api, pod["metadata"]["namespace"])
        self._tokens = Tokens(api, pod)
        containers = (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"])
        self._containers = {each["name"]: each for each in containers}
        self._runs: dict[str, list[Run]] = {name: self._sandbox.runs(name) for name in self._containers}
        self._started_at = pod.get("status", {}).get("startTime") or kubernetes_now()
        self._prepared_at: datetime | None = None
        self._waiting: dict[str, Waiting] = {}
        self._retry_at: dict[str, datetime] = {}
        self._ending: _Ending | None = None
        self._hooks: dict[str, Run] = {}
        self._terminated: dict[str, datetime] = {}
        self._reported: dict[str, Any] = {}
        self._conditions = pod.get("status", {}).get("conditions", ())
        self._told: set[str] = set()
        self._window: int | None = None
        self._silent = False
        self._gone = False
        self._wake = threading.Event()

    def update(self, pod: Object) -> None:
        """The pod has changed."""
        self.pod = pod
        self._wake.set()

    def shut_down(self, window: int) -> None:
        """The node shuts down and leaves the pod so many seconds."""
        self._window = window
        self._wake.set()

    def forget(self) -> None:
        """The pod's object is gone: what is left of it is killed and removed."""
        self._gone = True
        self._wake.set()
        if self.done:
            self._sandbox.remove()

    def cut(self) -> None:
        """The machine is gone: everything is killed and nothing is reported."""
        self._silent = True
        self._wake.set()

    def run(self) -> None:
        while not self.done:
            try:
                self.done = not self._tick()
                pause = _TICK
            except ApiError as error:
                # Also when the API server is away: processes go on, and everything is reported when it is back.
                self._gone = self._gone or (error.status in (404, 409) and self._api_says_gone())
                self._say(str(error))
                pause = 5 * _TICK
            except Exception as error:
                # Whatever it is, the pod's processes may not be left alone.
                self._say(repr(error))
                pause = _RETRY
            if not self.done:
                self._wake.wait(pause)
                self._wake.clear()
        if self._gone:
            self._sandbox.remove()

    def _tick(self) -> bool:
        """One comparison. False when nothing is left to do."""
        if self._silent or self._gone:
            everything = [run for runs in (*self._runs.values(), list(self._hooks.values())) for run in runs]
            return not kill_all(everything)
        now = datetime.now(UTC)
        stop = stop_of(self.pod, self._window, now)
        if stop is not None or self._ending is not None:
            ended = self._end(stop, now)
        else:
            self._advance(now)
            ended = is_over(self.pod, self._view(ended=False)) and self._quiet()
        self._report(ended)
        if not ended:
            return True
        if "deletionTimestamp" in self.pod["metadata"]:
            self.finish_deletion()
        return False

    def _advance(self, now: datetime) -> None:
        """Starts whatever is due."""
        if not self._volumes(now):
            return
        for each in self.pod["spec"].get("initContainers", ()):
            last = self._last(each["name"])
            if last is None or last.exit_code != 0:
                self._start(each, now, init=True)
                return
        for each in self.pod["spec"]["containers"]:
            self._start(each, now, init=False)

    def _volumes(self, now: datetime) -> bool:
        due = self._prepared_at is None or now >= self._prepared_at + _REFRESH
        if not due or now < self._retry_at.get("", now):
            return self._prepared_at is not None
        try:
            self._sandbox.prepare(self._sources, self._tokens.token, self._allocatable)
        except ConfigError as error:
            self._retry_at[""] = now + timedelta(seconds=_RETRY)
            self._event("FailedMount", f"MountVolume.SetUp failed: {error}")
            return self._prepared_at is not None
        self._prepared_at = now
        return True

    def _start(self, container: Object, now: datetime, init: bool) -> None:
        name = container["name"]
        attempts = [run.attempt() for run in self._runs[name]]
        due = next_start(attempts, self.pod["spec"].get("restartPolicy", "Always"), init)
        if due is None or now < self._retry_at.get(name, now):
            return
        if now < due:
            message = f"back-off {int((due - now).total_seconds()) + 1}s restarting failed container={name}"
            self._waiting.setdefault(name, Waiting("CrashLoopBackOff", message))
            return
        self._warn(container)
        try:
            self._runs[name].append(self._sandbox.start(container, len(attempts), self._sources, self._allocatable))
        except ConfigError as error:
            self._waiting[name] = Waiting("CreateContainerConfigError" if container.get("command") else "CreateContainerError", str(error))
            self._retry_at[name] = now + timedelta(seconds=_RETRY)
            self._event("Failed", f"Error: {error}")
            return
        self._waiting.pop(name, None)

    def _end(self, stop: Stop | None, now: datetime) -> bool:
        """Ends what runs, by hook, SIGTERM and SIGKILL. True once nothing runs."""
        if self._ending is None:
            assert stop is not None  # noqa: S101 - the caller has looked
            self._ending = _Ending(stop, now)
        ending = self._ending
        if stop is not None and stop.grace < ending.stop.grace:
            # A second request may shorten the grace period, never lengthen it; why the pod ends was decided by the first.
            cause = Cause.SHUTDOWN if stop.cause is Cause.SHUTDOWN else ending.stop.cause
            ending.stop = Stop(cause, stop.grace)
        for name, runs in self._runs.items():
            if runs and runs[-1].attempt().exit_code is None:
                self._end_container(self._containers[name], runs[-1], ending, now)
        return self._quiet()

    def _end_container(self, container: Object, run: Run, ending: _Ending, now: datetime) -> None:
        name = container["name"]
        if now >= kill_at(ending.begun, ending.stop.grace, self._terminated.get(name)):
            run.kill()
            if name in self._hooks:
                self._hooks[name].kill()
            return
        if name in self._terminated:
            return
        hook = self._hook(container, run)
        if (hook is None or hook.attempt().exit_code is not None) and run.terminate():
            self._terminated[name] = ending.begun if hook is None else now

    def _hook(self, container: Object, run: Run) -> Run | None:
        name, handler = container["name"], container.get("lifecycle", {}).get("preStop", {})
        command = tuple(handler.get("exec", {}).get("command", ()))
        if "sleep" in handler:
            command = ("sleep", str(handler["sleep"]["seconds"]))
        if command and name not in self._hooks and run.attempt().started_at:
            self._hooks[name] = self._sandbox.start_hook(container, run.attempt().number, command)
        return self._hooks.get(name)

    def _report(self, ended: bool) -> None:
        status = pod_status(self.pod, self._view(ended))
        if status == self._reported:
            return
        self._api.patch(pod_path(self.pod, "status"), {"metadata": {"uid": self.pod["metadata"]["uid"]}, "status": status})
        self._reported, self._conditions = status, status["conditions"]

    def _view(self, ended: bool) -> PodView:
        attempts = {name: tuple(self._with_message(name, run.attempt(), len(runs)) for run in runs) for name, runs in self._runs.items()}
        cause = self._ending.stop.cause if self._ending else None
        ready = self._prepared_at is not None
        return PodView(attempts, self._started_at, kubernetes_now(), self._conditions, self._waiting, ready, cause, ended)

    def _with_message(self, name: str, attempt: Attempt, attempts: int) -> Attempt:
        reported = attempt.number >= attempts - 2  # the state and the last one before it
        if attempt.exit_code is None or attempt.message or not reported:
            return attempt
        return replace(attempt, message=self._sandbox.message(self._containers[name], attempt.number, attempt.exit_code != 0))

    def finish_deletion(self) -> None:
        """Lets the object of an ended pod go: with grace 0 it goes at once, or as soon as the last of its finalizers is taken off."""
        body = {"gracePeriodSeconds": 0, "preconditions": {"uid": self.pod["metadata"]["uid"]}}
        self._api.delete(pod_path(self.pod), body)

    def _api_says_gone(self) -> bool:
        try:
            found = self._api.get(pod_path(self.pod))
        except ApiError:
            return False
        return found is None or found["metadata"]["uid"] != self.pod["metadata"]["uid"]

    def _last(self, name: str) -> Attempt | None:
        return self._runs[name][-1].attempt() if self._runs[name] else None

    def _quiet(self) -> bool:
        return all(run.attempt().exit_code is not None for runs in self._runs.values() for run in runs[-1:])

    def _warn(self, container: Object) -> None:
        probes = [kind for kind in ("startupProbe", "readinessProbe", "livenessProbe") if container.get(kind)]
        if probes:
            self._event(
                "ProbesNotRun", f"Process nodes do not run {', '.join(probes)}; container {container['name']} is ready while it runs"
            )

    def _say(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)  # noqa: T201 - the part's log

    def _event(self, reason: str, message: str) -> None:
        if message in self._told:
            return
        self._told.add(message)
        metadata, now = self.pod["metadata"], kubernetes_now()
        about = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"]}
        event = {
            "metadata": {"generateName": f"{metadata['name']}.", "namespace": metadata["namespace"]},
            "involvedObject": about,
            "reason": reason,
            "message": message[:1024],
            "type": "Warning",
            "source": {"component": "kubelet", "host": self.pod["spec"].get("nodeName", "")},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        with suppress(ApiError):  # an event is worth a try and no more: a namespace that is being deleted takes none
            self._api.create(f"/api/v1/namespaces/{metadata['namespace']}/events", event)
