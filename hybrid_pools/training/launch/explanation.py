"""What a run may expect, as data: where it may be and in which order, how long it waits, what a lost node costs."""

from datetime import datetime
from typing import Literal

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.part import Part as ContractPart
from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.model.queues import PODS_READY_MINUTES, Resources
from hybrid_pools.blueprint.vocabulary import Role, WorkloadClass
from hybrid_pools.training.launch.buffer import next_training
from hybrid_pools.training.launch.placement import Place, PodSet
from hybrid_pools.training.launch.plan import CheckpointPlan, Part, Plan
from hybrid_pools.training.launch.rendering import manifest, retries
from hybrid_pools.training.launch.room import most_by_quota, own_by_quota


class PlaceExplained(ContractPart):
    """One flavor of the order."""

    flavor: str
    role: Role
    fits: bool
    reason: str | None = None
    """Why not, where it does not fit."""

    pools: tuple[str, ...]
    """Pools on whose nodes one of these pods has room."""

    node_pools: tuple[str, ...]
    """Their physical names, as nodes carry them."""

    grace_seconds: int
    """Seconds between the signal and the end."""

    saves_in_time: bool | None = None
    """Whether a step and a last save with its margin fit into them; left out where nothing is saved."""

    own_pods: int
    """How many of these pods fit into the queue's own quota: those are never sent away for another team."""

    most_pods: int
    """How many with all that may be borrowed while others are idle."""


class PartExplained(ContractPart):
    """Pods that are alike."""

    count: int
    gpus: int
    cpu_millicores: int
    memory_mib: int
    order: tuple[PlaceExplained, ...]


class BufferExplained(ContractPart):
    """When training has the buffer next."""

    time_zone: str
    frozen: bool
    opens: datetime | None = None
    """Left out where it does not open within a year."""

    leaves: datetime | None = None
    """When training is asked to go."""


class LostWorkExplained(ContractPart):
    """What the loss of a node costs. Unit: seconds."""

    interval_seconds: int
    interval_chosen: bool
    """Whether the interval was chosen to waste least; otherwise the description gives it."""

    expected_seconds: float
    """Half an interval and a restart: what a loss costs on average that leaves no time for a last save."""

    worst_seconds: float
    """An interval, the save that it ends with, and a restart."""

    restart_seconds: float
    """What a loss costs that leaves time for a last save."""

    mean_seconds_between_losses: float
    """Of all workers together, on spot."""

    wasted_share: float
    """Share of a long run's time on spot that saves, losses and restarts take."""


class Explanation(ContractPart):
    """All of it."""

    name: str
    team: str
    environment: str
    workload_class: WorkloadClass
    queue: str
    kind: Literal["Job", "JobSet"]
    workers: PartExplained
    coordinator: PartExplained | None = None
    spread_over_zones: bool
    """Whether the workers stand evenly in the zones."""

    pods_ready_seconds: int
    """In which all pods of an admitted run must be there; otherwise it queues again."""

    buffer: BufferExplained | None = None
    """Left out where no place of the workers is on the buffer."""

    lost_work: LostWorkExplained | None = None
    """Left out where nothing is saved."""

    bound_seconds: int
    """After which it is ended, over all its starts."""

    failures: int
    """How many failures of its own are retried."""


def explanation(plan: Plan, contract: Contract, now: datetime) -> Explanation:
    """What is to be expected of a run.

    Args:
        contract: By which the run was planned.
        now: Any aware time, from which the buffer's next opening counts.
    """
    return Explanation(
        name=plan.job.name,
        team=plan.team.name,
        environment=plan.environment,
        workload_class=plan.workload_class.name,
        queue=plan.queue.name,
        kind=manifest(plan)["kind"],
        workers=_part(plan, contract, plan.workers),
        coordinator=_part(plan, contract, plan.coordinator) if plan.coordinator else None,
        spread_over_zones=plan.job.workers.spread_over_zones,
        pods_ready_seconds=PODS_READY_MINUTES * 60,
        buffer=_buffer(plan, contract, now),
        lost_work=_lost_work(plan.checkpoint) if plan.checkpoint else None,
        bound_seconds=plan.bound_seconds,
        failures=retries(plan),
    )


def _part(plan: Plan, contract: Contract, part: Part) -> PartExplained:
    flavors = {flavor.name: flavor for flavor in contract.flavors}
    pods = part.pods
    return PartExplained(
        count=pods.count,
        gpus=pods.each.gpus,
        cpu_millicores=pods.each.cpu,
        memory_mib=pods.each.memory,
        order=tuple(_place(plan, contract, pods, place, flavors[place.flavor]) for place in part.order),
    )


def _place(plan: Plan, contract: Contract, pods: PodSet, place: Place, flavor: FlavorContract) -> PlaceExplained:
    stop = pods.stop_seconds + plan.checkpoint.step_seconds if pods.stop_seconds and plan.checkpoint else None
    # The node's time, and no more than the pod's own, which is the same wherever it runs.
    grace = place.grace_seconds if stop is None or plan.grace_seconds is None else min(place.grace_seconds, plan.grace_seconds)
    return PlaceExplained(
        flavor=place.flavor,
        role=place.role,
        fits=place.fits,
        reason=place.never or place.short,
        pools=place.pools if place.fits else (),
        node_pools=place.node_pools if place.fits else (),
        grace_seconds=grace,
        saves_in_time=None if stop is None else stop <= grace,
        own_pods=_times(pods, own_by_quota(plan.queue, flavor)),
        most_pods=_times(pods, most_by_quota(contract, plan.queue, flavor)),
    )


def _times(pods: PodSet, there: Resources) -> int:
    """How many of the pods an amount is enough for."""
    each = pods.each
    return min(there.cpu // each.cpu, there.memory // each.memory, *([there.gpus // each.gpus] if each.gpus else []))


def _buffer(plan: Plan, contract: Contract, now: datetime) -> BufferExplained | None:
    schedule = contract.schedule
    if schedule is None or not any(place.role is Role.BUFFER for place in plan.workers.possible):
        return None
    found = next_training(schedule, now)
    opens, leaves = found or (None, None)
    return BufferExplained(time_zone=schedule.time_zone, frozen=schedule.frozen, opens=opens, leaves=leaves)


def _lost_work(checkpoint: CheckpointPlan) -> LostWorkExplained:
    return LostWorkExplained(
        interval_seconds=checkpoint.interval_seconds,
        interval_chosen=checkpoint.chosen,
        expected_seconds=checkpoint.interval_seconds / 2 + checkpoint.restart_seconds,
        worst_seconds=checkpoint.interval_seconds + checkpoint.save_seconds + checkpoint.restart_seconds,
        restart_seconds=checkpoint.restart_seconds,
        mean_seconds_between_losses=checkpoint.mean_seconds_between_losses,
        wasted_share=checkpoint.waste.total,
    )
