"""Time zones: which there are, and when their clocks are changed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

YEARS = range(2024, 2038)
"""Years whose clock changes are looked at. The tz database lists changes of each year up to 2037 and gives a rule for later ones."""

_STEP = timedelta(days=1)


@dataclass(frozen=True)
class ClockChange:
    """One change of a zone's clock.

    Attributes:
        at: The instant, in UTC.
        first: Wall time from which on times are skipped or come twice.
        last: Wall time from which on they come once again.
        skipped: Whether the clock was set forward.
    """

    at: datetime
    first: datetime
    last: datetime
    skipped: bool

    @property
    def length(self) -> timedelta:
        """By how much the clock was set."""
        return self.last - self.first

    def troubles(self, wall: datetime) -> bool:
        """Whether the wall clock never shows this time, or shows it twice."""
        return self.first <= wall < self.last


def is_known(zone: str) -> bool:
    """Whether the tz database has the zone."""
    return zone in _zones()


def closest(zone: str) -> list[str]:
    """Names that are much like this one."""
    by_city = [name for name in _zones() if name.rpartition("/")[2].lower() == zone.rpartition("/")[2].lower().replace(" ", "_")]
    return [*sorted(by_city), *(name for name in get_close_matches(zone, _zones(), n=3) if name not in by_city)][:3]


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


@cache
def clock_changes(zone: str) -> tuple[ClockChange, ...]:
    """Every change of the clock in `YEARS`, in order."""
    found, place = [], ZoneInfo(zone)
    day, end = datetime(YEARS[0], 1, 1, tzinfo=UTC), datetime(YEARS[-1] + 1, 1, 1, tzinfo=UTC)
    while day < end:
        if _offset(place, day) != _offset(place, day + _STEP):
            found.append(_change(place, day, day + _STEP))
        day += _STEP
    return tuple(found)


def offsets(zone: str) -> dict[timedelta, datetime]:
    """Every offset to UTC in `YEARS`, each with an instant from which on it holds for at least a month."""
    place, start = ZoneInfo(zone), datetime(YEARS[0], 1, 1, tzinfo=UTC)
    changes = clock_changes(zone)
    begins = [start, *(change.at for change in changes)]
    ends = [*(change.at for change in changes), datetime(YEARS[-1] + 1, 1, 1, tzinfo=UTC)]
    long = [begin for begin, end in zip(begins, ends, strict=True) if end - begin >= timedelta(days=28)]
    return {_offset(place, begin): begin for begin in reversed(long)}


def offsets_on(zone: str, *walls: datetime) -> set[timedelta]:
    """The offsets to UTC at times on the wall."""
    place = ZoneInfo(zone)
    return {_offset(place, wall.replace(tzinfo=place)) for wall in walls}


def _offset(place: ZoneInfo, instant: datetime) -> timedelta:
    offset = instant.astimezone(place).utcoffset()
    assert offset is not None  # noqa: S101 - the time is aware
    return offset


def _change(place: ZoneInfo, before: datetime, after: datetime) -> ClockChange:
    old, new = _offset(place, before), _offset(place, after)
    while after - before > timedelta(minutes=1):
        middle = before + (after - before) // 2
        middle = middle.replace(second=0, microsecond=0)
        middle = middle if middle > before else before + timedelta(minutes=1)
        before, after = (middle, after) if _offset(place, middle) == old else (before, middle)
    wall = after.replace(tzinfo=None)
    return ClockChange(after, wall + min(old, new), wall + max(old, new), new > old)
