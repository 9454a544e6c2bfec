"""The quotas that an environment needs when every pool is at its maximum.

A pool on a specific reservation counts against nothing here: its capacity was granted with the reservation. Flex-start and queued
provisioning draw on the preemptible quotas like Spot VMs. Nodes that an upgrade adds for a while, and the default pool that lives for
minutes while a cluster is made, are not counted. Private nodes have no external addresses.

Sources: "Allocation quotas" of the Compute Engine documentation; "Run a small batch workload with GPUs and Flex-start VMs" of the GKE
documentation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import CapacityKind, Catalogue
from hybrid_pools.blueprint.catalogue.compute_quotas import ComputeQuotas, compute_quotas
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.model.quotas import QuotaNeed

GLOBAL = "global"
_PREEMPTIBLE = (CapacityKind.SPOT, CapacityKind.FLEX_START, CapacityKind.QUEUED)


@dataclass(frozen=True)
class _Use:
    """What one pool counts against one quota."""

    name: str | None
    what: str
    unit: str
    location: str
    amount: int
    instead: str | None = None
    has_instead: bool = False


def derive_quotas(configuration: StackConfiguration, pools: Sequence[Pool], facts: Catalogue) -> tuple[QuotaNeed, ...]:
    """The quotas of a whole environment; the schedule may bring a buffer pool beyond its own maximum."""
    schedule = configuration.schedule
    largest = {name: scheduled.training.maximum for name, scheduled in schedule.pools.items()} if schedule else {}
    return quota_needs(pools, configuration.environment.region, facts, largest)


def quota_needs(pools: Sequence[Pool], region: str, facts: Catalogue, largest: Mapping[str, int] | None = None) -> tuple[QuotaNeed, ...]:
    """The needs, those with a known name first.

    Args:
        pools: The pools of the environment.
        region: Its region.
        facts: The catalogue.
        largest: Nodes that a schedule may bring a pool to, by pool, where they are more than the pool's own maximum.
    """
    names = compute_quotas()
    found: dict[tuple[str | None, str, str], list[tuple[Pool, _Use]]] = {}
    for pool in pools:
        if pool.reservation is not None and pool.reservation.name is not None:
            continue
        nodes = max(pool.max_nodes, (largest or {}).get(pool.name, 0))
        for use in _uses(pool, nodes, region, facts, names):
            found.setdefault((use.name, use.what, use.location), []).append((pool, use))
    needs = [_need(parts) for parts in found.values()]
    return tuple(sorted(needs, key=lambda need: (need.name is None, need.location != GLOBAL, need.name or need.what)))


def _need(parts: Sequence[tuple[Pool, _Use]]) -> QuotaNeed:
    use = parts[0][1]
    instead: dict[str | None, int] = {}
    for _, part in parts:
        if part.has_instead:
            instead[part.instead] = instead.get(part.instead, 0) + part.amount
    return QuotaNeed(
        name=use.name,
        what=use.what,
        unit=use.unit,
        location=use.location,
        amount=sum(part.amount for _, part in parts),
        pools=tuple(pool.name for pool, _ in parts),
        instead=tuple(instead.items()),
    )


def _uses(pool: Pool, nodes: int, region: str, facts: Catalogue, names: ComputeQuotas) -> Iterator[_Use]:
    preemptible = pool.capacity in _PREEMPTIBLE
    kind = "preemptible " if preemptible else ""
    machine, cpus = pool.machine, nodes * pool.machine.vcpus
    yield _Use(names.instances, "VMs", "VMs", region, nodes)
    yield _Use(names.all_cpus, "vCPUs of the project", "vCPUs", GLOBAL, cpus)
    regular = names.cpus.get(machine.series)
    if preemptible:
        yield _Use(names.preemptible_cpus, "preemptible vCPUs", "vCPUs", region, cpus, regular, has_instead=True)
    else:
        what = f"vCPUs that count against {regular}" if regular else f"vCPUs per VM family, family {machine.series.upper()}"
        yield _Use(regular, what, "vCPUs", region, cpus)
    disk = names.disks.get(pool.boot_disk.type)
    what = f"disk space that counts against {disk}" if disk else f"disk space of {pool.boot_disk.type}"
    yield _Use(disk, what, "GB", region, nodes * pool.boot_disk.size_gib)
    if pool.local_ssd:
        space = nodes * pool.local_ssd.count * machine.local_ssd_gib
        yield _Use(None, f"{kind}Local SSD per VM family, family {machine.series.upper()}", "GB", region, space)
    if pool.accelerators:
        gpus, model = nodes * pool.accelerators.count, pool.accelerators.type
        yield _Use(facts.quota(model, preemptible).name, f"{kind}{model} GPUs", "GPUs", region, gpus)
        yield _Use(names.all_gpus, "GPUs of the project", "GPUs", GLOBAL, gpus)
