"""Teams: who trains here, and where their work lies."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import Form, Model, Namespace

TeamName = Annotated[
    str,
    Field(
        pattern=r"^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$",
        description="A lower-case letter, then at most 29 lower-case letters, digits or `-`, not ending in `-`",
    ),
]
"""Folders, namespaces and accounts are named after the team."""

Group = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$",
    ),
    Form("Address of a Google group, for example ml-research@acme.example, because a person who leaves a group loses its rights by that"),
]


class TeamConfiguration(Model):
    """One team."""

    researchers: tuple[Group, ...] = ()
    """Groups that read the team's data and results and look at its runs."""

    training_engineers: tuple[Group, ...] = ()
    """Groups that start and stop training for the team."""

    spot: bool = True
    """Whether the team may use spot pools."""

    namespace: Namespace | None = None
    """Kubernetes namespace, where the team has one already. Left out: team-NAME. No other team may have it."""
