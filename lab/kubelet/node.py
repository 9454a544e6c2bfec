"""One process node: its heartbeat, the pods that are bound to it, and the ways in which its machine ends."""

import sys
import threading
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from lab.kubelet import marks
from lab.kubelet.api import Api, ApiError, pod_path
from lab.kubelet.lifecycle import is_critical, shutdown_windows
from lab.kubelet.sandbox import Machine
from lab.kubelet.shim import now
from lab.kubelet.status import ADDRESS, refused_status
from lab.kubelet.worker import PodWorker

_HEARTBEAT: Final = 5.0  # seconds between two renewals; the lease holds for eight
_LEASE_SECONDS: Final = 40
_RETRY: Final = 0.5
_REPORTING: Final = 5.0  # seconds after a shutdown window in which what was killed is still reported
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
_TERMINAL: Final = ("Succeeded", "Failed")
_NOT_ADMITTED: Final = "Pod was rejected as the node is shutting down."

Object = Mapping[str, Any]


class NodeAgent:
    """The kubelet of one Node object; a node that comes back under the same name is another one."""

    def __init__(self, api: Api, machine: Machine, node: Object) -> None:
        self.name = str(node["metadata"]["name"])
        self.uid = str(node["metadata"]["uid"])
        self._node = node
        self._api = api
        self._machine = machine
        self._workers: dict[str, PodWorker] = {}
        self._lock = threading.Lock()
        self._stopping = ""
        self._synchronized = threading.Event()
        self._off = threading.Event()
        self._beat = threading.Event()

    def start(self) -> None:
        """Begins to serve the node."""
        self.update(self._node)
        for work in (self._watch, self._live):
            threading.Thread(target=work, daemon=True, name=f"{work.__name__}-{self.name}").start()

    def update(self, node: Object) -> None:
        """The Node object has changed."""
        self._node = node
        stop = node["metadata"].get("annotations", {}).get(marks.STOP_ANNOTATION, "")
        if stop == marks.HARD:
            self.cut()
        elif stop == marks.PREEMPT and not self._stopping:
            self._stopping = stop
            threading.Thread(target=self._shut_down, daemon=True, name=f"shutdown-{self.name}").start()
        self._beat.set()

    @property
    def gone(self) -> bool:
        """Whether its machine is gone."""
        return self._off.is_set()

    def cut(self) -> None:
        """The machine is gone: processes are killed, the lease is renewed no more, nothing is reported."""
        with self._lock:
            self._off.set()
            workers = list(self._workers.values())
        for worker in workers:
            worker.cut()
        self._beat.set()

    def join(self, give_up: float) -> None:
        """Waits until no worker does anything any more, until that time of the monotonic clock at most."""
        _join(tuple(self._workers.values()), give_up)

    def _watch(self) -> None:
        selectors = {"fieldSelector": f"spec.nodeName={self.name}"}
        for kind, found in self._api.follow("/api/v1/pods", selectors, self._off):
            if self._off.is_set():
                return
            if kind == "SYNC":
                self._synchronize(found)
            elif kind == "DELETED":
                self._forget(found["metadata"]["uid"])
            else:
                self._take(found)

    def _synchronize(self, pods: Iterable[Object]) -> None:
        present = {pod["metadata"]["uid"]: pod for pod in pods}
        for uid in set(self._workers) - set(present):
            self._forget(uid)
        for pod in present.values():
            self._take(pod)
        self._synchronized.set()

    def _take(self, pod: Object) -> None:
        uid, terminal = pod["metadata"]["uid"], pod.get("status", {}).get("phase") in _TERMINAL
        try:
            with self._lock:
                worker = self._workers.get(uid)
                if worker is None and not terminal and not self._off.is_set():
                    self._admit(pod)
                    return
            if worker is not None and not worker.done:
                worker.update(pod)
            elif worker is not None and "deletionTimestamp" in pod["metadata"]:
                worker.finish_deletion()
        except ApiError as error:
            _say(f"{self.name}: {error}")

    def _admit(self, pod: Object) -> None:
        begun = (self._machine.pods / pod["metadata"]["uid"]).exists()
        if self._stopping and not begun:
            status = refused_status("NodeShutdown", _NOT_ADMITTED, now())
            self._api.patch(pod_path(pod, "status"), {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status})
            return
        worker = PodWorker(self._api, self._machine, pod, self._node["status"].get("allocatable", {}))
        self._workers[pod["metadata"]["uid"]] = worker
        worker.start()

    def _forget(self, uid: str) -> None:
        with self._lock:
            worker = self._workers.pop(uid, None)
        if worker is not None:
            worker.forget()

    def _live(self) -> None:
        reported: list[dict[str, Any]] = []
        while not self._off.is_set():
            try:
                self._renew()
                conditions = self._conditions()
                if conditions != reported:
                    self._report(conditions)
                    reported = conditions
                pause = _HEARTBEAT
            except ApiError as error:
                _say(f"{self.name}: {error}")
                reported, pause = [], _RETRY
            self._beat.wait(pause)
            self._beat.clear()

    def _conditions(self) -> list[dict[str, Any]]:
        ready = (
            ("False", "KubeletNotReady", marks.SHUTTING_DOWN)
            if self._stopping
            else ("True", "KubeletReady", "kubelet is posting ready status")
        )
        pressures = {"MemoryPressure": "Memory", "DiskPressure": "Disk", "PIDPressure": "PID"}
        sufficient = [(kind, "False", f"KubeletHasSufficient{what}", "not measured") for kind, what in pressures.items()]
        return [
            {"type": kind, "status": status, "reason": reason, "message": said}
            for kind, status, reason, said in (*sufficient, ("Ready", *ready))
        ]

    def _report(self, conditions: list[dict[str, Any]]) -> None:
        known = {each["type"]: each["status"] for each in self._node["status"].get("conditions", ())}
        time_ = now()
        said = [
            {**each, "lastHeartbeatTime": time_, **({} if known.get(each["type"]) == each["status"] else {"lastTransitionTime": time_})}
            for each in conditions
        ]
        addresses = [{"type": "InternalIP", "address": ADDRESS}, {"type": "Hostname", "address": self.name}]
        self._api.patch(
            f"/api/v1/nodes/{self.name}/status", {"metadata": {"uid": self.uid}, "status": {"conditions": said, "addresses": addresses}}
        )

    def _renew(self) -> None:
        time_ = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        owner = {"apiVersion": "v1", "kind": "Node", "name": self.name, "uid": self.uid}
        lease = {
            "metadata": {"name": self.name, "namespace": "kube-node-lease", "ownerReferences": [owner]},
            "spec": {"holderIdentity": self.name, "leaseDurationSeconds": _LEASE_SECONDS, "renewTime": time_},
        }
        try:
            self._api.patch(f"{_LEASES}/{self.name}", lease)
        except ApiError as error:
            if error.status != 404:
                raise
            self._api.create(_LEASES, lease)

    def _shut_down(self) -> None:
        """Gives ordinary pods their part of the window, then critical ones theirs; then the machine is gone."""
        self._synchronized.wait(_REPORTING)  # a kubelet that has just come back does not know its pods yet
        annotations = self._node["metadata"].get("annotations", {})
        total = int(annotations.get(marks.SHUTDOWN_GRACE_ANNOTATION, marks.SHUTDOWN_GRACE))
        critical = int(annotations.get(marks.SHUTDOWN_GRACE_CRITICAL_ANNOTATION, marks.SHUTDOWN_GRACE_CRITICAL))
        for window, critical_ones in zip(shutdown_windows(total, critical), (False, True), strict=True):
            with self._lock:
                part = [worker for worker in self._workers.values() if is_critical(worker.pod) is critical_ones]
            for worker in part:
                worker.shut_down(window)
            _join(part, time.monotonic() + window + _REPORTING)
        self.cut()


def _join(workers: Iterable[PodWorker], give_up: float) -> None:
    for worker in workers:
        worker.join(max(0.0, give_up - time.monotonic()))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - the part's log
