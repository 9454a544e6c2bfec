"""What is to be done about nodes now: a pure function of the pools, the nodes, the pods and the time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from lab.nodes.autoscaler import Place, Templates, grown, place_of, shrunk
from lab.nodes.manifests import node_name
from lab.nodes.objects import LabNode, Pod
from lab.nodes.pools import NodePool
from lab.nodes.sizes import Sizes, followed

_PROVISIONING_SECONDS = 900
"""After which a node that never got ready is not waited for any more (`max-node-provision-time` of the cluster autoscaler)."""


@dataclass(frozen=True)
class World:
    """What there is.

    Attributes:
        pools: The stand-in's, in the order in which the autoscaler tries them.
        nodes: Those that belong to pools, also to pools that are gone.
        pods: All pods of the cluster.
        sizes: What was known of the pools' sizes, by identifier.
        idle_since: Since when nobody needs a node, by its name; in seconds like `now`.
        now: The time.
        idle_seconds: How long a node may be idle before the autoscaler removes it.
    """

    pools: tuple[NodePool, ...]
    nodes: tuple[LabNode, ...]
    pods: tuple[Pod, ...]
    sizes: Mapping[str, Sizes]
    idle_since: Mapping[str, float]
    now: float
    idle_seconds: float


@dataclass(frozen=True)
class NewNode:
    """A node to be made: the place of a zone of a pool."""

    pool: NodePool
    zone: str
    index: int

    @property
    def name(self) -> str:
        """Name of the node."""
        return node_name(self.pool.id, self.zone, self.index)


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes:
        sizes: By identifier of the pool; to be remembered before anything else is done.
        idle_since: As in `World`.
        create: Nodes to be made.
        drain: Names of nodes to be emptied and removed.
    """

    sizes: Mapping[str, Sizes]
    idle_since: Mapping[str, float]
    create: tuple[NewNode, ...]
    drain: tuple[str, ...]


@dataclass
class _Zones:
    """Nodes of one pool by zone."""

    present: dict[str, list[LabNode]] = field(default_factory=lambda: defaultdict(list))

    def lasting(self, zone: str) -> list[LabNode]:
        """Nodes that count: a stopped one does, since its machine is made again."""
        return [node for node in self.present[zone] if node.draining_since is None]


def plan(world: World) -> Plan:
    """Decides."""
    pools = {pool.id: pool for pool in world.pools}
    zones: dict[str, _Zones] = defaultdict(_Zones)
    for node in world.nodes:
        zones[node.pool].present[node.zone].append(node)
    pods: dict[str, list[Pod]] = defaultdict(list)
    for pod in world.pods:
        if pod.node:
            pods[pod.node].append(pod)

    sizes = {pool.id: followed(pool, world.sizes.get(pool.id)) for pool in world.pools}
    missing = {pool.id: _missing(pool, sizes[pool.id], zones[pool.id], pods) for pool in world.pools}
    templates = Templates()
    places = [*_present_places(world, pools, pods), *_places_to_come(world.pools, missing, templates)]
    sizes, needed = grown(world.pools, sizes, places, world.pods, templates)

    idle_since = _idle(world, pools, missing, pods, needed)
    present = {node.name for node in world.nodes}
    drained: list[str] = []
    for pool in world.pools:
        ripe = _ripe(pool, world, zones[pool.id], missing[pool.id], idle_since)
        sizes[pool.id], gone = shrunk(pool, sizes[pool.id], ripe)
        drained += [name for name in gone if name in present]
    drained += _surplus(pools, sizes, zones, pods, frozenset(drained))
    create = [new for pool in world.pools if pool.in_stock for new in _new(pool, sizes[pool.id], zones[pool.id], pods)]
    return Plan(sizes, idle_since, tuple(create), tuple(drained))


def _present_places(world: World, pools: Mapping[str, NodePool], pods: Mapping[str, Sequence[Pod]]) -> Iterable[Place]:
    for node in world.nodes:
        coming = not node.ready and world.now - node.created < _PROVISIONING_SECONDS
        if node.lasting and not node.cordoned and (node.ready or coming):
            yield place_of(node, pods.get(node.name, ()), pools.get(node.pool))


def _places_to_come(pools: Iterable[NodePool], missing: Mapping[str, Sequence[tuple[str, str]]], templates: Templates) -> Iterable[Place]:
    for pool in pools:
        # What is not in stock is not waited for: its pods may go to another pool.
        if pool.in_stock:
            yield from (templates.place(pool, zone, name) for zone, name in missing[pool.id])


def _missing(pool: NodePool, sizes: Sizes, zones: _Zones, pods: Mapping[str, Sequence[Pod]]) -> list[tuple[str, str]]:
    """Zone and name of the nodes that were asked for and are not there, or are about to go and come back."""
    found = []
    for zone, size in sizes.zones.items():
        coming = [node.name for node in zones.lasting(zone) if node.stop]
        wanted = size - len(zones.lasting(zone))
        found += [(zone, name) for name in (*coming, *_free_names(pool, zone, max(0, wanted), zones, pods))]
    return found


def _free_names(pool: NodePool, zone: str, wanted: int, zones: _Zones, pods: Mapping[str, Sequence[Pod]]) -> list[str]:
    return [node_name(pool.id, zone, index) for index in _free_places(pool, zone, wanted, zones, pods)]


def _free_places(pool: NodePool, zone: str, wanted: int, zones: _Zones, pods: Mapping[str, Sequence[Pod]]) -> list[int]:
    """The first places of a zone that no node has, and no pod of a node that is gone and that Kubernetes still has to clear away."""
    taken = {node.name for node in zones.present[zone]}
    found: list[int] = []
    for index in count():
        if len(found) >= wanted:
            return found
        name = node_name(pool.id, zone, index)
        if name not in taken and not any(pod.active for pod in pods.get(name, ())):
            found.append(index)
    return found


def _idle(
    world: World,
    pools: Mapping[str, NodePool],
    missing: Mapping[str, Sequence[tuple[str, str]]],
    pods: Mapping[str, Sequence[Pod]],
    needed: frozenset[str],
) -> dict[str, float]:
    """Since when nobody needs a node, also one that has not come."""
    candidates = [node.name for node in world.nodes if node.lasting and node.pool in pools and node.ready and not node.kept]
    candidates += [name for found in missing.values() for _, name in found]
    unused = (name for name in candidates if name not in needed and not any(pod.active and not pod.tied for pod in pods.get(name, ())))
    return {name: world.idle_since.get(name, world.now) for name in unused}


def _ripe(
    pool: NodePool, world: World, zones: _Zones, missing: Sequence[tuple[str, str]], idle_since: Mapping[str, float]
) -> list[tuple[str, str]]:
    """Zone and name of the nodes that have been idle for long enough: what has not come first, then the longest idle."""
    absent = {name for _, name in missing}
    known = [*missing, *((node.zone, node.name) for zone in pool.zones for node in zones.lasting(zone) if node.name not in absent)]
    ripe = [(zone, name) for zone, name in known if world.now - idle_since.get(name, world.now) >= world.idle_seconds]
    return sorted(ripe, key=lambda entry: (entry[1] not in absent, idle_since[entry[1]], entry[1]))


def _surplus(
    pools: Mapping[str, NodePool],
    sizes: Mapping[str, Sizes],
    zones: Mapping[str, _Zones],
    pods: Mapping[str, Sequence[Pod]],
    drained: frozenset[str],
) -> list[str]:
    """Names of nodes beyond what their zone is to have: those with the fewest pods first, of them the newest."""

    def cost(node: LabNode) -> tuple[bool, int, float, str]:
        return not node.stop, sum(pod.active and not pod.tied for pod in pods.get(node.name, ())), -node.created, node.name

    found: list[str] = []
    for pool_id, of_pool in zones.items():
        for zone in list(of_pool.present):
            staying = [node for node in of_pool.lasting(zone) if node.name not in drained]
            size = sizes[pool_id].zones.get(zone, 0) if pool_id in pools else 0
            found += [node.name for node in sorted(staying, key=cost)[: max(0, len(staying) - size)]]
    return found


def _new(pool: NodePool, sizes: Sizes, zones: _Zones, pods: Mapping[str, Sequence[Pod]]) -> Iterable[NewNode]:
    """Nodes to be made. A node that is being removed still counts, so that no zone has more machines than it may."""
    for zone, size in sizes.zones.items():
        wanted = size - len(zones.present[zone])
        yield from (NewNode(pool, zone, index) for index in _free_places(pool, zone, max(0, wanted), zones, pods))
