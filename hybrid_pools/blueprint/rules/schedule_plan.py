"""A schedule as its rules see it, once its zone and dates exist."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from hybrid_pools.blueprint.calendar import Calendar, calendar_of, zones
from hybrid_pools.blueprint.calendar.reading import weekly
from hybrid_pools.blueprint.calendar.switching import WeeklyWindow
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration, Weekday
from hybrid_pools.blueprint.model.schedule import MINUTES_A_POOL
from hybrid_pools.blueprint.rules.rule import Finding

DAY_MINUTES = 24 * 60
WEEK_MINUTES = 7 * DAY_MINUTES
DAYS = tuple(Weekday)
_LONGEST_OVERRIDE = timedelta(days=92)


@dataclass(frozen=True)
class Plan:
    """A schedule whose dates and zone exist, as the rules on its times see it."""

    schedule: ScheduleConfiguration
    calendar: Calendar

    @property
    def spread(self) -> int:
        """Minutes from a switch to the last call of the last pool."""
        return max(1, len(self.schedule.pools)) * MINUTES_A_POOL - 1


def plan_of(reading: Reading) -> Plan | None:
    schedule = reading.schedule
    if schedule is None or not zones.is_known(schedule.time_zone) or any(True for _ in unreal(schedule)):
        return None
    # Frozen or not, the times must be right: freezing is undone in a hurry.
    plan = Plan(schedule, replace(calendar_of(schedule), frozen=False))
    return None if any(True for _ in overlaps(plan.schedule)) else plan


def is_endless(calendar: Calendar) -> bool:
    return sum(window.minutes for window in calendar.windows) >= WEEK_MINUTES


def place(plan: Plan, edge: datetime) -> str:
    """Where the configuration says this start or end of training."""
    for override in plan.calendar.overrides:
        if edge in (override.start, override.end):
            return f"schedule.overrides.{override.name}"
    for window in plan.calendar.windows:
        minute = (edge.weekday() * DAY_MINUTES + edge.hour * 60 + edge.minute - window.day * DAY_MINUTES - window.start) % WEEK_MINUTES
        if minute in (0, window.minutes):
            return f"schedule.windows.{window.name}.{'start' if minute == 0 else 'end'}"
    return "schedule"


def unreal(schedule: ScheduleConfiguration) -> Iterator[Finding]:
    for index, text in enumerate(schedule.dates_off):
        if time_of(text) is None:
            yield Finding(f"schedule.datesOff[{index}]", text, "is no date that exists", "a real date", "correct the day or the month")
    for name, override in schedule.overrides.items():
        at = f"schedule.overrides.{name}"
        start, end = time_of(override.start), time_of(override.end)
        for key, text, time in (("start", override.start, start), ("end", override.end, end)):
            if time is None:
                yield Finding(f"{at}.{key}", text, "is no time that exists", "a real date and time", "correct the day or the month")
        if start is not None and end is not None and end <= start:
            yield Finding(
                f"{at}.end", override.end, f"is not after the start, {override.start}", "a time after start", "correct one of the two"
            )
        elif start is not None and end is not None and end - start > _LONGEST_OVERRIDE:
            yield Finding(
                f"{at}.end",
                override.end,
                f"is {(end - start).days} days after the start: this is no exception any more",
                f"at most {_LONGEST_OVERRIDE.days} days",
                "change the windows instead, or set frozen: true to stop all switching",
            )


def time_of(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def overlaps(schedule: ScheduleConfiguration) -> Iterator[Finding]:
    openings = [opening for name, window in schedule.windows.items() for opening in weekly(name, window)]
    told: set[frozenset[str]] = set()
    for index, one in enumerate(openings):
        for other in openings[index + 1 :]:
            names = frozenset((one.name, other.name))
            if _meet(one, other) and names not in told:
                told.add(names)
                window = schedule.windows[other.name]
                with_itself = "itself" if one.name == other.name else one.name
                yield Finding(
                    f"schedule.windows.{other.name}",
                    window,
                    f"overlaps with {with_itself} on {DAYS[other.day]}: one of them would not end when it says",
                    "windows that at most touch",
                    "move a start or an end, or make one window of both",
                )
    if any(True for _ in unreal(schedule)):
        return
    dated = sorted(schedule.overrides.items(), key=lambda item: item[1].start)
    for (_, first), (name, second) in pairwise(dated):
        if second.start < first.end:
            yield Finding(
                f"schedule.overrides.{name}",
                second,
                f"begins before the override of {first.start} has ended, so two profiles would hold at once",
                "overrides that at most touch",
                "move a start or an end",
            )


def _meet(one: WeeklyWindow, other: WeeklyWindow) -> bool:
    begins, starts = (window.day * DAY_MINUTES + window.start for window in (one, other))
    apart = (starts - begins) % WEEK_MINUTES
    return apart < one.minutes or (begins - starts) % WEEK_MINUTES < other.minutes
