"""Who may do what: groups by persona. Teams name their own groups in their section."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.cluster import UtcTime
from hybrid_pools.blueprint.configuration.model import Form, Model
from hybrid_pools.blueprint.configuration.teams import Group, TeamName

Day = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    Form('A day in quotes, for example "2027-06-30"'),
]
Repository = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"),
    Form("A GitHub repository as owner/name, for example acme/hybrid-pools"),
]
BranchRef = Annotated[
    str,
    Field(pattern=r"^refs/heads/[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$", max_length=200),
    Form("One branch in full, for example refs/heads/main, because with a wildcard whoever may push any branch could deploy"),
]
IdentityPoolId = Annotated[
    str,
    Field(pattern=r"^[a-z0-9-]{4,32}$"),
    Form("4 to 32 lower-case letters, digits or `-`, for example prod-ci"),
]


class Contractor(Model):
    """A group of people from outside who work for one team until a day."""

    team: TeamName
    """Team whose results they may see. No other."""

    until: Day
    """Last day of their access, in UTC. Google ends it by itself; after it the entry is to be removed here."""


class BreakGlass(Model):
    """A group for emergencies: no rights until they are switched on, and then for a short time."""

    group: Group
    """Group of its own, so that its members are those who may break the glass."""

    until: UtcTime | None = None
    """End of the emergency, at most 72 hours ahead. Left out: the group has no rights."""


class ContinuousIntegration(Model):
    """GitHub Actions of one repository may preview pull requests and deploy one branch, without keys."""

    repository: Repository
    """Repository whose workflows get in."""

    ref: BranchRef
    """The protected branch that is deployed. Pull requests against it may preview."""

    pool: IdentityPoolId | None = None
    """Id of the workload identity pool; the environment's name with `-ci` by default. Google blocks a deleted id for 30 days."""


class AccessConfiguration(Model):
    """Groups beside those of the teams, and continuous integration."""

    on_call: tuple[Group, ...] = ()
    """Groups that look at everything, read the operations logs and mute alerts, and change nothing."""

    platform_engineers: tuple[Group, ...] = ()
    """Groups that change the cluster, the monitoring and where logs go, and read no logs."""

    contractors: dict[Group, Contractor] = Field(default_factory=dict)
    """By group. Rights of a contractor end by themselves."""

    break_glass: BreakGlass | None = None
    """Who may do everything in the cluster for some hours, once it is switched on."""

    ci: ContinuousIntegration | None = None
    """Continuous integration."""

    log_retention_days: Annotated[int, Field(ge=1, le=3650)] = 30
    """Days for which each team's logs are kept. Google charges for those beyond 30."""
