"""How long to train between two checkpoints: as long as loses the least time, in saves and in lost work together.

The model is Daly's complete one ("A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 2006): losses come at
random with a constant rate, also while saving and restarting, and each throws the whole gang back to its last complete checkpoint. Young's
rule ("A first order approximation to the optimum checkpoint interval", CACM 1974) is its first term and is right where saves are short and
losses rare. Here the model's equation is solved as it stands, because both approximations are off where losses are frequent.

Losses come in bursts rather than at random, and a pool's rate is seldom known well. Neither matters much: waste is flat around its minimum,
and a rate that is wrong by a factor of two costs some six per cent more waste than needed.
"""

import math
from dataclasses import dataclass

_SECONDS_AN_HOUR = 3600


class IntervalError(Exception):
    """No interval keeps to the numbers. The message says which one is wrong and what may stand there."""


@dataclass(frozen=True)
class Costs:
    """What a checkpoint and a loss cost a run. Unit: seconds.

    Attributes:
        save: From the start of a save until the checkpoint counts, which is when it is complete in the bucket.
        restart: From a loss until all nodes train again from a checkpoint: detection, waiting for nodes, starting, restoring.
        stall: How long training stands still for a save. Less than `save` where the upload goes on in the background.
    """

    save: float
    restart: float = 0
    stall: float | None = None

    def __post_init__(self) -> None:
        """Raises `IntervalError`."""
        _positive(self.save, "the time to save", "seconds")
        if not 0 <= self.restart < math.inf:
            raise IntervalError(f"the time to restart is {self.restart:g} seconds: write 0 or more")
        if self.stall is not None and not 0 < self.stall <= self.save:
            raise IntervalError(
                f"training stands still for {self.stall:g} seconds in a save of {self.save:g}: write more than 0, and at most the save"
            )

    @property
    def standstill(self) -> float:
        """How long training stands still for a save."""
        return self.save if self.stall is None else self.stall


@dataclass(frozen=True)
class Waste:
    """Shares of a long run's time in which it gets no further.

    Attributes:
        saving: Standing still for saves that counted.
        lost: Work, and saves of it, that a loss threw away.
        restarting: Between a loss and training again.
    """

    saving: float
    lost: float
    restarting: float

    @property
    def total(self) -> float:
        """All of it together."""
        return self.saving + self.lost + self.restarting


@dataclass(frozen=True)
class Interval:
    """When to save.

    Attributes:
        seconds: Work between two saves, in whole seconds, as trainers are told it.
        steps: The same in steps, where the time of a step was given.
        mean_seconds_between_losses: Of the gang: any lost node stops all.
        young_seconds: What Young's rule says, without any bound; to check by hand.
        waste: What is lost at this interval.
    """

    seconds: int
    steps: int | None
    mean_seconds_between_losses: float
    young_seconds: float
    waste: Waste


def checkpoint_interval(
    costs: Costs,
    nodes: int,
    losses_per_node_hour: float,
    *,
    step_seconds: float | None = None,
    total_seconds: float | None = None,
) -> Interval:
    """The interval with the least waste, never shorter than a save and never longer than the run may take.

    Args:
        costs: What a save and a loss cost.
        nodes: The gang: nodes that are lost independently of one another and all needed.
        losses_per_node_hour: How often one node is lost.
        step_seconds: Time of one step; the interval is then a whole number of steps.
        total_seconds: Bound on the whole run.

    Raises:
        IntervalError: A number makes no sense, or the bounds leave no interval.
    """
    if nodes < 1:
        raise IntervalError(f"the gang has {nodes} nodes: write at least 1")
    _positive(losses_per_node_hour, "the loss rate", "losses per node and hour")
    grain = 1.0
    if step_seconds is not None:
        _positive(step_seconds, "the time of a step", "seconds")
        grain = step_seconds
    mean = _SECONDS_AN_HOUR / (nodes * losses_per_node_hour)
    _positive(mean, "the time between two losses of the gang", "seconds")
    shortest = max(1, math.ceil(math.ceil(costs.save) / grain))
    longest = math.inf
    if total_seconds is not None:
        _positive(total_seconds, "the bound on the whole run", "seconds")
        longest = math.floor(total_seconds / grain)
    if shortest > longest:
        raise IntervalError(
            f"a save of {costs.save:g} seconds{f' and steps of {step_seconds:g}' if step_seconds else ''} leave no interval in a run of "
            f"at most {total_seconds:g} seconds: raise the bound, or make saves and steps shorter"
        )
    best = _optimum(costs.standstill, mean) / grain
    # Waste falls up to the optimum and rises after it, so the best whole number is one of its neighbours.
    neighbours = {int(min(max(whole, shortest), longest)) for whole in (math.floor(best), math.ceil(best))}
    count = min(neighbours, key=lambda whole: (waste(costs, mean, whole * grain).total, whole))
    return Interval(
        seconds=max(1, math.floor(count * grain + 1e-9)),
        steps=None if step_seconds is None else count,
        mean_seconds_between_losses=mean,
        young_seconds=math.sqrt(2 * costs.standstill * mean),
        waste=waste(costs, mean, count * grain),
    )


def waste(costs: Costs, mean_seconds_between_losses: float, interval_seconds: float) -> Waste:
    """What a long run loses at an interval.

    From one complete checkpoint to the next a run takes M e^((R + U)/M) (e^((T + d)/M) - 1) on average: M between losses, R a restart,
    d the standstill, T the interval. U is the part of a save that goes on in the background: what is trained meanwhile is lost with the
    rest, so it counts as a longer restart (without one this is Daly's formula). Of that time T is training and d is saving. A share of
    1 - e^(-R/M) of all time is restarting; what is left is lost.
    """
    _positive(interval_seconds, "the interval", "seconds")
    restart, upload = costs.restart / mean_seconds_between_losses, (costs.save - costs.standstill) / mean_seconds_between_losses
    cycle = (interval_seconds + costs.standstill) / mean_seconds_between_losses
    # A cycle over mean times without number never ends: nothing is trained and nothing is saved.
    kept = math.exp(-restart - upload) * cycle / math.expm1(cycle) if cycle < _NEVER else 0.0
    restarting = -math.expm1(-restart)
    return Waste(
        saving=kept * costs.standstill / (interval_seconds + costs.standstill),
        lost=max(0.0, 1 - restarting - kept),
        restarting=restarting,
    )


_NEVER = 500.0


def _optimum(standstill: float, mean: float) -> float:
    """The interval with the least waste, which lies between 0 and M: where 1 - T/M = e^(-(T + d)/M), found by halving."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if -middle - math.expm1(-middle - standstill / mean) > 0:
            low = middle
        else:
            high = middle
    return high * mean


def _positive(number: float, what: str, unit: str) -> None:
    if not 0 < number < math.inf:
        raise IntervalError(f"{what} is {number:g} {unit}: write a number above 0")
