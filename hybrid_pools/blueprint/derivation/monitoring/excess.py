"""Buffer nodes that the calendar does not allow, as PromQL.

PromQL knows hours and weekdays in UTC only, and no clock changes. So a minute counts as training's if it is in a window under any of the
zone's offsets: for an hour beside each switch the query is silent in summer or in winter, and it never blames a node that the calendar
allows. Dates off are not told apart either. Dated overrides are exact.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hybrid_pools.blueprint.calendar import Calendar, calendar_of
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from hybrid_pools.blueprint.derivation.monitoring.queries import by_pool, of_pools
from hybrid_pools.blueprint.model.pools import Pool

_DAY, _WEEK = 24 * 60, 7 * 24 * 60
_MINUTE_OF_WEEK = f"(day_of_week() * {_DAY} + hour() * 60 + minute())"
"""In UTC; PromQL's week begins on Sunday."""

_SAMPLED = (datetime(2026, 1, 1, tzinfo=UTC), 365 * 2)
"""First day and number of days on which a zone's offsets are looked up."""


def buffer_excess(schedule: ScheduleConfiguration, pools: Sequence[Pool]) -> str:
    """PromQL that answers, by pool, with the buffer nodes that should not be: those beyond the services' maximum while services have the
    pool, or else those that still run a JobSet then. Nothing where all is well."""
    calendar = calendar_of(schedule)
    scheduled = [pool for pool in pools if pool.name in schedule.pools]
    too_many = " or ".join(
        f"(count by (pool) ({by_pool(f'kubernetes_io:node_cpu_total_cores{{{of_pools([pool])}}}', [pool])}) > {pool.max_nodes})"
        f" - {pool.max_nodes}"
        for pool in scheduled
    )
    busy = f"max by (node_name) (kubernetes_io:node_assigned_jobsets{{{of_pools(scheduled)}}}) == 1"
    training = f"count by (pool) ({by_pool(busy, scheduled)})"
    windows = [f"({_MINUTE_OF_WEEK} >= {start} < {end})" for start, end in training_minutes(calendar)]
    windows += [f"(vector(time()) >= {start} < {end})" for start, end in _overrides(calendar)]
    return f"(({too_many} or {training}) unless on () ({' or '.join(windows)}))"


def training_minutes(calendar: Calendar) -> list[tuple[int, int]]:
    """Stretches of the week, in minutes from Sunday 00:00 UTC, in which training may have the buffer: the union over the zone's offsets."""
    stretches: list[tuple[int, int]] = []
    for offset in offsets(calendar.zone):
        for window in calendar.windows:
            start = ((window.day + 1) % 7 * _DAY + window.start - offset) % _WEEK
            end = start + min(window.minutes, _WEEK)
            stretches += [(start, min(end, _WEEK)), (0, end - _WEEK)] if end > _WEEK else [(start, end)]
    return _merged(stretches)


def offsets(zone: str) -> set[int]:
    """Minutes by which a zone's clocks are ahead of UTC, in winter and in summer."""
    first, days = _SAMPLED
    local = ZoneInfo(zone)
    found = {(first + timedelta(days=day)).astimezone(local).utcoffset() for day in range(0, days, 7)}
    return {round(offset.total_seconds() / 60) for offset in found if offset is not None}


def _merged(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _overrides(calendar: Calendar) -> Iterator[tuple[int, int]]:
    """Seconds since 1970 between which an override gives the buffer to training."""
    zone = ZoneInfo(calendar.zone)
    for override in calendar.overrides:
        if override.profile is Profile.TRAINING:
            yield (
                int(override.start.replace(tzinfo=zone).timestamp()),
                int(override.end.replace(tzinfo=zone).timestamp()),
            )
