"""How many nodes a pool may have, and how nodes are replaced."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Model, refusal


class NodeRange(Model):
    """A lower and an upper number of nodes. Whether per zone or in total is the key it stands under."""

    minimum: Annotated[int, Field(ge=0, le=1000)] = 0
    """Nodes kept when nothing runs. More than 0 pays for idle machines."""

    maximum: Annotated[int, Field(ge=1, le=1000)]
    """Nodes the autoscaler may reach."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.minimum > self.maximum:
            raise refusal(
                f"minimum {self.minimum} is above maximum {self.maximum}: the autoscaler could satisfy neither",
                f"a minimum from 0 to {self.maximum}",
                "lower minimum or raise maximum",
            )
        return self


class Limits(Model):
    """Limits per zone or over all zones together. GKE refuses both on one pool.

    Source: Terraform provider documentation of google_container_node_pool, autoscaling.
    """

    per_zone: NodeRange | None = None
    """In each zone: three zones reach three times the maximum."""

    total: NodeRange | None = None
    """Over all zones together, for pools that take whatever zone has stock."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.per_zone is None) == (self.total is None):
            given = "both perZone and total" if self.per_zone else "neither perZone nor total"
            raise refusal(
                f"has {given}: GKE takes exactly one kind on a pool",
                "perZone or total",
                "write perZone on stable pools, total on spot and buffer pools",
            )
        return self


class Surge(Model):
    """Upgrade by adding and removing a few nodes at a time."""

    max_surge: Annotated[int, Field(ge=0, le=20)]
    """Nodes added above the size."""

    max_unavailable: Annotated[int, Field(ge=0, le=20)]
    """Nodes that may be missing."""

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if not 1 <= self.max_surge + self.max_unavailable <= 20:
            raise refusal(
                "no node could ever be upgraded"
                if self.max_surge + self.max_unavailable == 0
                else f"would upgrade {self.max_surge + self.max_unavailable} nodes at once, more than GKE does",
                "maxSurge and maxUnavailable of 1 to 20 together",
                "write maxSurge: 1, maxUnavailable: 0; the other way round where no spare machine is in stock",
            )
        return self


class BlueGreen(Model):
    """Upgrade by a second set of nodes. Doubles the capacity for a while, so not for GPUs."""

    batch_percent: Annotated[int, Field(ge=1, le=100)] | None = None
    """Nodes drained in one batch, percent. Leave out for the autoscaled way."""

    autoscaled: bool = False
    """Let the autoscaler size the new set (preview feature, version-gated)."""

    soak_seconds: Annotated[int, Field(ge=0, le=604_800)] = 3600
    """Time to watch the new nodes before the old ones go."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.autoscaled == (self.batch_percent is not None):
            given = "both batchPercent and autoscaled" if self.autoscaled else "neither batchPercent nor autoscaled"
            raise refusal(f"has {given}: GKE takes exactly one rollout policy", "batchPercent, or autoscaled: true", "write one of them")
        return self


class Upgrade(Model):
    """How nodes are upgraded."""

    surge: Surge | None = None
    blue_green: BlueGreen | None = None

    @model_validator(mode="after")
    def _one_strategy(self) -> Self:
        if (self.surge is None) == (self.blue_green is None):
            given = "both surge and blueGreen" if self.surge else "neither surge nor blueGreen"
            raise refusal(
                f"has {given}: they are two strategies of one setting", "surge or blueGreen", "write one of them, or remove upgrade"
            )
        return self


class Drain(Model):
    """What deleting the pool waits for. GKE may still not honour disruption budgets (terraform-provider-google#27427)."""

    respect_disruption_budgets: bool = True
    """Wait until pod disruption budgets allow a pod to go."""

    grace_seconds: Annotated[int, Field(ge=0, le=86_400)] | None = None
    """Longest time a pod gets to end."""

    disruption_budget_timeout_seconds: Annotated[int, Field(ge=0, le=86_400)] | None = None
    """Longest wait for disruption budgets."""


class BestEffort(Model):
    """Create the pool with the nodes that are in stock and add the rest later."""

    minimum_nodes: Annotated[int, Field(ge=0, le=1000)] = 0
    """Nodes that must be there for the creation to count as done."""
