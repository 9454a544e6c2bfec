"""From a description and a contract to a plan, or to every problem of the two together at once."""

import math

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.queues import TeamQueueContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.model.queues import Resources
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import BucketKind, Role
from hybrid_pools.training.description import CheckpointNeeds, Coordinator, Job
from hybrid_pools.training.description.saving import saving_of
from hybrid_pools.training.interval import IntervalError
from hybrid_pools.training.launch.placement import PodSet, places
from hybrid_pools.training.launch.plan import CheckpointPlan, Part, Plan
from hybrid_pools.training.launch.problems import (
    LaunchError,
    bound_problems,
    environment_problems,
    no_bucket,
    no_interval,
    no_queue,
    place_problems,
    spread_problems,
)

_SECONDS_AN_HOUR = 3600
_MIB = 1024  # in one GiB
_KEPT_ON_DISK = 2
"""Checkpoints in the fast tier of a worker: the one that is on its way to the bucket, and the next."""


def plan(job: Job, contract: Contract) -> Plan:
    """Raises `LaunchError`."""
    problems = [*environment_problems(job, contract)]
    team = next((team for team in contract.teams if team.name == job.team), None)
    policy = next((one for one in contract.classes if one.name is job.workload_class), None)
    queue = next((one for one in team.queues if one.workload_class is job.workload_class), None) if team else None
    if team is None or policy is None or queue is None:
        raise LaunchError([*problems, no_queue(job, contract, team)])
    bound = max(1, round(job.bound_hours * _SECONDS_AN_HOUR))
    problems += bound_problems(bound, policy)
    coordinator = None
    if job.coordinator is not None:
        coordinator = _part(contract, queue, _coordinator(job.coordinator), job.coordinator.command)
    # Kueue finds places in the manifest's order, so the coordinator's quota is taken when the workers come.
    workers = _part(contract, queue, _workers(job, contract), job.command, beside=coordinator)
    problems += place_problems(job, workers, "workers")
    problems += spread_problems(job, workers, contract)
    problems += place_problems(job, coordinator, "coordinator") if coordinator else []
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


def _part(contract: Contract, queue: TeamQueueContract, pods: PodSet, command: tuple[str, ...], *, beside: Part | None = None) -> Part:
    first = next((place.flavor for place in beside.order if place.fits), None) if beside else None
    taken = {first: beside.pods.each} if beside and first else {}
    return Part(pods, command, places(contract, queue, pods, taken))


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


def _checkpoint(
    job: Job, needs: CheckpointNeeds, team: TeamContract, bound: int, workers: Part
) -> tuple[CheckpointPlan | None, list[Problem]]:
    problems: list[Problem] = []
    prefix = team.prefixes.get(BucketKind.CHECKPOINTS)
    if prefix is None:
        problems.append(no_bucket(team))
    first = next((place for place in workers.order if place.fits), None)
    gang = math.ceil(job.workers.count / first.pods_per_node) if first else job.workers.count
    try:
        saving = saving_of(needs, gang, bound)
    except IntervalError as error:
        problems.append(no_interval(needs, error))
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
