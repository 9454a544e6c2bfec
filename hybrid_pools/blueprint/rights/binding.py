"""A grant as Google knows it: who, which role, on what, until when."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PlaceKind(StrEnum):
    """On what a role is granted."""

    PROJECT = "project"
    FOLDER = "folder"
    LOG_VIEW = "log view"
    ACCOUNT = "account"


@dataclass(frozen=True, order=True)
class Place:
    """Something that has an IAM policy of its own. Rights on the project hold everywhere below it.

    Attributes:
        name: Kind of bucket, name of the view, or e-mail of the account; empty for the project.
        team: Team whose folder or log view it is; empty where it is nobody's.
    """

    kind: PlaceKind
    name: str = ""
    team: str = ""

    def __str__(self) -> str:
        """In words, the same for all teams: what is the holder's own is said so."""
        match self.kind:
            case PlaceKind.PROJECT:
                return "project"
            case PlaceKind.FOLDER:
                return f"{self.name}/{self.team}"
            case PlaceKind.LOG_VIEW:
                return f"logs of {self.team}" if self.team else f"view {self.name}"
            case PlaceKind.ACCOUNT:
                return self.name.partition("@")[0]


PROJECT_PLACE = Place(PlaceKind.PROJECT)


@dataclass(frozen=True)
class Binding:
    """One member of one role.

    Attributes:
        member: In Google's spelling.
        role: `roles/…`, or the full name of a custom role.
        until: End of it in UTC, or None.
    """

    member: str
    role: str
    place: Place
    until: datetime | None = None
