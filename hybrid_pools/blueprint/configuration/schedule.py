"""When the buffer changes hands: windows by weekday, dates off, overrides, and the limits of each side."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, Model, ResourceName, refusal
from hybrid_pools.blueprint.configuration.scaling import NodeRange

TimeOfDay = Annotated[
    str,
    Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$"),
    Form('A time of day in the schedule\'s zone, in quotes, for example "21:00"'),
]
DateText = Annotated[
    str,
    Field(pattern=r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}$"),
    Form("A date, for example 2026-12-24"),
]
LocalTime = Annotated[
    str,
    Field(pattern=r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]$"),
    Form("A date and time in the schedule's zone, for example 2026-12-24T18:00"),
]


class Weekday(StrEnum):
    """A day of the week, Monday first."""

    MONDAY = "mon"
    TUESDAY = "tue"
    WEDNESDAY = "wed"
    THURSDAY = "thu"
    FRIDAY = "fri"
    SATURDAY = "sat"
    SUNDAY = "sun"


class Profile(StrEnum):
    """Whose limits a buffer pool has."""

    SERVICES = "services"
    TRAINING = "training"


class Window(Model):
    """A time of low load, in which training has the buffer."""

    days: Annotated[tuple[Weekday, ...], Field(min_length=1)]
    """Days on which it opens."""

    start: TimeOfDay
    """When training gets the buffer."""

    end: TimeOfDay
    """When services need it again. Not after start: on the next day. Their limits come back leadMinutes before."""

    end_day: Weekday | None = None
    """Day of the end, where it is neither the same nor the next one: a weekend, for example."""

    @model_validator(mode="after")
    def _says_each_day_once(self) -> Self:
        if len(set(self.days)) < len(self.days):
            raise refusal("names a day twice", "each day once", "remove the second one")
        if self.end_day is not None and len(self.days) > 1:
            raise refusal(
                "opens on several days but ends on one, so it would overlap with itself",
                "endDay with exactly one day in days",
                "write a window of its own for the day that ends on another one",
            )
        return self


class Override(Model):
    """A dated exception. Windows and dates off do not count within it."""

    start: LocalTime
    """From then on."""

    end: LocalTime
    """Until then. Where training has the buffer before, services' limits come back leadMinutes earlier, as at the end of a window."""

    profile: Profile
    """Who has the buffer."""


class ScheduledPool(Model):
    """What a buffer pool has in its windows. By day it has its own limits."""

    training: NodeRange
    """Limits over all zones together while training has the pool."""

    all_at_once: Annotated[tuple[Profile, ...], Field(max_length=2)] = ()
    """Profiles whose maximum is brought at once when they begin, instead of node by node as pods ask. Idle ones go after about 10 minutes.

    Only for a profile that may have as many nodes as the other one, so that the call never takes a node away.
    """


class ScheduleConfiguration(Model):
    """Who has the buffer when. Services have it outside the windows."""

    time_zone: str
    """Name in the tz database, for example Europe/Berlin. All times of this section are in it, over both clock changes."""

    windows: Annotated[dict[ResourceName, Window], Field(min_length=1)]
    """By name. They may pass midnight and must not overlap."""

    dates_off: tuple[DateText, ...] = ()
    """Dates on which no window opens: services keep the buffer."""

    lead_minutes: Annotated[int, Field(ge=1, le=1440)]
    """How long before services need the buffer their limits come back. More than drainMinutes and bootMinutes together."""

    drain_minutes: Annotated[int, Field(ge=0, le=1440)]
    """How long training takes to save and go once it has lost the buffer."""

    boot_minutes: Annotated[int, Field(ge=1, le=1440)] = 10
    """How long a node takes from the request to the first ready pod: machine, GPU driver, images. Measure it."""

    pools: dict[str, ScheduledPool]
    """Every buffer pool by name."""

    frozen: bool = False
    """Stop switching: no window opens any more and services keep the buffer. A window that is open still runs to its end."""

    overrides: dict[ResourceName, Override] = Field(default_factory=dict)
    """Dated exceptions by name: training at another time, or none at its time."""
