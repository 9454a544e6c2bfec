"""What the contract says of the schedule."""

from datetime import date
from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.schedule import Profile, Weekday
from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.model.queues import BufferQuota
from hybrid_pools.blueprint.model.schedule import Schedule, ScheduledPool


class WindowContract(Part):
    """A time in which training has the buffer, every week."""

    name: str
    days: tuple[Weekday, ...]
    """Days on which it opens."""

    start: str
    """Time of day, HH:MM, in the schedule's zone."""

    end: str
    """Time of day at which services need the buffer; training must be gone before."""

    end_day: Weekday | None = None
    """Day of the end, where it is neither the same nor the next one."""


class OverrideContract(Part):
    """A dated exception, in the schedule's zone."""

    name: str
    start: str
    end: str
    profile: Profile


class ProfileContract(Part):
    """Limits of one pool in one profile, over all zones together."""

    minimum_nodes: Annotated[int, Field(ge=0)]
    maximum_nodes: Annotated[int, Field(ge=0)]
    all_at_once: bool
    """Whether the maximum is brought as soon as the profile begins."""


class ScheduledPoolContract(Part):
    """Both sides of a buffer pool."""

    name: str
    delay_minutes: Annotated[int, Field(ge=0)]
    """How long after the calendar's switch the pool's own calls come."""

    services: ProfileContract
    training: ProfileContract


class ScheduleContract(Part):
    """When buffer pools change hands. Outside the windows services have them."""

    time_zone: str
    """Name in the tz database; every time of day here is in it."""

    frozen: bool
    """Whether switching is stopped; services then keep the buffer."""

    windows: tuple[WindowContract, ...]
    dates_off: tuple[date, ...] = ()
    """Dates on which no window opens."""

    overrides: tuple[OverrideContract, ...] = ()
    lead_minutes: Annotated[int, Field(ge=0)]
    """How long before the end of a window services' limits come back, and training is asked to go unless trainingLeavesMinutes is there."""

    drain_minutes: Annotated[int, Field(ge=0)]
    """How long training has to save and go once it is asked to."""

    training_leaves_minutes: Annotated[int, Field(ge=0)] | None = None
    """How long before the end of a window the buffer's quota closes and training is asked to go. Left out where queues hold no buffer."""

    valid_until: date | None = None
    """First date on which the declared jobs would no longer follow the calendar; None for ever."""

    pools: tuple[ScheduledPoolContract, ...]


def schedule_contract(schedule: Schedule, buffer: BufferQuota | None = None) -> ScheduleContract:
    """The contract of a schedule.

    Args:
        buffer: The buffer's quota, where queues hold one.
    """
    configuration = schedule.configuration
    return ScheduleContract(
        time_zone=configuration.time_zone,
        frozen=configuration.frozen,
        windows=tuple(
            WindowContract(name=name, days=window.days, start=window.start, end=window.end, end_day=window.end_day)
            for name, window in configuration.windows.items()
        ),
        dates_off=tuple(sorted(schedule.calendar.dates_off)),
        overrides=tuple(
            OverrideContract(name=name, start=override.start, end=override.end, profile=override.profile)
            for name, override in configuration.overrides.items()
        ),
        lead_minutes=configuration.lead_minutes,
        drain_minutes=configuration.drain_minutes,
        training_leaves_minutes=configuration.lead_minutes + buffer.drain_seconds // 60 if buffer else None,
        valid_until=schedule.validity.end if schedule.validity else None,
        pools=tuple(
            ScheduledPoolContract(
                name=pool.name,
                delay_minutes=pool.delay,
                services=_profile(pool, Profile.SERVICES),
                training=_profile(pool, Profile.TRAINING),
            )
            for pool in schedule.pools
        ),
    )


def _profile(pool: ScheduledPool, profile: Profile) -> ProfileContract:
    limits = pool.limits[profile]
    return ProfileContract(minimum_nodes=limits.minimum, maximum_nodes=limits.maximum, all_at_once=profile in pool.all_at_once)
