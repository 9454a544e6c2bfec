"""The whole job description."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, Model, refusal
from hybrid_pools.blueprint.configuration.teams import TeamName
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    RANK_VARIABLE,
    SPOT_CLASSES,
    WORKERS_VARIABLE,
    WorkloadClass,
)
from hybrid_pools.training.description.parts import CheckpointNeeds, Command, Coordinator, Package, VariableName, Workers

VERSION: Literal[1] = 1

GIVEN_VARIABLES = (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    RANK_VARIABLE,
    WORKERS_VARIABLE,
)
"""Environment variables that every run is given; a description may not set them."""

JobName = Annotated[
    str,
    Field(pattern=r"^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$"),
    Form(
        "A name of a run: a lower-case letter, then at most 39 lower-case letters, digits or `-`, not ending in `-`, for example resnet-7"
    ),
]
ImageReference = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$"
    ),
    Form("A container image, for example us-docker.pkg.dev/acme/train/resnet@sha256:DIGEST with the 64 digits of its digest"),
]


class Job(Model):
    """A training run, described."""

    version: Literal[1]
    """Version of this format: 1."""

    name: JobName
    """Name of the run, and of the folder of its checkpoints: a run of the same name goes on where it stopped."""

    team: TeamName
    """Team whose quota and buckets it uses, as the contract names it."""

    environment: str | None = None
    """Environment for which this was written. A contract of another one is refused. Left out: any."""

    workload_class: Annotated[Literal[WorkloadClass.TRAINING, WorkloadClass.DEFERRED, WorkloadClass.INTERACTIVE], Field(alias="class")]
    """training for long runs, deferred for experiments that may wait and take only what nobody else wants, interactive for short work that
    somebody sits in front of."""

    image: ImageReference
    """Container image. By digest: a tag may mean another image after a restart."""

    command: Command
    """What each worker runs, word by word. On the cluster `$(NAME)` stands for an environment variable, as in `--node-rank=$(RANK)`."""

    workers: Workers

    coordinator: Coordinator | None = None
    """Left out: worker 0 is where the others meet."""

    checkpoint: CheckpointNeeds | None = None
    """Needed by training and deferred work: without checkpoints every loss of a spot node starts the work again from nothing."""

    bound_hours: Annotated[float, Field(gt=0, le=8760)]
    """Hours after which the run is ended, over all its starts, waiting in the queue not counted. Losses are retried without counting, so
    without a bound a run that gets nowhere would hold its nodes for ever."""

    variables: Annotated[dict[VariableName, str], Field(default_factory=dict)]
    """Further environment variables of workers and coordinator. Never a secret: who may read the job may read them."""

    package: Package | None = None
    """Left out: Vertex AI runs the command in the image, as Kubernetes does."""

    @model_validator(mode="after")
    def _goes_together(self) -> "Job":
        if self.workload_class in SPOT_CLASSES and self.checkpoint is None:
            raise refusal(
                f"is of class {self.workload_class} and has no checkpoint section, so a lost spot node would cost everything",
                "a checkpoint section for training and deferred",
                "add checkpoint with sizeGib, stepSeconds and saveSeconds, or make it interactive",
            )
        taken = sorted(set(self.variables) & set(GIVEN_VARIABLES))
        if taken:
            raise refusal(
                f"sets {', '.join(taken)}, which the run is given",
                f"variables other than {', '.join(GIVEN_VARIABLES)}",
                "remove it from variables",
            )
        return self
