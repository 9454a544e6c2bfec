"""Looks at the pools, the nodes and the pods again and again, and does what the plan says.

Nothing is kept between two looks but how long nodes have been idle: a part that was killed goes on where it stopped.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from lab.cluster.files import ClusterFiles
from lab.errors import LabError
from lab.google.store import Store
from lab.nodes import manifests
from lab.nodes.api import Api
from lab.nodes.objects import LabNode, Pod, lab_node, pod
from lab.nodes.plan import NewNode, World, plan
from lab.nodes.pools import NodePool, read_pools
from lab.nodes.settings import NodeSettings, read_settings
from lab.nodes.stopping import Duty, Ending, ending
from lab.paths import Lab

_PERIOD = 1.0  # seconds between two looks
_SHARE, _LONGEST = 4, 5.0  # a rest is so many times as long as the look before, so that a thousand nodes keep no core busy; in seconds
_CALLS = 8  # calls at once
_DRAIN_SECONDS = 3600
"""How long GKE respects disruption budgets when it removes a node (GKE documentation, node upgrades and deletions)."""

_log = logging.getLogger(__name__)

Work = TypeVar("Work")


@dataclass
class Nodes:
    """The nodes of one lab.

    Attributes:
        lab: Where its files are.
        store: The stand-in's resources.
    """

    lab: Lab
    store: Store
    _idle_since: Mapping[str, float] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def run(self, stop: threading.Event) -> None:
        """Works until it is told to stop. The API server may be away for a while."""
        while not stop.is_set():
            started = time.monotonic()
            try:
                self._serve(stop)
            except (ApiException, HTTPError, OSError, LabError) as error:
                self._say(f"No work is done: {error.body if isinstance(error, ApiException) else error}")
                stop.wait(max(_PERIOD, time.monotonic() - started))

    def _serve(self, stop: threading.Event) -> None:
        api = Api(ClusterFiles(self.lab.directory).kubeconfig)
        try:
            while not stop.is_set():
                started = time.monotonic()
                self.look(api)
                stop.wait(min(_LONGEST, max(_PERIOD, _SHARE * (time.monotonic() - started))))
        finally:
            api.close()

    def look(self, api: Api) -> None:
        """Looks once and does what is to be done."""
        settings = read_settings(self.lab.nodes)
        read = read_pools(self.store)
        for problem in read.problems:
            self._say(problem)
        nodes = tuple(node for node in map(lab_node, api.nodes()) if node is not None)
        pods = tuple(map(pod, api.pods()))
        known, now = api.sizes(), time.time()
        decided = plan(World(read.pools, nodes, pods, known, self._idle_since, now, settings.idle_seconds))
        self._idle_since = decided.idle_since
        if decided.sizes != known:
            api.remember(decided.sizes)
        at = _Moment(api, settings, {pool.id: pool for pool in read.pools}, _by_node(pods), now)
        present = {node.name: node for node in nodes}
        _all(lambda new: _create(at, new), decided.create)
        _all(lambda name: _drain(at, present[name]), decided.drain)
        _all(lambda node: _go_on(at, node), [node for node in nodes if not node.stop and node.name not in decided.drain])
        _all(lambda node: _end(at, node), [node for node in nodes if node.stop])

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            _log.warning("%s", message)


@dataclass(frozen=True)
class _Moment:
    api: Api
    settings: NodeSettings
    pools: Mapping[str, NodePool]
    pods: Mapping[str, Sequence[Pod]]
    now: float

    def staying(self, node: LabNode) -> list[Pod]:
        """Pods that keep a node from being removed."""
        return [pod for pod in self.pods.get(node.name, ()) if pod.active and not pod.tied]


def _by_node(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    found: dict[str, list[Pod]] = defaultdict(list)
    for one in pods:
        if one.node:
            found[one.node].append(one)
    return found


def _all(do: Callable[[Work], None], work: Iterable[Work]) -> None:
    """Does it for each, some at once. What is refused about one keeps nobody else waiting.

    Raises:
        ApiException: The first refusal, after everything else is done.
    """
    items = list(work)
    if not items:
        return
    with ThreadPoolExecutor(max_workers=min(_CALLS, len(items))) as pool:
        done = [pool.submit(do, item) for item in items]
    for one in done:
        one.result()


def _create(at: _Moment, new: NewNode) -> None:
    at.api.create(manifests.node(new.pool, new.zone, new.index, at.settings.runs_processes(new.pool)))
    _log.info("%s is made in %s", new.name, new.zone)


def _drain(at: _Moment, node: LabNode) -> None:
    at.api.drain(node, at.now)
    _log.info("%s is being removed", node.name)


def _go_on(at: _Moment, node: LabNode) -> None:
    """Removes a node that has been emptied, goes on emptying it, or keeps its labels and taints as its pool says."""
    if node.draining_since is None:
        _describe(at, node)
        return
    staying = at.staying(node)
    if not staying:
        at.api.remove(node)
        _log.info("%s is removed", node.name)
    for one in staying:
        if one.deleting:
            continue
        if at.now - node.draining_since < _DRAIN_SECONDS:
            at.api.evict(one)
        else:
            at.api.delete_pod(one)


def _describe(at: _Moment, node: LabNode) -> None:
    pool = at.pools.get(node.pool)
    change = manifests.in_place(node, pool) if pool else None
    if pool and change:
        at.api.change(node, change, manifests.applied(pool))
        _log.info("%s has the labels and taints that its pool has now", node.name)


def _end(at: _Moment, node: LabNode) -> None:
    on_it = at.pods.get(node.name, ())
    decided = ending(node, on_it, at.pools.get(node.pool), at.now, at.settings.repair_seconds)
    for one in decided.pods:
        at.api.terminate(one)
    _DUTIES[decided.duty](at, decided)


def _shut_down(at: _Moment, decided: Ending) -> None:
    at.api.silence(decided.node)
    at.api.shut_down(decided.node)
    _log.info("%s shuts down", decided.node.name)


def _fall_silent(at: _Moment, decided: Ending) -> None:
    at.api.silence(decided.node)


def _remove(at: _Moment, decided: Ending) -> None:
    at.api.remove(decided.node)
    _log.info("%s is gone", decided.node.name)


def _wait(_at: _Moment, _decided: Ending) -> None:
    return


_DUTIES: dict[Duty, Callable[[_Moment, Ending], None]] = {
    Duty.SHUT_DOWN: _shut_down,
    Duty.FALL_SILENT: _fall_silent,
    Duty.REMOVE: _remove,
    Duty.WAIT: _wait,
}
