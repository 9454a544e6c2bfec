"""A job description as the request for a custom job of Vertex AI, and every reason why it cannot be one."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_pools.blueprint.catalogue.vertex import vertex_facts
from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    ENVIRONMENT_LABEL,
    SPOT_CLASSES,
    TEAM_LABEL,
    VERTEX_ATTEMPT_LABEL,
    VERTEX_DESCRIPTION_LABEL,
    VERTEX_RUN_LABEL,
    BucketKind,
)
from hybrid_pools.training.description import CheckpointNeeds, Job
from hybrid_pools.training.description.saving import saving_of
from hybrid_pools.training.interval import IntervalError
from hybrid_pools.training.vertex.machines import Machine, machine_for

_ACCOUNT = re.compile(r"[a-z0-9][-a-z0-9.]*@[-a-z0-9.]+\.gserviceaccount\.com")
_SECONDS_AN_HOUR = 3600


class VertexError(Exception):
    """A description that Vertex AI cannot run in this environment, with every reason. Paths are those of the description."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path} {problem.message}" for problem in self.problems))


@dataclass(frozen=True)
class Request:
    """A run as Vertex AI is asked for it.

    Attributes:
        parent: Project and region, as `projects/PROJECT/locations/REGION`.
        run: Its name.
        team: Its team.
        digest: Of the description; two runs of the same name and different digests are different work.
        bound_seconds: After which it is ended, all attempts together.
        machine: What each worker gets.
        specification: The `jobSpec` of every attempt, but for its timeout.
        labels: Of every attempt, but for its number.
    """

    parent: str
    run: str
    team: str
    digest: str
    bound_seconds: int
    machine: Machine
    specification: Mapping[str, Any]
    labels: Mapping[str, str]

    def body(self, attempt: int = 1, timeout_seconds: int | None = None) -> dict[str, Any]:
        """The custom job of one attempt, in the JSON form of the API.

        Args:
            timeout_seconds: What is left of the bound; all of it where left out.
        """
        scheduling = {**self.specification["scheduling"], "timeout": f"{timeout_seconds or self.bound_seconds}s"}
        return {
            "displayName": f"{self.team}-{self.run}-{attempt}",
            "labels": {**self.labels, VERTEX_ATTEMPT_LABEL: str(attempt)},
            "jobSpec": {**self.specification, "scheduling": scheduling},
        }


def vertex_request(job: Job, contract: Contract, service_account: str) -> Request:
    """What is asked of Vertex AI.

    Args:
        service_account: Google service account that the workers run as. It must be able to write below the team's checkpoint prefix.

    Raises:
        VertexError: With every reason.
    """
    problems = [*_unfit(job, contract, service_account)]
    team = next((team for team in contract.teams if team.name == job.team), None)
    if team is None:
        known = ", ".join(one.name for one in contract.teams) or "none"
        problems.append(Problem("VTX-009", "team", job.team, f"is no team of {contract.environment}", known, "correct team"))
    uri = _checkpoints(job, team) if team else ""
    if isinstance(uri, Problem):
        problems.append(uri)
    machine = machine_for(job.workers, job.workload_class, contract)
    if not isinstance(machine, Machine):
        problems.append(_no_machine(machine, contract))
    bound = max(1, round(job.bound_hours * _SECONDS_AN_HOUR))
    interval = _interval(job, job.checkpoint, bound) if job.checkpoint else None
    if isinstance(interval, Problem):
        problems.append(interval)
    if problems or not isinstance(machine, Machine) or not isinstance(uri, str) or not isinstance(interval, int):
        raise VertexError(problems)
    given = {CHECKPOINT_URI_VARIABLE: uri, CHECKPOINT_INTERVAL_VARIABLE: str(interval)}
    specification = {
        "workerPoolSpecs": _worker_pools(job, machine, given | job.variables),
        "scheduling": {"strategy": "SPOT", "restartJobOnWorkerRestart": job.workers.count > 1},
        "serviceAccount": service_account,
    }
    digest = hashlib.sha256(json.dumps([specification, bound], sort_keys=True).encode()).hexdigest()[:16]
    return Request(
        parent=f"projects/{contract.cluster.project}/locations/{contract.cluster.location}",
        run=job.name,
        team=job.team,
        digest=digest,
        bound_seconds=bound,
        machine=machine,
        specification=specification,
        labels={
            VERTEX_RUN_LABEL: job.name,
            VERTEX_DESCRIPTION_LABEL: digest,
            TEAM_LABEL: job.team,
            ENVIRONMENT_LABEL: contract.environment,
        },
    )


def _worker_pools(job: Job, machine: Machine, variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """Worker 0 is a pool of its own, as Vertex AI wants it: the primary replica, whose end is the job's. All others are the second one."""
    spec: dict[str, Any] = {"machineSpec": {"machineType": machine.machine_type}}
    if machine.accelerator:
        spec["machineSpec"] |= {"acceleratorType": machine.accelerator, "acceleratorCount": machine.gpus}
    environment = [{"name": name, "value": value} for name, value in variables.items()]
    if job.package is None:
        spec["containerSpec"] = {"imageUri": job.image, "command": list(job.command), "env": environment}
    else:
        spec["pythonPackageSpec"] = {
            "executorImageUri": job.image,
            "packageUris": list(job.package.uris),
            "pythonModule": job.package.module,
            "args": _arguments(job),
            "env": environment,
        }
    # The API's form of 64-bit numbers in JSON is text.
    pools = [{**spec, "replicaCount": "1"}]
    if job.workers.count > 1:
        pools.append({**spec, "replicaCount": str(job.workers.count - 1)})
    return pools


def _arguments(job: Job) -> list[str]:
    """What follows `-m MODULE` in the command, so that a package gets the arguments that it has on Kubernetes."""
    command = list(job.command)
    for index, word in enumerate(command[:-1]):
        if word == "-m" and job.package is not None and command[index + 1] == job.package.module:
            return command[index + 2 :]
    return []


def _interval(job: Job, needs: CheckpointNeeds, bound: int) -> int | Problem:
    try:
        # Every worker has a machine to itself, so the gang is as large as there are workers.
        return saving_of(needs, job.workers.count, bound).seconds
    except IntervalError as error:
        return Problem("VTX-011", "checkpoint", "", str(error), "a save that fits into the run", "correct the numbers")


def _checkpoints(job: Job, team: TeamContract) -> str | Problem:
    prefix = team.prefixes.get(BucketKind.CHECKPOINTS)
    if prefix is None:
        message = f"cannot be saved: team {team.name} has no bucket for checkpoints"
        return Problem("VTX-010", "checkpoint", "", message, "an environment with the section buckets", "take such an environment")
    return f"{prefix}{job.name}"


def _unfit(job: Job, contract: Contract, service_account: str) -> Iterator[Problem]:
    """What Vertex AI does not do, whatever the environment."""
    facts = vertex_facts()
    if job.environment is not None and job.environment != contract.environment:
        yield Problem(
            "VTX-008",
            "environment",
            job.environment,
            f"is not the environment of the contract, which is {contract.environment}",
            contract.environment,
            f"take the contract of {job.environment}, or correct environment",
        )
    if job.workload_class not in SPOT_CLASSES:
        yield Problem(
            "VTX-001",
            "class",
            job.workload_class,
            "is nothing for Spot VMs, which Vertex AI takes away under it",
            ", ".join(SPOT_CLASSES),
            "run it on GKE, or let it save checkpoints and make it training",
        )
    if job.coordinator is not None:
        yield Problem(
            "VTX-002",
            "coordinator",
            "",
            "would be on a Spot VM too, and be counted as worker 0: a Vertex AI job has one strategy for all of its machines",
            "no coordinator",
            "leave it out, worker 0 is where the others meet (MASTER_ADDR); or run it on GKE",
        )
    if job.workers.spread_over_zones:
        yield Problem(
            "VTX-012",
            "workers.spreadOverZones",
            "true",
            "cannot be asked of Vertex AI, which chooses the zone of a job's machines itself",
            "no spreadOverZones",
            "remove it, or run it on GKE",
        )
    if job.package is not None and not job.image.startswith(facts.executor_images):
        yield Problem(
            "VTX-003",
            "image",
            job.image,
            "cannot run a Python package: Vertex AI takes only Google's training images for it",
            "an image of " + ", ".join(facts.executor_images),
            "name one of them, or leave package out, so that the image is run as a container",
        )
    if len(job.variables) + 2 > facts.environment_variables:
        yield Problem(
            "VTX-004",
            "variables",
            f"{len(job.variables)} variables",
            "are more than a container gets on Vertex AI, with the two that every run is given",
            f"at most {facts.environment_variables - 2}",
            "put them into a file in the image or in the bucket",
        )
    taken = sorted(set(job.variables) & set(facts.variables_set))
    if taken:
        yield Problem(
            "VTX-005",
            "variables",
            ", ".join(taken),
            "are set by Vertex AI itself, so that workers find each other",
            "other names",
            "remove them from variables",
        )
    if not _ACCOUNT.fullmatch(service_account):
        yield Problem(
            "VTX-006",
            "(service account)",
            service_account,
            "is no Google service account; without one the workers cannot write the team's checkpoints",
            "NAME@PROJECT.iam.gserviceaccount.com",
            "give the e-mail address of one that may write below the team's checkpoint prefix (docs/vertex.md)",
        )


def _no_machine(reasons: tuple[str, ...], contract: Contract) -> Problem:
    return Problem(
        "VTX-007",
        "workers",
        "",
        f"have no machine on Vertex AI: {'; '.join(reasons) or f'{contract.environment} has no pools for the class'}",
        "workers that fit a machine like that of a Spot pool",
        "ask for what one machine has, or correct accelerator and flavor; `hybrid-pools pools` shows the pools",
    )
