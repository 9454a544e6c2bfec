"""Serves all process nodes of a lab: finds them, and ends what nobody answers for."""

import fcntl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from lab.cluster.files import ClusterFiles
from lab.cluster.ports import read_ports
from lab.errors import LabError
from lab.kubelet import leftovers, marks, mounts
from lab.kubelet.api import Api, ApiError
from lab.kubelet.node import NodeAgent
from lab.kubelet.sandbox import Machine
from lab.storage.emulator import address as storage_address
from lab.storage.part import PORT as STORAGE_PORT

_SWEEP: Final = 20.0  # seconds between two looks at what is left behind
_LOCK_PATIENCE: Final = 3.0  # seconds; shims hold the lock for a moment when they look whether a kubelet lives
_TICK: Final = 0.05
_JOIN: Final = 3.0  # seconds for all workers to see that they are to stop: none may start anything after the last look


def machine_of(lab: Path, server: str) -> Machine:
    """What the pods of a lab share, for an API server at this address."""
    address, files = urlsplit(server), ClusterFiles(lab)
    port = read_ports(files.ports).get(STORAGE_PORT)
    storage = storage_address(port) if port else ""
    return Machine(lab / "kubelet", address.hostname or "", str(address.port), files.ca, mounts.supported(), storage)


class Kubelet:
    """The kubelet of one lab.

    Args:
        api: To find nodes and leftovers.
        node_api: For a node by its name, with the rights that a node has and no others.
        machine: Where pods run.
    """

    def __init__(self, api: Api, node_api: Callable[[str], Api], machine: Machine) -> None:
        self._api = api
        self._node_api = node_api
        self._machine = machine
        self._agents: dict[str, NodeAgent] = {}
        self._known = threading.Event()
        self._stop = threading.Event()

    def serve(self, stop: threading.Event) -> None:
        """Serves until `stop` is set; then ends the processes of all pods and reports none of it, as when a machine is turned off.

        Raises:
            LabError: Another kubelet serves this lab.
        """
        for directory in (self._machine.pods, self._machine.logs, self._machine.bin):
            directory.mkdir(parents=True, exist_ok=True)
        with self._alone():
            threading.Thread(target=self._watch, daemon=True, name="nodes").start()
            while not stop.wait(_TICK):
                if self._known.is_set():
                    self._sweep()
                    stop.wait(_SWEEP)
            self._stop.set()
            agents = tuple(self._agents.values())
            for agent in agents:
                agent.cut()
            give_up = time.monotonic() + _JOIN
            for agent in agents:
                agent.join(give_up)
            leftovers.end_pods(self._machine.pods.iterdir())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        give_up = time.monotonic() + _LOCK_PATIENCE
        with self._machine.lock.open("w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > give_up:
                        raise LabError("Another kubelet serves this lab already. End it first: python -m lab stop") from None
                    time.sleep(_TICK)
            yield

    def _watch(self) -> None:
        selectors = {"labelSelector": f"{marks.LAB_NODE_LABEL}={marks.PROCESS}"}
        for kind, found in self._api.follow("/api/v1/nodes", selectors, self._stop):
            if kind == "SYNC":
                present = {node["metadata"]["uid"]: node for node in found}
                for uid in set(self._agents) - set(present):
                    self._agents.pop(uid).cut()
                for node in present.values():
                    self._take(node)
                self._known.set()
            elif kind == "DELETED":
                if agent := self._agents.pop(found["metadata"]["uid"], None):
                    agent.cut()
            else:
                self._take(found)

    def _take(self, node: dict[str, Any]) -> None:
        uid = node["metadata"]["uid"]
        if uid in self._agents:
            self._agents[uid].update(node)
        else:
            self._agents[uid] = NodeAgent(self._node_api(node["metadata"]["name"]), self._machine, node)
            self._agents[uid].start()

    def _sweep(self) -> None:
        """Ends pods that are left on this machine and that the API server does not know, or not on a node that is served here."""
        served = {agent.name for agent in tuple(self._agents.values()) if not agent.gone}
        for folder in self._machine.pods.iterdir():
            left = leftovers.whose(folder)
            try:
                pod = self._api.get(f"/api/v1/namespaces/{left['namespace']}/pods/{left['name']}") if left else None
            except ApiError:
                return
            if left and (pod is None or pod["metadata"]["uid"] != left["uid"] or pod["spec"].get("nodeName") not in served):
                leftovers.remove_pod(folder)
        leftovers.prune_logs(self._machine.logs)
