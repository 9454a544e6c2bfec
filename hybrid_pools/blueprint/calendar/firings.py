"""Cron expressions that make the calendar come true, without any code in the cloud.

Cron knows weekdays, or days of months, but no years and no exceptions. So:

- a switch that comes every week is one expression by weekday;
- in a month in which it must not come on some date, that expression is silent, and another one lists the month's days instead;
- a switch that comes on some date only is an expression of that date.

Days of a month are those of one year: in the next one they are other weekdays. `validity` says how long the expressions are right, which
is more than a year, and rule CFG-851 has past exceptions removed before it ends. For the same reason exceptions must lie within one
year (rule CFG-850). A services' switch too many does no harm where services have the buffer anyway, so dates off touch only the switches to
training.

Source of the syntax, and of days of the month and of the week being one or the other where both are given: Cron job format and time zone
page of the Cloud Scheduler documentation.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from hybrid_pools.blueprint.calendar.switching import Calendar, profile_on_wall, wall_switches
from hybrid_pools.blueprint.configuration.schedule import Profile

_MONDAY = datetime(2024, 1, 1)
_WEEK = timedelta(days=7)
_MARGIN = timedelta(days=16)


@dataclass(frozen=True)
class Firing:
    """One cron expression and the profile it brings.

    Attributes:
        minute: Minute of the day on the wall.
        month: The month it is for, as its first day, where it lists dates; None where it comes by weekday.
        cron: In unix-cron form.
    """

    profile: Profile
    minute: int
    month: date | None
    cron: str


@dataclass(frozen=True)
class Validity:
    """Dates between which the expressions do what the calendar says: `start` is the first such date, `end` the first beyond."""

    start: date
    end: date


def firings(calendar: Calendar, delay: int = 0) -> tuple[Firing, ...]:
    """The expressions of a pool that switches `delay` minutes after the calendar."""
    usual = _weekly(calendar, delay)
    wrong, extra = _exceptions(calendar, delay)
    made: list[Firing] = []
    for key in sorted({*usual, *wrong, *extra}, key=lambda key: (key[0], key[1])):
        profile, minute = key
        silent = {_month(day) for day in wrong.get(key, ())}
        if key in usual:
            months = [number for number in range(1, 13) if number not in {month.month for month in silent}]
            cron = f"{_time(minute)} * {_list(months, 12)} {_list(sorted((day + 1) % 7 for day in usual[key]), 7)}"
            made.append(Firing(profile, minute, None, cron))
        dated = {month: _days(calendar, delay, key, month) for month in silent}
        for day in extra.get(key, ()):
            if _month(day) not in silent:
                dated.setdefault(_month(day), set()).add(day)
        made += [
            Firing(profile, minute, month, f"{_time(minute)} {_list(sorted(day.day for day in days), 31)} {month.month} *")
            for month, days in sorted(dated.items())
            if days
        ]
    return tuple(made)


def validity(calendar: Calendar, delay: int = 0) -> Validity | None:
    """When the expressions are right; None for ever."""
    months = exceptional_months(calendar, delay)
    if not months:
        return None
    first, last = min(months), max(months)
    after = (last.month % 12) + 1
    return Validity(date(last.year - (after > 1), after, 1), date(first.year + 1, first.month, 1))


def exceptional_months(calendar: Calendar, delay: int = 0) -> set[date]:
    """The first days of the months that are not like those of other years."""
    wrong, extra = _exceptions(calendar, delay)
    return {_month(day) for days in (*wrong.values(), *extra.values()) for day in days}


_Key = tuple[Profile, int]


def _weekly(calendar: Calendar, delay: int) -> dict[_Key, set[int]]:
    """Weekdays of each regular switch, Monday is 0."""
    found: defaultdict[_Key, set[int]] = defaultdict(set)
    for wall, profile in wall_switches(_regular(calendar), _MONDAY, _MONDAY + _WEEK, delay):
        found[profile, _minute(wall)].add(wall.weekday())
    return found


def _exceptions(calendar: Calendar, delay: int) -> tuple[dict[_Key, set[date]], dict[_Key, set[date]]]:
    """Dates on which a regular switch would be wrong, and those with a switch that is not regular."""
    wrong: defaultdict[_Key, set[date]] = defaultdict(set)
    extra: defaultdict[_Key, set[date]] = defaultdict(set)
    thawed = replace(calendar, frozen=False)
    for first, last in _exceptional_stretches(thawed):
        real = set(wall_switches(thawed, first, last, delay))
        regular = set(wall_switches(_regular(thawed), first, last, delay))
        late = timedelta(minutes=delay)
        for wall, profile in regular - real:
            if profile_on_wall(thawed, wall - late) is not profile:
                wrong[profile, _minute(wall)].add(wall.date())
        for wall, profile in real - regular:
            extra[profile, _minute(wall)].add(wall.date())
    return wrong, extra


def _exceptional_stretches(calendar: Calendar) -> Iterable[tuple[datetime, datetime]]:
    for day in calendar.dates_off:
        midnight = datetime.combine(day, datetime.min.time())
        yield midnight - _MARGIN, midnight + _MARGIN
    for override in calendar.overrides:
        yield override.start - _MARGIN, override.end + _MARGIN


def _days(calendar: Calendar, delay: int, key: _Key, month: date) -> set[date]:
    """Dates of a month on which a switch comes."""
    first = datetime.combine(month, datetime.min.time())
    found = wall_switches(replace(calendar, frozen=False), first, first + timedelta(days=31), delay)
    return {wall.date() for wall, profile in found if (profile, _minute(wall)) == key and _month(wall.date()) == month}


def _regular(calendar: Calendar) -> Calendar:
    return replace(calendar, dates_off=frozenset(), overrides=(), frozen=False)


def _minute(wall: datetime) -> int:
    return wall.hour * 60 + wall.minute


def _month(day: date) -> date:
    return day.replace(day=1)


def _time(minute: int) -> str:
    return f"{minute % 60} {minute // 60}"


def _list(numbers: Collection[int], every: int) -> str:
    """Numbers as cron lists them; a star for all of them."""
    return "*" if len(numbers) == every else ",".join(map(str, numbers))
