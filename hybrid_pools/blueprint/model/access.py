"""Who may do what, fully decided: a list of grants, and what they need to exist."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hybrid_pools.blueprint.rights import Binding

PROJECT_NUMBER = "{number}"
"""Stands in members for the number of the project, which only Google knows."""


class Persona(StrEnum):
    """Who holds rights. People come as groups, workloads and automation as identities without keys."""

    RESEARCHER = "researcher"
    TRAINING_ENGINEER = "training engineer"
    CONTRACTOR = "contractor"
    ON_CALL = "on-call"
    PLATFORM_ENGINEER = "platform engineer"
    BREAK_GLASS = "break-glass"
    TRAINING = "training workload"
    PRUNER = "pruner"
    CI_PREVIEW = "CI preview"
    CI_DEPLOY = "CI deployment"


@dataclass(frozen=True)
class Grant:
    """One role for one holder.

    Attributes:
        team: Team of the holder, or None.
        binding: What Google is told.
        reason: What the holder needs it for.
    """

    persona: Persona
    team: str | None
    binding: Binding
    reason: str


@dataclass(frozen=True)
class LogView:
    """A part of a log bucket that can be granted on its own.

    Attributes:
        key: Identity among the views, and the view's name in its log bucket.
        team: Team whose log bucket it is in; None is the project's default log bucket.
        filter: What it shows; views know only source, resource type and log id.
        description: For people.
    """

    key: str
    team: str | None
    filter: str
    description: str


@dataclass(frozen=True)
class TeamLogs:
    """A team's own log bucket, because a view cannot tell namespaces apart.

    Attributes:
        name: First part of the names of the log bucket and of the sink that fills it.
        filter: Which entries are the team's.
    """

    team: str
    name: str
    filter: str
    retention_days: int


@dataclass(frozen=True)
class FederatedAccount:
    """An account that workflows of a repository act as.

    Attributes:
        name: What it is for; the id of its provider as well.
        condition: Tokens that are accepted at all, as an expression over GitHub's claims.
        mapping: Attributes of the identity by their key, as expressions over GitHub's claims.
    """

    name: str
    account_id: str
    display_name: str
    condition: str
    mapping: Mapping[str, str]


@dataclass(frozen=True)
class ContinuousIntegrationIdentity:
    """How workflows get in.

    Attributes:
        pool: Id of the workload identity pool.
        issuer: Address of who signs the tokens.
    """

    pool: str
    issuer: str
    accounts: tuple[FederatedAccount, ...]


@dataclass(frozen=True)
class CustomRole:
    """A role of the project's own, where Google's would give too much."""

    role_id: str
    title: str
    description: str
    permissions: tuple[str, ...]


@dataclass(frozen=True)
class Access:
    """All rights that the program grants to people, workloads and automation. Node accounts have theirs of their own.

    Attributes:
        grants: In the order of personas; one holder may have the binding of another.
        views: What of the logs can be granted.
        team_logs: Log buckets of teams that have readers.
        custom_roles: By full name, as bindings have it.
        ci: None without continuous integration.
    """

    grants: tuple[Grant, ...] = ()
    views: tuple[LogView, ...] = ()
    team_logs: tuple[TeamLogs, ...] = ()
    custom_roles: Mapping[str, CustomRole] = field(default_factory=dict)
    ci: ContinuousIntegrationIdentity | None = None

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What Google is told, each once."""
        return tuple(dict.fromkeys(grant.binding for grant in self.grants))
