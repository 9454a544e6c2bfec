"""Queues: who gets how much of which pools, and where each class of work goes first."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, Model, refusal
from hybrid_pools.blueprint.configuration.teams import TeamName

FlavorName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$"),
    Form("A flavor, the pools of one role and GPU family, for example spot-l4 or stable-cpu"),
]
OrderEntry = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$"),
    Form("A flavor, for example spot-l4, or a role for all of its flavors, for example spot"),
]
Amount = Annotated[int, Field(ge=0, le=1_000_000)]


class ClassConfiguration(Model):
    """What a class of work gets, the same in every team."""

    order: Annotated[tuple[OrderEntry, ...], Field(min_length=1)] | None = None
    """Flavors or roles in the order in which they are tried. Left out: the class's own order, of the roles that have pools."""


class QueuedClassConfiguration(ClassConfiguration):
    """What a class of work gets that waits in a queue."""

    runtime_limit_hours: Annotated[int, Field(ge=1, le=8760)] | None = None
    """Hours after which a workload is ended. Left out: no limit."""


class InteractiveConfiguration(QueuedClassConfiguration):
    """Short work that somebody sits in front of."""

    runtime_limit_hours: Annotated[int, Field(ge=1, le=8760)] = 8
    """Hours after which a workload is ended, so that a forgotten one does not hold a GPU over the weekend."""


class ClassesConfiguration(Model):
    """The classes of work. What is left out keeps its default."""

    service: ClassConfiguration = ClassConfiguration()
    """Default order: stable, buffer. Services wait in no queue."""

    interactive: InteractiveConfiguration = InteractiveConfiguration()
    """Default order: stable, buffer."""

    training: QueuedClassConfiguration = QueuedClassConfiguration()
    """Default order: spot, buffer, stable."""

    deferred: QueuedClassConfiguration = QueuedClassConfiguration()
    """Default order: spot, buffer."""


class QuotaConfiguration(Model):
    """What a team's class has of one flavor. Unit: GPUs as pods ask for them, on flavors without GPUs vCPUs.

    CPU and memory follow in proportion to what the nodes have for pods.
    """

    nominal: Amount = 0
    """The team's own. It gets this back whenever it has work. On a buffer nobody has an own part: it comes and goes."""

    borrowing: Amount | None = None
    """How much more it may use of what others leave idle or nobody owns. Left out: without limit, but nothing on stable pools, where the
    team's own is the cap of what training may take beside services."""

    lending: Amount | None = None
    """How much of its own others, the team's other classes included, may use while it is idle. Left out: all of it."""

    @model_validator(mode="after")
    def _lends_its_own(self) -> Self:
        if self.lending is not None and self.lending > self.nominal:
            raise refusal(
                f"lends {self.lending} but owns {self.nominal}",
                f"lending from 0 to nominal, {self.nominal}",
                "lower lending or raise nominal; leave lending out to lend all of it",
            )
        return self


class TeamQuotasConfiguration(Model):
    """A team's quotas by class and flavor."""

    interactive: dict[FlavorName, QuotaConfiguration] = Field(default_factory=dict)
    """By flavor. Left out: nothing of its own."""

    training: dict[FlavorName, QuotaConfiguration] = Field(default_factory=dict)
    """By flavor. Left out: nothing of its own."""

    deferred: dict[FlavorName, QuotaConfiguration] = Field(default_factory=dict)
    """By flavor. Left out: nothing of its own."""


class TeamQueuesConfiguration(Model):
    """What one team has. Each of its classes gets a queue."""

    weight: Annotated[int, Field(ge=1, le=1000)] = 1
    """Its share of what nobody owns, beside the weights of the other teams."""

    quotas: TeamQuotasConfiguration = TeamQuotasConfiguration()
    """Its own quotas and limits. What is left out owns nothing and shares what nobody owns."""


class QueuesConfiguration(Model):
    """Queues of the teams. What no team owns of the spot pools, and the buffer while training has it, is shared by weight."""

    classes: ClassesConfiguration = ClassesConfiguration()
    """The classes of work, where they differ from their defaults."""

    teams: dict[TeamName, TeamQueuesConfiguration] = Field(default_factory=dict)
    """Every team by name; `{}` for one that only shares."""
