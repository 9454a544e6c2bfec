"""The blocks of a job description."""

from typing import Annotated

from pydantic import Field, model_validator

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.catalogue.loss_rates import loss_rate
from hybrid_pools.blueprint.configuration.model import Form, LabelValue, Model, refusal

Command = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
Cores = Annotated[float, Field(ge=0.001, le=1000)]
Gibibytes = Annotated[float, Field(ge=0.01, le=100_000)]
VariableName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"),
    Form("The name of an environment variable: letters, digits and `_`, not beginning with a digit"),
]


class Workers(Model):
    """The workers: all alike, all needed at once. One lost worker stops them all, and they start again together."""

    count: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How many."""

    gpus: Annotated[int, Field(ge=0, le=1024)] = 0
    """GPUs of each, as pods ask for them: shares or partitions where a pool divides its GPUs."""

    cpu: Cores
    """CPU cores of each. Take the part of a node's that goes with the GPUs: what is left beside used GPUs nobody else can use well."""

    memory_gib: Gibibytes
    """Memory of each in GiB. A worker that takes more is killed."""

    accelerator: LabelValue | None = None
    """GKE accelerator type, for example nvidia-l4, where no other will do. Left out: any that the workers fit on."""

    flavor: LabelValue | None = None
    """A flavor of the contract, for example spot-l4, where no other will do. Left out: all of the class that the workers fit on."""

    spread_over_zones: bool = False
    """Whether the workers stand evenly in the zones of their pools, so that the loss of a zone leaves most of them their nodes, and no zone
    must have stock for all. They then wait while one of the zones has none, and talk across zones, which is slower and is paid for. Left
    out: they go where there are nodes."""

    @model_validator(mode="after")
    def _some_are_spread(self) -> "Workers":
        if self.spread_over_zones and self.count == 1:
            raise refusal("spreads one worker over zones", "spreadOverZones with a count of at least 2", "remove it, or raise count")
        return self

    @model_validator(mode="after")
    def _an_accelerator_is_used(self) -> "Workers":
        if self.accelerator is not None and self.gpus == 0:
            raise refusal(
                "asks for an accelerator and for no GPU", "gpus of at least 1 with accelerator", "set gpus, or remove accelerator"
            )
        return self


class Coordinator(Model):
    """One more process, on stable nodes: where workers meet, and what must not be lost with one of them."""

    command: Command
    """What it runs, word by word. The image is that of the workers."""

    cpu: Cores = 1
    """CPU cores."""

    memory_gib: Gibibytes = 2
    """Memory in GiB."""


class CheckpointNeeds(Model):
    """What the run's checkpoints take. Measure it: `hybrid-pools conform` does."""

    size_gib: Gibibytes
    """Size of one checkpoint in GiB, of all workers together."""

    step_seconds: Annotated[float, Field(gt=0, le=86_400)]
    """Seconds of one step. A trainer that is asked to stop ends its step first."""

    save_seconds: Annotated[int, Field(ge=1, le=86_400)]
    """Seconds from the beginning of a save until it is whole in the bucket, at the worst."""

    stall_seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """Seconds for which training stands still for a save, where the upload goes on in the background. Left out: saveSeconds."""

    restart_seconds: Annotated[float, Field(ge=0, le=86_400)] = 600
    """Seconds from a loss until the first new step: a node comes up, the image is pulled, the checkpoint is restored."""

    losses_per_node_hour: Annotated[float, Field(gt=0, le=60, default_factory=lambda: loss_rate(CapacityKind.SPOT).per_node_hour)]
    """How often one spot node is lost in an hour, as measured. Left out: what is assumed for spot (docs/interval.md says why). A rate that
    is wrong by a factor of two costs some six per cent more waste."""

    interval_seconds: Annotated[int, Field(ge=1, le=604_800)] | None = None
    """Seconds between two saves. Left out: the interval that wastes least at this rate of losses."""

    @model_validator(mode="after")
    def _saves_end(self) -> "CheckpointNeeds":
        if self.interval_seconds is not None and self.interval_seconds <= self.save_seconds:
            raise refusal(
                "saves again before a save has ended",
                f"intervalSeconds above saveSeconds, which is {self.save_seconds}",
                "raise intervalSeconds, or leave it out",
            )
        if self.stall_seconds is not None and self.stall_seconds > self.save_seconds:
            raise refusal("has a stall longer than the save that it is part of", "stallSeconds up to saveSeconds", "correct one of them")
        return self


class Package(Model):
    """A Python package that Vertex AI installs into the image and runs in place of the command. Kubernetes runs the command."""

    module: Annotated[
        str,
        Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"),
        Form("A Python module, for example trainer.task"),
    ]
    """Module that is run."""

    uris: Annotated[
        tuple[
            Annotated[
                str, Field(pattern=r"^gs://[a-z0-9][a-z0-9._-]+/\S+$"), Form("An object, for example gs://BUCKET/packages/trainer.tar.gz")
            ],
            ...,
        ],
        Field(min_length=1, max_length=100),
    ]
    """The package and those that it needs, in Cloud Storage."""
