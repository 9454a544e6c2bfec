"""Whose limits hold at which minute, and when they switch."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hybrid_pools.blueprint.configuration.schedule import Profile

_WEEK = timedelta(days=7)


@dataclass(frozen=True)
class WeeklyWindow:
    """A window that opens once a week.

    Attributes:
        day: Weekday on which it opens, Monday is 0.
        start: Minute of that day.
        minutes: Length on the wall clock, at most a week.
    """

    name: str
    day: int
    start: int
    minutes: int


@dataclass(frozen=True)
class DatedOverride:
    """A time on the wall in which one profile holds, whatever the windows say."""

    name: str
    start: datetime
    end: datetime
    profile: Profile


@dataclass(frozen=True)
class Calendar:
    """Who has the buffer when.

    Attributes:
        zone: Name in the tz database.
        dates_off: Dates on which no window opens.
        lead: Minutes on the wall by which services' limits come back before a time of training ends.
        frozen: Services have the buffer whatever the rest says.
    """

    zone: str
    windows: tuple[WeeklyWindow, ...]
    dates_off: frozenset[date]
    overrides: tuple[DatedOverride, ...]
    lead: int
    frozen: bool = False


@dataclass(frozen=True)
class Training:
    """One time of training on the wall.

    Attributes:
        start: When training gets the buffer.
        back: When services' limits come back.
        end: When services need it.
    """

    start: datetime
    back: datetime
    end: datetime


@dataclass(frozen=True, order=True)
class Switch:
    """A change of limits.

    Attributes:
        at: The instant, in UTC.
        wall: The same on the wall.
        profile: Whose limits hold from then on.
    """

    at: datetime
    wall: datetime
    profile: Profile


def profile_at(calendar: Calendar, instant: datetime, delay: int = 0) -> Profile:
    """Whose limits hold in the minute that begins at `instant`.

    Args:
        instant: Any aware time.
        delay: Minutes by which a pool switches after the calendar, because calls on one cluster are spread.
    """
    wall = instant.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None) - timedelta(minutes=delay)
    return profile_on_wall(calendar, wall)


def profile_on_wall(calendar: Calendar, wall: datetime) -> Profile:
    """Whose limits hold when the wall clock shows this."""
    held = any(training.start <= wall < training.back for training in trainings(calendar, wall, wall))
    return Profile.TRAINING if held else Profile.SERVICES


def switches(calendar: Calendar, start: datetime, end: datetime, delay: int = 0) -> list[Switch]:
    """Every switch from `start` on and before `end`, both aware, in order.

    Args:
        delay: As for `profile_at`.
    """
    zone, day = ZoneInfo(calendar.zone), timedelta(days=1)
    first, last = (time.astimezone(zone).replace(tzinfo=None) for time in (start, end))
    found = (
        Switch(wall.replace(tzinfo=zone).astimezone(UTC), wall, profile)
        for wall, profile in wall_switches(calendar, first - day, last + day, delay)
    )
    return sorted(switch for switch in found if start <= switch.at < end)


def wall_switches(calendar: Calendar, first: datetime, last: datetime, delay: int = 0) -> Iterator[tuple[datetime, Profile]]:
    """Every switch on the wall from `first` on and before `last`, in order."""
    late = timedelta(minutes=delay)
    for training in trainings(calendar, first - late, last):
        for wall, profile in ((training.start, Profile.TRAINING), (training.back, Profile.SERVICES)):
            if first <= wall + late < last:
                yield wall + late, profile


def trainings(calendar: Calendar, first: datetime, last: datetime) -> list[Training]:
    """Every time of training that touches the stretch from `first` to `last` on the wall, whole and in order.

    Times that touch are one: services' limits do not come back in between. A time not longer than the lead is none.
    """
    if calendar.frozen:
        return []
    begin, finish, near = _reach(calendar, first, last)
    spans = list(_windows(calendar, begin, finish))
    for override in near:
        spans = list(_without(spans, override))
        if override.profile is Profile.TRAINING:
            spans.append((override.start, override.end))
    lead = timedelta(minutes=calendar.lead)
    return [Training(start, end - lead, end) for start, end in merged(spans) if start < end - lead and start <= last and end >= first]


def _reach(calendar: Calendar, first: datetime, last: datetime) -> tuple[datetime, datetime, list[DatedOverride]]:
    """A stretch wide enough to hold whole whatever touches the asked one, and the overrides in it."""
    begin, finish = first - 2 * _WEEK, last + 2 * _WEEK
    near: list[DatedOverride] = []
    while True:
        found = [override for override in calendar.overrides if override.end >= begin and override.start <= finish]
        if len(found) == len(near):
            return begin, finish, near
        near = found
        begin = min([begin, *(override.start - 2 * _WEEK for override in near)])
        finish = max([finish, *(override.end + 2 * _WEEK for override in near)])


def _windows(calendar: Calendar, begin: datetime, finish: datetime) -> Iterator[tuple[datetime, datetime]]:
    monday = datetime.combine(begin.date() - timedelta(days=begin.weekday()), datetime.min.time())
    while monday < finish:
        for window in calendar.windows:
            opens = monday + timedelta(days=window.day, minutes=window.start)
            if opens.date() not in calendar.dates_off:
                yield opens, opens + timedelta(minutes=window.minutes)
        monday += _WEEK


def _without(spans: Iterable[tuple[datetime, datetime]], hole: DatedOverride) -> Iterator[tuple[datetime, datetime]]:
    for start, end in spans:
        if start < min(end, hole.start):
            yield start, min(end, hole.start)
        if max(start, hole.end) < end:
            yield max(start, hole.end), end


def merged(spans: Iterable[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """The spans in order, those that touch as one."""
    whole: list[tuple[datetime, datetime]] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((start, end))
    return whole
