"""When training next has the buffer, by the contract's schedule."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hybrid_pools.blueprint.calendar.reading import weekly
from hybrid_pools.blueprint.calendar.switching import Calendar, DatedOverride, trainings
from hybrid_pools.blueprint.configuration.schedule import Window
from hybrid_pools.blueprint.contract.schedule import ScheduleContract
from hybrid_pools.blueprint.model.schedule import MINUTES_A_POOL

_AHEAD = timedelta(days=366)
"""How far is looked. What opens later than in a year is of no use to a run."""


def next_training(schedule: ScheduleContract, now: datetime) -> tuple[datetime, datetime] | None:
    """From when to when training has the buffer next, or has it now; aware times in the schedule's zone. None if not within a year.

    The end is the time at which training is asked to go, which is before services need the buffer.

    Args:
        now: Any aware time.
    """
    zone = ZoneInfo(schedule.time_zone)
    wall = now.astimezone(zone).replace(tzinfo=None)
    leaves = timedelta(minutes=schedule.lead_minutes if schedule.training_leaves_minutes is None else schedule.training_leaves_minutes)
    # The quota opens once the last pool has training's limits.
    late = timedelta(minutes=len(schedule.pools) * MINUTES_A_POOL - 1)
    for training in trainings(_calendar(schedule), wall, wall + _AHEAD):
        start, end = training.start + late, training.end - leaves
        if start < end and end > wall:
            return start.replace(tzinfo=zone), end.replace(tzinfo=zone)
    return None


def _calendar(schedule: ScheduleContract) -> Calendar:
    windows = {told.name: Window(days=told.days, start=told.start, end=told.end, end_day=told.end_day) for told in schedule.windows}
    return Calendar(
        zone=schedule.time_zone,
        windows=tuple(opening for name, window in windows.items() for opening in weekly(name, window)),
        dates_off=frozenset(schedule.dates_off),
        overrides=tuple(
            DatedOverride(told.name, datetime.fromisoformat(told.start), datetime.fromisoformat(told.end), told.profile)
            for told in schedule.overrides
        ),
        lead=schedule.lead_minutes,
        frozen=schedule.frozen,
    )
