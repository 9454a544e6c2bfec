"""How often a node is lost, by the way its capacity is bought. Assumptions, each with its grounds: a measured rate is always better."""

from functools import cache

from pydantic import Field

from hybrid_pools.blueprint.catalogue.capacity import CapacityKind
from hybrid_pools.blueprint.catalogue.facts import Fact, Frozen
from hybrid_pools.blueprint.catalogue.files import read


class LossRate(Fact):
    """The rate of some kinds of capacity. Unit: losses per node and hour.

    Attributes:
        per_node_hour: What is assumed where nobody has measured.
        lowest: The lowest rate that some source supports.
        highest: The highest one.
        basis: Why this rate, in words for people.
    """

    capacities: tuple[CapacityKind, ...] = Field(min_length=1)
    per_node_hour: float = Field(gt=0)
    lowest: float = Field(gt=0)
    highest: float = Field(gt=0)
    basis: str


class LossRatesFile(Frozen):
    """`loss-rates.json`: every kind of capacity once."""

    rates: tuple[LossRate, ...]


@cache
def _rates() -> LossRatesFile:
    return read("loss-rates.json", LossRatesFile)


def loss_rate(capacity: CapacityKind) -> LossRate:
    """How often nodes of this kind are lost, as long as nobody has measured it."""
    return next(rate for rate in _rates().rates if capacity in rate.capacities)
