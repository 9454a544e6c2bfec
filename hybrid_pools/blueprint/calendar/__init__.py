"""The buffer's calendar: whose limits hold at which minute, when they switch, and which cron expressions do it. Pure.

Times on the wall are naive `datetime`s in the calendar's zone; instants are aware ones in UTC.
"""

from hybrid_pools.blueprint.calendar.firings import Firing, Validity, firings, validity
from hybrid_pools.blueprint.calendar.reading import calendar_of
from hybrid_pools.blueprint.calendar.switching import Calendar, DatedOverride, Switch, WeeklyWindow, profile_at, switches

__all__ = [
    "Calendar",
    "DatedOverride",
    "Firing",
    "Switch",
    "Validity",
    "WeeklyWindow",
    "calendar_of",
    "firings",
    "profile_at",
    "switches",
    "validity",
]
