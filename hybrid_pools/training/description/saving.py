"""How often a described run saves: as it says, or as wastes least."""

from dataclasses import dataclass

from hybrid_pools.training.description.parts import CheckpointNeeds
from hybrid_pools.training.interval import Costs, Interval, Waste, checkpoint_interval, waste

_LONGEST_SECONDS = 604_800
"""A week, as in descriptions: what has not been saved for longer nobody wants to lose, however seldom that is."""


@dataclass(frozen=True)
class Saving:
    """When a run saves.

    Attributes:
        seconds: Time between two saves.
        chosen: Whether it was chosen here, not given.
        waste: Shares of the time that are lost at it.
        best: What wastes least, without the bounds of descriptions.
    """

    seconds: int
    chosen: bool
    waste: Waste
    best: Interval


def costs_of(needs: CheckpointNeeds) -> Costs:
    """What saves and losses cost, as described."""
    return Costs(needs.save_seconds, needs.restart_seconds, needs.stall_seconds)


def saving_of(needs: CheckpointNeeds, gang: int, bound_seconds: int) -> Saving:
    """When a run saves on spot.

    Args:
        gang: Nodes that its workers are on.
        bound_seconds: On the whole run.

    Raises:
        IntervalError: No interval keeps to the numbers.
    """
    costs = costs_of(needs)
    best = checkpoint_interval(costs, gang, needs.losses_per_node_hour, step_seconds=needs.step_seconds, total_seconds=bound_seconds)
    seconds = needs.interval_seconds or min(max(best.seconds, needs.save_seconds + 1), _LONGEST_SECONDS)
    return Saving(
        seconds=seconds,
        chosen=needs.interval_seconds is None,
        waste=waste(costs, best.mean_seconds_between_losses, seconds),
        best=best,
    )
