"""What is decided about a run before anything is written: from a description and a contract, every problem of the two together at once."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hybrid_pools.blueprint.configuration.explaining import shown
from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.queues import ClassContract, TeamQueueContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.model.queues import Resources
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import BucketKind, Role
from hybrid_pools.training.description import CheckpointNeeds, Coordinator, Job
from hybrid_pools.training.description.saving import saving_of
from hybrid_pools.training.interval import IntervalError, Waste
from hybrid_pools.training.launch.placement import Place, PodSet, places

_SECONDS_AN_HOUR = 3600
_MIB = 1024  # in one GiB
_KEPT_ON_DISK = 2
"""Checkpoints in the fast tier of a worker: the one that is on its way to the bucket, and the next."""


class LaunchError(Exception):
    """A description that the environment has no place for, with every reason. Paths are those of the description."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path} {problem.message}" for problem in self.problems))


@dataclass(frozen=True)
class CheckpointPlan:
    """Where and how often a run saves.

    Attributes:
        uri: Where its checkpoints lie.
        interval_seconds: Time between two saves.
        save_seconds: As described.
        restart_seconds: As described.
        step_seconds: As described.
        disk_gib: What a worker's fast tier may need of its node's disk.
        nodes: Of the gang, where as many of its workers share a node as fit.
        mean_seconds_between_losses: Of the gang, on spot.
        waste: Shares of the time that are lost at this interval, on spot.
        chosen: Whether the interval was chosen here, not given.
    """

    uri: str
    interval_seconds: int
    save_seconds: int
    restart_seconds: float
    step_seconds: float
    disk_gib: int
    nodes: int
    mean_seconds_between_losses: float
    waste: Waste
    chosen: bool


@dataclass(frozen=True)
class Part:
    """Pods of a run that are alike.

    Attributes:
        command: What they run.
        order: Every flavor that the queue tries for them, in its order.
    """

    pods: PodSet
    command: tuple[str, ...]
    order: tuple[Place, ...]

    @property
    def possible(self) -> tuple[Place, ...]:
        """Where they may be one day, if there is quota."""
        return tuple(place for place in self.order if place.never is None)


@dataclass(frozen=True)
class Plan:
    """A run with all that the environment decides.

    Attributes:
        queue: The team's queue of the class.
        bound_seconds: After which the run is ended, over all its starts.
        grace_seconds: What its pods are given to end, which is what they have on the tightest of their nodes; None where nothing is saved.
    """

    job: Job
    environment: str
    team: TeamContract
    workload_class: ClassContract
    queue: TeamQueueContract
    bound_seconds: int
    grace_seconds: int | None
    checkpoint: CheckpointPlan | None
    workers: Part
    coordinator: Part | None


def plan(job: Job, contract: Contract) -> Plan:
    """Raises `LaunchError`."""
    problems = [*_environment(job, contract)]
    team = next((team for team in contract.teams if team.name == job.team), None)
    policy = next((one for one in contract.classes if one.name is job.workload_class), None)
    queue = next((one for one in team.queues if one.workload_class is job.workload_class), None) if team else None
    if team is None or policy is None or queue is None:
        raise LaunchError([*problems, _no_queue(job, contract, team)])
    bound = max(1, round(job.bound_hours * _SECONDS_AN_HOUR))
    problems += _bound(bound, policy)
    workers = _part(contract, queue, _workers(job, contract), job.command)
    problems += _placed(job, workers, "workers")
    coordinator = None
    if job.coordinator is not None:
        coordinator = _part(contract, queue, _coordinator(job.coordinator), job.coordinator.command)
        problems += _placed(job, coordinator, "coordinator")
    checkpoint = None
    if job.checkpoint is not None:
        checkpoint, wrong = _checkpoint(job, job.checkpoint, team, bound, workers)
        problems += wrong
    if problems:
        raise LaunchError(problems)
    return Plan(
        job=job,
        environment=contract.environment,
        team=team,
        workload_class=policy,
        queue=queue,
        bound_seconds=bound,
        grace_seconds=min(place.grace_seconds for place in workers.possible) if checkpoint else None,
        checkpoint=checkpoint,
        workers=workers,
        coordinator=coordinator,
    )


def _part(contract: Contract, queue: TeamQueueContract, pods: PodSet, command: tuple[str, ...]) -> Part:
    return Part(pods, command, places(contract, queue, pods))


def _environment(job: Job, contract: Contract) -> Iterator[Problem]:
    if job.environment is not None and job.environment != contract.environment:
        yield Problem(
            "JOB-101",
            "environment",
            job.environment,
            f"is not the environment of the contract, which is {contract.environment}",
            contract.environment,
            f"take the contract of {job.environment}, or correct environment",
        )


def _no_queue(job: Job, contract: Contract, team: TeamContract | None) -> Problem:
    if not contract.classes:
        return Problem(
            "JOB-102",
            "environment",
            contract.environment,
            "declares nothing inside its cluster, so there is no queue that a run could wait in",
            "an environment with the sections kubernetes and queues",
            "add them to its stack file (docs/configuration.md), or take another environment",
        )
    if team is None:
        known = ", ".join(one.name for one in contract.teams) or "none"
        return Problem("JOB-103", "team", job.team, f"is no team of {contract.environment}", known, "correct team, or add it to the stack")
    queues = ", ".join(one.workload_class for one in team.queues) or "none"
    return Problem(
        "JOB-104",
        "class",
        job.workload_class,
        f"has no queue in team {team.name}, so the run would wait for ever",
        queues,
        "take another class, or give this one an order of flavors that the team may use",
    )


def _bound(bound: int, policy: ClassContract) -> Iterator[Problem]:
    limit = policy.runtime_limit_seconds
    if limit is not None and bound > limit:
        hours = f"{limit / _SECONDS_AN_HOUR:g}"
        yield Problem(
            "JOB-105",
            "boundHours",
            f"{bound / _SECONDS_AN_HOUR:g}",
            f"is more than class {policy.name} may take; a run of the same name can be started again, and goes on from its checkpoint",
            f"at most {hours}",
            f"write boundHours: {hours}",
        )


def _workers(job: Job, contract: Contract) -> PodSet:
    workers, checkpoint = job.workers, job.checkpoint
    margin = contract.admission.save_margin_seconds if contract.admission else 0
    return PodSet(
        name="worker",
        each=_resources(workers.cpu, workers.memory_gib, workers.gpus),
        count=workers.count,
        disk_gib=_disk_gib(checkpoint) if checkpoint else 0,
        stop_seconds=checkpoint.save_seconds + margin if checkpoint else 0,
        accelerator=workers.accelerator,
        flavor=workers.flavor,
    )


def _coordinator(coordinator: Coordinator) -> PodSet:
    return PodSet("coordinator", _resources(coordinator.cpu, coordinator.memory_gib, 0), count=1, role=Role.STABLE)


def _resources(cpu: float, memory_gib: float, gpus: int) -> Resources:
    return Resources(cpu=max(1, math.ceil(round(cpu * 1000, 6))), memory=max(1, math.ceil(round(memory_gib * _MIB, 6))), gpus=gpus)


def _disk_gib(checkpoint: CheckpointNeeds) -> int:
    return math.ceil(_KEPT_ON_DISK * checkpoint.size_gib)


def _placed(job: Job, part: Part, section: str) -> Iterator[Problem]:
    pods, found = part.pods, part.order
    if any(place.fits for place in found):
        return
    if pods.flavor is not None and all(place.flavor != pods.flavor for place in found):
        yield Problem(
            "JOB-107",
            f"{section}.flavor",
            pods.flavor,
            f"is no flavor that class {job.workload_class} of team {job.team} tries, so the run would wait for ever",
            ", ".join(place.flavor for place in found),
            "name one of them, or leave flavor out",
        )
        return
    # Of flavors that were not asked for nobody needs to hear.
    named = [place for place in found if pods.flavor in (None, place.flavor)]
    reasons = "; ".join(f"{place.flavor} {place.never or place.short}" for place in named)
    if pods.role is Role.STABLE and not any(place.role is Role.STABLE for place in found):
        yield Problem(
            "JOB-108",
            section,
            "",
            f"must be on stable nodes, which class {job.workload_class} never gets, so the whole run would wait for ever",
            "a class whose order has a stable flavor",
            "take class training, or leave the coordinator out: worker 0 is then where the others meet",
        )
        return
    each = f"{pods.each.gpus} GPUs, {pods.each.cpu / 1000:g} CPU cores, {pods.each.memory / _MIB:g} GiB"
    yield Problem(
        "JOB-106",
        section,
        f"{pods.count} x {each}",
        f"has no place in the queue of class {job.workload_class}, so the run would wait for ever: {reasons}",
        "what fits one of these flavors",
        "ask for less, save faster, or correct accelerator and flavor; `hybrid-pools pools` shows the nodes, docs/queues.md the quotas",
    )


def _checkpoint(
    job: Job, needs: CheckpointNeeds, team: TeamContract, bound: int, workers: Part
) -> tuple[CheckpointPlan | None, list[Problem]]:
    problems: list[Problem] = []
    prefix = team.prefixes.get(BucketKind.CHECKPOINTS)
    if prefix is None:
        problems.append(
            Problem(
                "JOB-109",
                "checkpoint",
                "",
                f"cannot be saved: team {team.name} has no bucket for checkpoints",
                "an environment with the section buckets",
                "add it to the stack file (docs/storage.md), or take another environment",
            )
        )
    first = next((place for place in workers.order if place.fits), None)
    gang = math.ceil(job.workers.count / first.pods_per_node) if first else job.workers.count
    try:
        saving = saving_of(needs, gang, bound)
    except IntervalError as error:
        problems.append(
            Problem("JOB-110", "checkpoint", shown(needs.save_seconds), str(error), "a save that fits into the run", "correct the numbers")
        )
        return None, problems
    if prefix is None:
        return None, problems
    return CheckpointPlan(
        uri=f"{prefix}{job.name}",
        interval_seconds=saving.seconds,
        save_seconds=needs.save_seconds,
        restart_seconds=needs.restart_seconds,
        step_seconds=needs.step_seconds,
        disk_gib=_disk_gib(needs),
        nodes=gang,
        mean_seconds_between_losses=saving.best.mean_seconds_between_losses,
        waste=saving.waste,
        chosen=saving.chosen,
    ), problems
