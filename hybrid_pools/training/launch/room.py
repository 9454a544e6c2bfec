"""How much there is for a team's queue: on one node, on all nodes of a flavor, and by quota."""

from collections.abc import Iterable

from hybrid_pools.blueprint.contract import Contract, PoolContract
from hybrid_pools.blueprint.contract.queues import FlavorContract, QuotaContract, TeamQueueContract
from hybrid_pools.blueprint.contract.resources import ResourcesContract
from hybrid_pools.blueprint.model.queues import Resources
from hybrid_pools.blueprint.vocabulary import Role

_MIB = 1024  # in one GiB


def node_room(pool: PoolContract) -> Resources:
    """What one node of a pool has for workloads. For a contract that does not say it: the whole machine, which is a little too much."""
    if pool.for_workloads is not None:
        return _resources(pool.for_workloads)
    gpus = pool.accelerator
    shares = gpus.count * (gpus.clients_per_gpu or 1) if gpus else 0
    return Resources(cpu=pool.vcpus * 1000, memory=int(pool.memory_gib * _MIB), gpus=shares)


def nodes_for_queues(contract: Contract, pool: PoolContract) -> int:
    """Nodes that queued work may have of a pool at the most; of a buffer those of training's windows."""
    if pool.role is not Role.BUFFER:
        return pool.limits.maximum_nodes
    scheduled = contract.schedule.pools if contract.schedule else ()
    return next((one.training.maximum_nodes for one in scheduled if one.name == pool.name), 0)


def pools_of(contract: Contract, flavor: FlavorContract) -> list[PoolContract]:
    """The pools of a flavor, in its order."""
    by_name = {pool.name: pool for pool in contract.pools}
    return [by_name[name] for name in flavor.pools]


def most_by_quota(contract: Contract, queue: TeamQueueContract, flavor: FlavorContract) -> Resources:
    """What a queue can have of a flavor while everybody else is idle: its own, and what it may borrow of what others lend."""
    quotas = [quota for team in contract.teams for each in team.queues for quota in each.quotas if quota.flavor == flavor.name]
    own = next(quota for quota in queue.quotas if quota.flavor == flavor.name)
    nominal = _resources(own.nominal)
    others = [_lent(quota) for quota in quotas if quota is not own]
    lent = _sum([*others, _shared(contract, flavor, [_resources(quota.nominal) for quota in quotas])])
    limit = lent if own.borrowing is None else _resources(own.borrowing)
    return _sum([nominal, Resources(min(limit.cpu, lent.cpu), min(limit.memory, lent.memory), min(limit.gpus, lent.gpus))])


def own_by_quota(queue: TeamQueueContract, flavor: FlavorContract) -> Resources:
    """What a queue owns of a flavor."""
    return _resources(next(quota.nominal for quota in queue.quotas if quota.flavor == flavor.name))


def _shared(contract: Contract, flavor: FlavorContract, owned: Iterable[Resources]) -> Resources:
    """What no team owns: of spot what is left, of the buffer all, unless its schedule is frozen. What is left of stable pools is the
    services'."""
    if flavor.role is Role.STABLE or (flavor.role is Role.BUFFER and contract.schedule is not None and contract.schedule.frozen):
        return Resources()
    rooms = [(node_room(pool), nodes_for_queues(contract, pool)) for pool in pools_of(contract, flavor)]
    whole = _sum([Resources(nodes * room.cpu, nodes * room.memory, nodes * room.gpus) for room, nodes in rooms])
    if flavor.role is Role.BUFFER:
        return whole
    taken = _sum(owned)
    return Resources(max(0, whole.cpu - taken.cpu), max(0, whole.memory - taken.memory), max(0, whole.gpus - taken.gpus))


def _lent(quota: QuotaContract) -> Resources:
    return _resources(quota.nominal if quota.lending is None else quota.lending)


def _sum(parts: Iterable[Resources]) -> Resources:
    found = list(parts)
    return Resources(sum(part.cpu for part in found), sum(part.memory for part in found), sum(part.gpus for part in found))


def _resources(told: ResourcesContract) -> Resources:
    return Resources(told.cpu_millicores, told.memory_mib, told.gpus)
