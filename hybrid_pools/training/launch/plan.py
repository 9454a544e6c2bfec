"""What is decided about a run before anything is written."""

from dataclasses import dataclass

from hybrid_pools.blueprint.contract.queues import ClassContract, TeamQueueContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.training.description import Job
from hybrid_pools.training.interval import Waste
from hybrid_pools.training.launch.placement import Place, PodSet


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
