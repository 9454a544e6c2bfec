"""How a pool is bought, and what goes with it."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.configuration import SpotPoolConfiguration
from hybrid_pools.blueprint.configuration.pools import SpotCapacity, StableCapacity
from hybrid_pools.blueprint.rules.hardware import gate
from hybrid_pools.blueprint.rules.rule import Finding, PoolView, pool_rule
from hybrid_pools.blueprint.vocabulary import Role

_TOOLKIT = "cluster-toolkit gke-node-pool preconditions"
_FLEX_START_MAXIMUM_SECONDS = 7 * 24 * 3600
_COMPACT_FLEX_SERIES = ("a3-ultra", "a4", "h4d")


@pool_rule(
    "CFG-201", "Google sells the machine in this way", "GPU machine types page of the Compute Engine documentation, consumption options"
)
def capacity_is_sold(view: PoolView) -> Iterator[Finding]:
    """Some GPU machines exist only as spot or reserved: a stable pool of them would never come up."""
    if view.machine is None:
        return
    kind = CapacityKind(view.pool.capacity.value)
    if view.machine.offers(kind) is False:
        sold = ", ".join(other for other in CapacityKind if view.machine.offers(other)) or "nothing that is known"
        yield Finding(
            "capacity",
            kind.value,
            f"{view.machine.name} is not sold {kind.value}, so a {view.pool.role} pool of it would never get a node",
            sold,
            "choose another machine type, or another role or capacity for this one",
        )


@pool_rule("CFG-202", "Interruptible capacity takes no reservation", _TOOLKIT)
def interruptible_takes_no_reservation(view: PoolView) -> Iterator[Finding]:
    """GKE refuses spot, flex-start and queued pools that also name a reservation."""
    if isinstance(view.pool, SpotPoolConfiguration) and view.pool.reservation is not None:
        yield Finding(
            "reservation",
            view.pool.reservation,
            f"a {view.pool.capacity} pool cannot use a reservation: GKE refuses the pair",
            "no reservation on spot pools",
            "remove reservation, or make the pool stable or buffer with capacity: reservation",
        )


@pool_rule("CFG-203", "A reservation and the capacity kind go together", _TOOLKIT)
def reservation_and_capacity_agree(view: PoolView) -> Iterator[Finding]:
    """Reserved capacity that nobody names, or a name that nobody uses, both mean paying twice."""
    pool = view.pool
    if isinstance(pool, SpotPoolConfiguration):
        return
    if pool.capacity is StableCapacity.RESERVATION and pool.reservation is None:
        yield Finding(
            "reservation",
            None,
            "is missing although capacity is reservation",
            "a mapping, empty for any open reservation",
            "add reservation: {}",
        )
    if pool.capacity is not StableCapacity.RESERVATION and pool.reservation is not None:
        yield Finding(
            "reservation",
            pool.reservation,
            f"is named but capacity is {pool.capacity}, so it would not be used",
            "only with capacity: reservation",
            "set capacity: reservation",
        )
    if pool.reservation is not None and pool.reservation.project is not None and pool.reservation.name is None:
        yield Finding(
            "reservation.project", pool.reservation.project, "names no reservation in it", "project with name", "add reservation.name"
        )


@pool_rule(
    "CFG-204", "Flex-start needs a version that knows it, and a run limit of at most 7 days", "Flex-start VMs page of the GKE documentation"
)
def flex_start_is_possible(view: PoolView) -> Iterator[Finding]:
    """Older clusters refuse the field; longer runs are refused by Compute Engine."""
    pool = view.pool
    if not isinstance(pool, SpotPoolConfiguration):
        return
    if pool.capacity is SpotCapacity.FLEX_START:
        yield from gate(view, "flex-start", "capacity", pool.capacity.value)
    if pool.max_run_seconds is None:
        return
    if pool.capacity is SpotCapacity.SPOT:
        yield Finding(
            "maxRunSeconds",
            pool.max_run_seconds,
            "bounds flex-start and queued nodes only, so a Spot VM would ignore it",
            "only with capacity: flex-start or queued-provisioning",
            "remove maxRunSeconds",
        )
    elif pool.max_run_seconds > _FLEX_START_MAXIMUM_SECONDS:
        yield Finding(
            "maxRunSeconds",
            pool.max_run_seconds,
            f"{pool.capacity} nodes live at most 7 days",
            f"at most {_FLEX_START_MAXIMUM_SECONDS}",
            "lower it; longer runs resume from their checkpoint",
        )


@pool_rule("CFG-205", "Compact placement holds to one zone and fits the capacity kind", f"{_TOOLKIT}; cluster-toolkit#3439")
def compact_placement_is_possible(view: PoolView) -> Iterator[Finding]:
    """Nodes close together are in one zone by definition; late failures of this kind cost an hour each."""
    pool = view.pool
    if pool.placement is None:
        return
    zones = view.zones()
    if len(zones) > 1:
        yield Finding(
            "zones",
            list(pool.zones) if pool.zones else None,
            f"compact placement needs exactly one zone, and the pool has {len(zones)}",
            "one zone",
            "list one zone, or remove placement",
        )
    if isinstance(pool, SpotPoolConfiguration) and pool.capacity is SpotCapacity.QUEUED:
        yield Finding(
            "placement",
            pool.placement,
            "GKE refuses compact placement with queued provisioning",
            "no placement on queued pools",
            "remove placement",
        )
    flex_start = isinstance(pool, SpotPoolConfiguration) and pool.capacity is SpotCapacity.FLEX_START
    if flex_start and view.machine is not None and view.machine.series not in _COMPACT_FLEX_SERIES:
        yield Finding(
            "placement",
            pool.placement,
            f"GKE cannot place flex-start nodes of the {view.machine.series} series close together",
            f"placement on {', '.join(_COMPACT_FLEX_SERIES)}",
            "remove placement, or choose a machine of these series",
        )
    if pool.upgrade is not None and pool.upgrade.blue_green is not None:
        yield Finding(
            "upgrade.blueGreen",
            pool.upgrade.blue_green,
            "GKE refuses blue-green upgrades with compact placement",
            "surge",
            "write upgrade.surge instead, or remove upgrade",
        )


@pool_rule("CFG-206", "The shutdown window is one that GKE honours", "magic-modules#17556; Spot VMs page of the GKE documentation")
def shutdown_grace_is_honoured(view: PoolView) -> Iterator[Finding]:
    """The provider accepts 10 to 10000 seconds, but the node ends earlier and the checkpoint is lost."""
    pool = view.pool
    if not isinstance(pool, SpotPoolConfiguration) or pool.shutdown_grace is None:
        return
    if pool.capacity is not SpotCapacity.SPOT:
        yield Finding(
            "shutdownGrace",
            pool.shutdown_grace,
            "only Spot VMs have a shutdown window to set",
            "only with capacity: spot",
            "remove shutdownGrace",
        )
        return
    # GKE takes 0 as well, the provider does not; leaving the block out gives Google's default of 30.
    allowed = [seconds for seconds in view.catalogue.shutdown_grace.allowed_seconds if seconds]
    if pool.shutdown_grace.seconds not in allowed:
        yield Finding(
            "shutdownGrace.seconds",
            pool.shutdown_grace.seconds,
            "GKE does not honour this window, so a save planned for it would be cut off",
            ", ".join(map(str, allowed)),
            f"use {max(allowed)} for the longest time to save",
        )
    yield from gate(view, "spot-shutdown-grace", "shutdownGrace.seconds", pool.shutdown_grace.seconds)


@pool_rule(
    "CFG-207",
    "Interruptible and buffer pools have total limits, spot pools from 0",
    "terraform-google-kubernetes-engine#1639; google/skills gke-cluster-autoscaler",
)
def limits_fit_the_role(view: PoolView) -> Iterator[Finding]:
    """Total limits let the autoscaler take stock wherever it is; a floor keeps failed spot nodes alive for ever."""
    pool = view.pool
    if pool.role is Role.STABLE:
        return
    if pool.limits.per_zone is not None:
        yield Finding(
            "limits.perZone",
            pool.limits.per_zone,
            f"limits per zone leave stock unused on a {pool.role} pool, which takes whatever zone has nodes",
            "limits.total",
            f"write limits.total with maximum {pool.limits.per_zone.maximum * max(1, len(view.zones()))}",
        )
    if pool.role is Role.SPOT and pool.limits.total is not None and pool.limits.total.minimum > 0:
        yield Finding(
            "limits.total.minimum",
            pool.limits.total.minimum,
            "a floor pays for idle nodes, and nodes that failed to start stay at it; GKE refuses it on queued pools",
            "0",
            "set it to 0",
        )


@pool_rule("CFG-208", "Best-effort creation asks for no more than the pool may have", "pulumi-gcp NodePoolBestEffortProvisioning")
def best_effort_is_within_limits(view: PoolView) -> Iterator[Finding]:
    """More nodes than the maximum can never be provisioned, so the creation could never succeed."""
    pool = view.pool
    if pool.best_effort is None:
        return
    limits = pool.limits.total or pool.limits.per_zone
    if limits is not None and pool.best_effort.minimum_nodes > limits.maximum:
        yield Finding(
            "bestEffort.minimumNodes",
            pool.best_effort.minimum_nodes,
            "is above the maximum, so the creation could never be done",
            f"0 to {limits.maximum}",
            "lower it, or raise the maximum",
        )
