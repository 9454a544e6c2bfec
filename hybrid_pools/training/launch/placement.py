"""Where the pods of a run may be, in which order, and why not elsewhere.

Kueue looks at quota alone: it would send a worker with four GPUs to nodes that have two, where it waits for ever. So what can never be is
worked out here, and kept away by a selector.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hybrid_pools.blueprint.contract import Contract, PoolContract
from hybrid_pools.blueprint.contract.queues import FlavorContract, TeamQueueContract
from hybrid_pools.blueprint.model.queues import Resources
from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, ARM_TAINT, Role
from hybrid_pools.training.launch.room import most_by_quota, node_room, nodes_for_queues, pools_of


@dataclass(frozen=True)
class PodSet:
    """Pods that are alike, as the queue sees them.

    Attributes:
        name: What people call one of them.
        each: What one of them asks for.
        count: How many, all at once.
        disk_gib: What one of them needs of its node's disk.
        stop_seconds: From the signal to the end of the last save with its margin; 0 where nothing is saved.
        role: The only role that will do, or None.
        accelerator: The only accelerator that will do, or None.
        flavor: The only flavor that will do, or None.
    """

    name: str
    each: Resources
    count: int
    disk_gib: int = 0
    stop_seconds: int = 0
    role: Role | None = None
    accelerator: str | None = None
    flavor: str | None = None


@dataclass(frozen=True)
class Place:
    """One flavor of a queue's order, for one set of pods.

    Attributes:
        flavor: Its name.
        pools: Its pools on whose nodes such a pod has room.
        node_pools: Their physical names.
        pods_per_node: Most of these pods on one node.
        grace_seconds: What a pod has there between the signal and its end.
        compact: Whether its nodes are kept close together, for pods that ask for it.
        never: Why these pods can never be there, whatever is free; None where they can.
        short: Why the team's quota is not enough, even while everybody else is idle; None where it is.
    """

    flavor: str
    role: Role
    pools: tuple[str, ...]
    node_pools: tuple[str, ...]
    pods_per_node: int
    grace_seconds: int
    compact: bool
    never: str | None
    short: str | None

    @property
    def fits(self) -> bool:
        """Whether the pods may be there one day."""
        return self.never is None and self.short is None


def places(contract: Contract, queue: TeamQueueContract, pods: PodSet, taken: Mapping[str, Resources]) -> tuple[Place, ...]:
    """Every flavor that the queue tries, in its order.

    Args:
        taken: What other pods of the run have of the quota by then, by flavor.
    """
    flavors = {flavor.name: flavor for flavor in contract.flavors}
    ordered = [flavors[quota.flavor] for quota in queue.quotas]
    compact = _is_compact(ordered, pods)
    found = []
    for flavor in ordered:
        most, other = most_by_quota(contract, queue, flavor), taken.get(flavor.name, Resources())
        left = Resources(most.cpu - other.cpu, most.memory - other.memory, most.gpus - other.gpus)
        found.append(_place(contract, flavor, pods, left, compact=compact))
    return tuple(found)


def grace_seconds(contract: Contract, flavor: FlavorContract) -> int:
    """What a pod has between the signal and its end: what the node leaves, and on the buffer what the schedule leaves if that is less."""
    if flavor.role is Role.BUFFER and contract.schedule is not None:
        return min(flavor.usable_grace_seconds, contract.schedule.drain_minutes * 60)
    return flavor.usable_grace_seconds


def _is_compact(ordered: list[FlavorContract], pods: PodSet) -> bool:
    """Whether the pods ask for nodes close together: Kueue gives such flavors to who asks, and to nobody else."""
    return any(flavor.topology and flavor.name == pods.flavor for flavor in ordered) or all(flavor.topology for flavor in ordered)


def _place(contract: Contract, flavor: FlavorContract, pods: PodSet, most: Resources, *, compact: bool) -> Place:
    holding = {pool.name: _per_node(pool, pods) for pool in pools_of(contract, flavor)}
    fitting = [pool for pool in pools_of(contract, flavor) if holding[pool.name]]
    never = _unwanted(flavor, pods, compact=compact) or next(_misfits(contract, flavor, pods, holding), None)
    return Place(
        flavor=flavor.name,
        role=flavor.role,
        pools=tuple(pool.name for pool in fitting),
        node_pools=tuple(pool.node_pool for pool in fitting),
        pods_per_node=max(holding.values(), default=0),
        grace_seconds=grace_seconds(contract, flavor),
        compact=flavor.topology,
        never=never,
        short=_short(most, pods),
    )


def _unwanted(flavor: FlavorContract, pods: PodSet, *, compact: bool) -> str | None:
    if pods.flavor is not None and flavor.name != pods.flavor:
        return f"only {pods.flavor} is asked for"
    if pods.role is not None and flavor.role is not pods.role:
        return f"is {flavor.role}, and the {pods.name} must be on {pods.role} nodes"
    found = flavor.selector.get(ACCELERATOR_LABEL)
    if pods.accelerator is not None and found != pods.accelerator:
        return f"has {found or 'no GPU'}, and {pods.accelerator} is asked for"
    if pods.flavor is None and any((each.key, each.value) == (ARM_TAINT.key, ARM_TAINT.value) for each in flavor.tolerations):
        return "has Arm nodes, on which most images do not run; name it as the flavor if this one does"
    if flavor.topology and not compact:
        return "keeps its nodes close together for jobs that name it as their flavor"
    if compact and not flavor.topology:
        return "does not keep its nodes close together"
    return None


def _misfits(contract: Contract, flavor: FlavorContract, pods: PodSet, holding: dict[str, int]) -> Iterator[str]:
    pools = pools_of(contract, flavor)
    shared = [pool for pool in pools if pool.accelerator is not None and pool.accelerator.sharing is not None]
    if shared and pods.each.gpus > 1:
        yield f"shares its GPUs between pods, each of which may ask for one share, and a {pods.name} asks for {pods.each.gpus}"
    if not any(holding.values()):
        yield from (_too_large(pool, pods) for pool in pools[:1])
    most = sum(holding[pool.name] * nodes_for_queues(contract, pool) for pool in pools)
    if most < pods.count:
        yield f"has room for {most} of them when it is as large as it may be, and {pods.count} are needed at once"
    grace = grace_seconds(contract, flavor)
    if pods.stop_seconds > grace:
        yield f"leaves {grace} s from the signal to the end, and a last save with its margin takes {pods.stop_seconds} s"


def _too_large(pool: PoolContract, pods: PodSet) -> str:
    room = node_room(pool)
    asked = (
        ("GPUs", pods.each.gpus, room.gpus),
        ("CPU cores", pods.each.cpu / 1000, room.cpu / 1000),
        ("GiB of memory", round(pods.each.memory / 1024, 1), round(room.memory / 1024, 1)),
        ("GiB of disk", pods.disk_gib, pool.disk_gib or 0),
    )
    what, wanted, there = next((what, wanted, there) for what, wanted, there in asked if wanted > there)
    return f"has {there:g} {what} a node for workloads, and a {pods.name} needs {wanted:g}"


def _per_node(pool: PoolContract, pods: PodSet) -> int:
    """How many of the pods one node holds."""
    room, each = node_room(pool), pods.each
    shares = [room.cpu // each.cpu, room.memory // each.memory]
    if each.gpus:
        shares.append(room.gpus // each.gpus)
    if pods.disk_gib and pool.disk_gib is not None:
        shares.append(pool.disk_gib // pods.disk_gib)
    return min(shares)


def _short(most: Resources, pods: PodSet) -> str | None:
    asked = (
        ("GPUs", pods.count * pods.each.gpus, most.gpus),
        ("CPU cores", pods.count * pods.each.cpu / 1000, most.cpu / 1000),
        ("GiB of memory", pods.count * pods.each.memory / 1024, most.memory / 1024),
    )
    for what, wanted, there in asked:
        if wanted > there:
            return f"gives this queue at most {there:.6g} {what}, borrowed ones included, and {wanted:.6g} are asked for"
    return None
