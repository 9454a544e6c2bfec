"""From the configuration's texts to times."""

from datetime import date, datetime

from hybrid_pools.blueprint.calendar.switching import Calendar, DatedOverride, WeeklyWindow
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration, Weekday, Window

_DAY = 24 * 60
_DAYS = tuple(Weekday)


def calendar_of(schedule: ScheduleConfiguration) -> Calendar:
    """The calendar of a configuration.

    Raises:
        ValueError: A date does not exist.
    """
    return Calendar(
        zone=schedule.time_zone,
        windows=tuple(opening for name, window in schedule.windows.items() for opening in weekly(name, window)),
        dates_off=frozenset(date.fromisoformat(text) for text in schedule.dates_off),
        overrides=tuple(
            DatedOverride(name, datetime.fromisoformat(override.start), datetime.fromisoformat(override.end), override.profile)
            for name, override in schedule.overrides.items()
        ),
        lead=schedule.lead_minutes,
        frozen=schedule.frozen,
    )


def weekly(name: str, window: Window) -> tuple[WeeklyWindow, ...]:
    """The window once for each day on which it opens."""
    start, end = minute_of_day(window.start), minute_of_day(window.end)
    openings = []
    for day in window.days:
        days = 0 if window.end_day is None else (_DAYS.index(window.end_day) - _DAYS.index(day)) % 7
        minutes = days * _DAY + end - start
        if minutes <= 0:
            minutes += _DAY if window.end_day is None else 7 * _DAY
        openings.append(WeeklyWindow(name, _DAYS.index(day), start, minutes))
    return tuple(openings)


def minute_of_day(text: str) -> int:
    """Minutes since midnight of `HH:MM`."""
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes)
