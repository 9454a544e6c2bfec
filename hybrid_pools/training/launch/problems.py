"""What a description and an environment may not agree on."""

from collections.abc import Iterable, Iterator

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.queues import ClassContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import Role
from hybrid_pools.training.description import CheckpointNeeds, Job
from hybrid_pools.training.interval import IntervalError
from hybrid_pools.training.launch.plan import Part

_SECONDS_AN_HOUR = 3600
_MIB = 1024  # in one GiB

RULES = {
    "JOB-101": "The contract is of the environment that the description is for",
    "JOB-102": "The environment has queues",
    "JOB-103": "The team is one of the environment",
    "JOB-104": "The class has a queue in the team",
    "JOB-105": "The bound is no longer than the class may take",
    "JOB-106": "Some flavor of the class has nodes, time to save and quota for all of it",
    "JOB-107": "The flavor that is named is one that the class tries",
    "JOB-108": "A coordinator is in a class that has stable nodes",
    "JOB-109": "The team has a bucket for checkpoints",
    "JOB-110": "Saves fit into the run",
    "JOB-111": "Workers are spread over zones only where there are several",
}
"""Titles by id. Ids are never given twice."""


class LaunchError(Exception):
    """A description that the environment has no place for, with every reason. Paths are those of the description."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path} {problem.message}" for problem in self.problems))


def environment_problems(job: Job, contract: Contract) -> Iterator[Problem]:
    """Whether the contract is of the right environment."""
    if job.environment is not None and job.environment != contract.environment:
        yield Problem(
            "JOB-101",
            "environment",
            job.environment,
            f"is not the environment of the contract, which is {contract.environment}",
            contract.environment,
            f"take the contract of {job.environment}, or correct environment",
        )


def no_queue(job: Job, contract: Contract, team: TeamContract | None) -> Problem:
    """What is said where there is no queue for the run.

    Args:
        team: None where there is none of that name.
    """
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


def bound_problems(bound: int, policy: ClassContract) -> Iterator[Problem]:
    """Whether the class lets a run take so many seconds."""
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


def place_problems(job: Job, part: Part, section: str) -> Iterator[Problem]:
    """Whether there is a place for pods of a run.

    Args:
        section: Of the description.
    """
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


def spread_problems(job: Job, part: Part, contract: Contract) -> Iterator[Problem]:
    """Whether the workers can be spread, where they are to be."""
    if not job.workers.spread_over_zones or not part.possible:
        return
    close = [place.flavor for place in part.possible if place.compact]
    zones = {place.flavor: {zone for pool in contract.pools if pool.name in place.pools for zone in pool.zones} for place in part.possible}
    if close or all(len(there) < 2 for there in zones.values()):
        why = f"{', '.join(close)} keeps its nodes close together" if close else f"{', '.join(zones)} has nodes in one zone only"
        yield Problem(
            "JOB-111",
            "workers.spreadOverZones",
            "true",
            f"cannot be: {why}",
            "flavors with nodes in several zones",
            "remove it, or name another flavor; docs/pools.md shows the zones of each pool",
        )


def no_bucket(team: TeamContract) -> Problem:
    """What is said where there is nowhere to save."""
    return Problem(
        "JOB-109",
        "checkpoint",
        "",
        f"cannot be saved: team {team.name} has no bucket for checkpoints",
        "an environment with the section buckets",
        "add it to the stack file (docs/storage.md), or take another environment",
    )


def no_interval(needs: CheckpointNeeds, error: IntervalError) -> Problem:
    """What is said where no interval keeps to the numbers."""
    fix = "correct the numbers under checkpoint, or raise boundHours"
    return Problem("JOB-110", "checkpoint", f"saveSeconds: {needs.save_seconds}", str(error), "a save that fits into the run", fix)
