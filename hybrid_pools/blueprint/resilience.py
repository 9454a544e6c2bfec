"""What still runs when a zone or every interruptible node is lost. Derived from the pools, so that nobody has to remember it.

A limit is not stock: these are the nodes that a pool may still reach, not nodes that Google has promised.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.model import Blueprint, Pool
from hybrid_pools.blueprint.vocabulary import Role


@dataclass(frozen=True)
class Loss:
    """What goes at once: one zone, or with `zone` None every pool of the role spot."""

    zone: str | None


SPOT_LOSS = Loss(zone=None)


@dataclass(frozen=True)
class Stage:
    """A part of the work, and the roles whose pools carry it.

    Attributes:
        carriers: Roles it runs on.
        fallbacks: Roles it may move to when nothing of the carriers is left, in that order.
        by_accelerator: Whether it is told apart by GPU model, because work made for one does not run on another.
    """

    name: str
    carriers: tuple[Role, ...]
    fallbacks: tuple[Role, ...]
    by_accelerator: bool


STAGES = (
    Stage("services", carriers=(Role.STABLE,), fallbacks=(Role.BUFFER,), by_accelerator=True),
    Stage("coordinators", carriers=(Role.STABLE,), fallbacks=(), by_accelerator=False),
    Stage("training", carriers=(Role.SPOT,), fallbacks=(Role.BUFFER, Role.STABLE), by_accelerator=True),
    Stage("buffer", carriers=(Role.BUFFER,), fallbacks=(), by_accelerator=True),
)
"""The stages, by the order of pools of each job class (docs/pools.md)."""


class Verdict(StrEnum):
    """How a stage comes through a loss."""

    KEPT = "kept"
    """Every pool that carries it may grow back to all its nodes in the zones that are left."""

    REDUCED = "reduced"
    """It goes on with fewer nodes."""

    MOVED = "moved"
    """None of its own pools is left, and it goes on elsewhere."""

    STOPPED = "stopped"
    """Nothing is left for it until what was lost is back."""


@dataclass(frozen=True)
class Remainder:
    """What is left of a pool: its zones, and the nodes and GPUs it may reach over all of them."""

    pool: str
    zones: tuple[str, ...]
    max_nodes: int
    max_gpus: int


@dataclass(frozen=True)
class Outcome:
    """How one stage comes through one loss.

    Attributes:
        accelerator: GPU model that the stage runs on, or None.
        nodes_before: Nodes that its own pools may reach when nothing is lost.
        carriers: What is left of its own pools.
        fallbacks: What is left of the pools it may move to, in order of preference.
    """

    loss: Loss
    stage: Stage
    accelerator: str | None
    nodes_before: int
    carriers: tuple[Remainder, ...]
    fallbacks: tuple[Remainder, ...]

    @property
    def nodes_left(self) -> int:
        """Nodes that its own pools may still reach."""
        return sum(remainder.max_nodes for remainder in self.carriers)

    @property
    def verdict(self) -> Verdict:
        """How the stage comes through."""
        if self.carriers:
            return Verdict.KEPT if self.nodes_left == self.nodes_before else Verdict.REDUCED
        return Verdict.MOVED if self.fallbacks else Verdict.STOPPED


def zones(blueprint: Blueprint) -> tuple[str, ...]:
    """Every zone that a pool has nodes in, sorted."""
    return tuple(sorted({zone for pool in blueprint.pools for zone in pool.zones}))


def losses(blueprint: Blueprint) -> tuple[Loss, ...]:
    """The losses to be ready for: each zone, then all interruptible nodes where there are any."""
    each_zone = tuple(Loss(zone) for zone in zones(blueprint))
    return (*each_zone, SPOT_LOSS) if blueprint.pools_of(Role.SPOT) else each_zone


def remainder(pool: Pool, loss: Loss) -> Remainder | None:
    """What a loss leaves of a pool; None where it leaves nothing."""
    left = tuple(zone for zone in pool.zones if zone != loss.zone)
    if not left or (loss == SPOT_LOSS and pool.role is Role.SPOT):
        return None
    nodes = pool.limits.maximum * (len(left) if pool.limits.per_zone else 1)
    return Remainder(pool.name, left, nodes, nodes * pool.gpus_per_node)


def outcomes(blueprint: Blueprint) -> Iterator[Outcome]:
    """How every stage that has pools comes through every loss: stage by stage, GPU model by GPU model."""
    for stage in STAGES:
        own = [pool for pool in blueprint.pools if pool.role in stage.carriers]
        models = sorted({_model(pool) for pool in own}, key=lambda model: model or "") if stage.by_accelerator else [None] if own else []
        for model in models:
            carriers = [pool for pool in own if not stage.by_accelerator or _model(pool) == model]
            # Work that needs no GPU runs beside any; work made for one model runs on that model only.
            others = [pool for role in stage.fallbacks for pool in blueprint.pools_of(role) if model is None or _model(pool) == model]
            for loss in losses(blueprint):
                yield Outcome(
                    loss=loss,
                    stage=stage,
                    accelerator=model,
                    nodes_before=sum(pool.max_nodes for pool in carriers),
                    carriers=_left(carriers, loss),
                    fallbacks=_left(others, loss),
                )


def _model(pool: Pool) -> str | None:
    return pool.accelerators.type if pool.accelerators else None


def _left(pools: list[Pool], loss: Loss) -> tuple[Remainder, ...]:
    return tuple(left for pool in pools if (left := remainder(pool, loss)) is not None)
