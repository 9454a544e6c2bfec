"""The autoscaler of the lab: a node for pods that wait, and away with nodes that nobody needs.

It follows GKE's in what can be seen from outside: the first pool that fits, limits, the zone policy, no node for pods of very low
priority or for those that the scheduler makes room for. It does not move pods together to free a node.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hybrid_pools.blueprint.model import LocationPolicy
from hybrid_pools.blueprint.vocabulary import HOSTNAME_LABEL, TOPOLOGY_BLOCK_LABEL, TOPOLOGY_HOST_LABEL, TOPOLOGY_SUBBLOCK_LABEL
from lab.nodes import manifests
from lab.nodes.amounts import Amounts, amounts, rest, total
from lab.nodes.matching import fits
from lab.nodes.objects import LabNode, Object, Pod
from lab.nodes.pools import NodePool
from lab.nodes.sizes import Sizes, may_grow, may_shrink

_OF_ONE_NODE = (HOSTNAME_LABEL, TOPOLOGY_BLOCK_LABEL, TOPOLOGY_SUBBLOCK_LABEL, TOPOLOGY_HOST_LABEL)
"""Labels whose values a node has only once it is there: a pod that asks for one waits for a certain node, not for any."""

_EXPENDABLE = -10
"""Pods of a lower priority bring no node (FAQ of the cluster autoscaler, expendable pods)."""


@dataclass
class Place:
    """A node, present or to come, that pods which wait are put on in thought.

    Attributes:
        node: Its name.
    """

    node: str
    labels: Mapping[str, str]
    taints: Sequence[Object]
    free: Amounts

    def takes(self, pod: Pod) -> bool:
        """Whether the pod fits; then it has its part of the place."""
        if not fits(pod, self.node, self.labels, self.taints, self.free):
            return False
        self.free = rest(self.free, pod.requests)
        return True


def waiting(pods: Iterable[Pod]) -> list[Pod]:
    """Pods that a node may be made for, in the order in which the scheduler takes them."""
    wanted = [pod for pod in pods if pod.waiting and pod.active and not pod.deleting and pod.priority >= _EXPENDABLE]
    return sorted(wanted, key=lambda pod: (-pod.priority, pod.created, pod.namespace, pod.name))


def place_of(node: LabNode, pods: Iterable[Pod], pool: NodePool | None) -> Place:
    """A node that is there, less what its pods have. One that is not ready yet counts as it will be."""
    taints: Sequence[Object] = manifests.taints(pool) if pool and not node.ready else node.taints
    return Place(node.name, node.labels, taints, rest(node.allocatable, total(pod.requests for pod in pods if pod.active)))


class Templates:
    """What nodes to come will be like, made once for each zone of a pool."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Place] = {}

    def place(self, pool: NodePool, zone: str, name: str) -> Place:
        """A node that is still to be made.

        Args:
            pool: Its pool.
            zone: Its zone.
            name: By which the place is known.
        """
        key = (pool.id, zone)
        if key not in self._known:
            node = manifests.node(pool, zone, 0, process=False)
            labels = {label: value for label, value in node["metadata"]["labels"].items() if label not in _OF_ONE_NODE}
            self._known[key] = Place("", labels, node["spec"]["taints"], amounts(node["status"]["allocatable"]))
        return replace(self._known[key], node=name)


def grown(
    pools: Sequence[NodePool], sizes: Mapping[str, Sizes], places: Iterable[Place], pods: Iterable[Pod], templates: Templates
) -> tuple[dict[str, Sizes], frozenset[str]]:
    """Sizes with nodes added for pods that fit nowhere, and the names of the places that pods wait for.

    Args:
        pools: In the order in which they are tried.
        sizes: By identifier of the pool.
        places: Nodes that are there or asked for, that pods may still be put on.
        pods: All pods.
        templates: What nodes to come will be like.
    """
    result, needed, open_places = dict(sizes), set[str](), list(places)
    names = {place.node for place in open_places}
    # Places only fill up, so what a pod of a kind has found full is full for every later pod of that kind.
    passed: dict[str, int] = defaultdict(int)
    for pod in waiting(pods):
        if pod.nominated in names:
            needed.add(pod.nominated)
            continue
        kind = _kind(pod)
        while passed[kind] < len(open_places) and not open_places[passed[kind]].takes(pod):
            passed[kind] += 1
        found = open_places[passed[kind]] if passed[kind] < len(open_places) else None
        if found is None:
            chosen = _choice(pools, result, pod, templates)
            if chosen is None:
                continue
            pool, zone = chosen
            result[pool.id] = result[pool.id].moved(zone, 1)
            found = templates.place(pool, zone, f"{pool.id}/{zone}/{result[pool.id].zones[zone]}")
            found.takes(pod)
            open_places.append(found)
        needed.add(found.node)
    return result, frozenset(needed)


def shrunk(pool: NodePool, sizes: Sizes, idle: Sequence[tuple[str, str]]) -> tuple[Sizes, tuple[str, ...]]:
    """Sizes without the idle nodes that the limits let go, and the names of those.

    Args:
        pool: The pool.
        sizes: Its sizes.
        idle: Zone and name of each node that nobody needs, the first to go first.
    """
    gone = []
    for zone, name in idle:
        if may_shrink(pool, sizes, zone):
            sizes = sizes.moved(zone, -1)
            gone.append(name)
    return sizes, tuple(gone)


def _kind(pod: Pod) -> str:
    """The same for all pods that fit the same places."""
    deciding = (pod.requests, *(pod.spec.get(part) for part in ("nodeSelector", "affinity", "tolerations")))
    return json.dumps(deciding, sort_keys=True)


def _choice(pools: Sequence[NodePool], sizes: Mapping[str, Sizes], pod: Pod, templates: Templates) -> tuple[NodePool, str] | None:
    for pool in pools:
        zones = [zone for zone in pool.zones if pool.in_stock and may_grow(pool, sizes[pool.id], zone)]
        fitting = [zone for zone in zones if templates.place(pool, zone, "").takes(pod)]
        if fitting:
            balanced = pool.location_policy is LocationPolicy.BALANCED
            return pool, min(fitting, key=lambda zone: sizes[pool.id].zones[zone]) if balanced else fitting[0]
    return None
