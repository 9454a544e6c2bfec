"""The schedule: its calendar gives every minute exactly one profile, and its pools and limits fit."""

from collections.abc import Iterator
from datetime import datetime

from hybrid_pools.blueprint.calendar import Calendar, zones
from hybrid_pools.blueprint.calendar.reading import weekly
from hybrid_pools.blueprint.calendar.switching import WeeklyWindow, trainings
from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import BufferPoolConfiguration
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.rules.rule import Finding, region_of, section_rule
from hybrid_pools.blueprint.rules.schedule_plan import DAY_MINUTES, WEEK_MINUTES, is_endless, overlaps, plan_of, unreal
from hybrid_pools.blueprint.vocabulary import Role

_SCHEDULER = "Cron job format and time zone page of the Cloud Scheduler documentation"


@section_rule("CFG-840", "The schedule's zone is one of the tz database", _SCHEDULER)
def zone_is_known(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Cloud Scheduler refuses other names, and an abbreviation such as CET does not say which clock changes hold."""
    if reading.schedule is None or zones.is_known(reading.schedule.time_zone):
        return
    close = ", ".join(zones.closest(reading.schedule.time_zone))
    yield Finding(
        "schedule.timeZone",
        reading.schedule.time_zone,
        "is no zone of the tz database, so no job could be made",
        f"a name of the tz database{f'; closest: {close}' if close else ''}",
        "write area and city, for example Europe/Berlin",
    )


@section_rule("CFG-841", "Dates of the schedule exist, and overrides end after they start", _SCHEDULER)
def dates_exist(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A date that does not exist would never come, and nobody would notice before the day it was meant for."""
    if reading.schedule is not None:
        yield from unreal(reading.schedule)


@section_rule("CFG-842", "Windows do not overlap, and neither do overrides", "Every minute has exactly one profile")
def times_do_not_overlap(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Where two overlap, one of them does not end when it says, and its reader counts on nodes that training still has."""
    if reading.schedule is not None:
        yield from overlaps(reading.schedule)


@section_rule("CFG-843", "Every time of training ends, and is longer than the lead", "Services need the buffer back at their peak")
def training_ends_and_is_long_enough(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Windows without a gap never give the buffer back; one within the lead would end before it begins."""
    plan = plan_of(reading)
    if plan is None:
        return
    if is_endless(plan.calendar):
        yield Finding(
            "schedule.windows",
            list(plan.schedule.windows),
            "cover the whole week: services would never get the buffer back",
            "a gap at the time of the services' peak",
            "shorten a window; for training all week use a spot or stable pool",
        )
        return
    for name, window in plan.schedule.windows.items():
        short = next((opening for opening in weekly(name, window) if opening.minutes <= plan.schedule.lead_minutes), None)
        if short is not None and not _is_continued(plan.calendar, short):
            yield Finding(
                f"schedule.windows.{name}",
                window,
                f"lasts {short.minutes} minutes and services' limits come back {plan.schedule.lead_minutes} minutes before its end: "
                "training would never have the buffer",
                f"a window longer than leadMinutes, {plan.schedule.lead_minutes}",
                "lengthen the window or shorten leadMinutes",
            )
    for dated in plan.calendar.overrides:
        if dated.profile is Profile.TRAINING and not _has_training(plan.calendar, dated.start, dated.end):
            yield Finding(
                f"schedule.overrides.{dated.name}",
                plan.schedule.overrides[dated.name],
                "is not longer than leadMinutes, so training would never have the buffer in it",
                f"more than {plan.schedule.lead_minutes} minutes",
                "lengthen it or remove it",
            )


def _is_continued(calendar: Calendar, window: WeeklyWindow) -> bool:
    """Whether another window begins where this one ends, or ends where it begins."""
    begin = window.day * DAY_MINUTES + window.start
    edges = {(other.day * DAY_MINUTES + other.start) % WEEK_MINUTES for other in calendar.windows if other != window}
    ends = {(other.day * DAY_MINUTES + other.start + other.minutes) % WEEK_MINUTES for other in calendar.windows if other != window}
    return (begin + window.minutes) % WEEK_MINUTES in edges or begin in ends


def _has_training(calendar: Calendar, start: datetime, end: datetime) -> bool:
    return any(training.start < end and training.back > start for training in trainings(calendar, start, end))


@section_rule("CFG-847", "The schedule names every buffer pool and no other", "Every minute of every buffer pool has exactly one profile")
def schedule_names_the_buffer_pools(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A buffer pool that is left out would keep services' limits for ever; one of another role has limits of its own."""
    if reading.schedule is None:
        return
    buffers = [name for name, pool in reading.pools.items() if pool.role is Role.BUFFER]
    for name, scheduled in reading.schedule.pools.items():
        pool = reading.pools.get(name)
        if (pool is None and reading.is_whole) or (pool is not None and pool.role is not Role.BUFFER):
            yield Finding(
                f"schedule.pools.{name}",
                scheduled,
                "is no pool of this file" if pool is None else f"is a {pool.role} pool, whose number of nodes no schedule owns",
                f"buffer pools: {', '.join(buffers) or 'this file has none'}",
                "respell it, or remove it",
            )
    for name in buffers:
        if name not in reading.schedule.pools:
            yield Finding(
                "schedule.pools",
                list(reading.schedule.pools),
                f"has no training limits for the buffer pool {name}, which would never change hands",
                "every buffer pool with its training limits",
                f"add {name}: {{training: {{maximum: ...}}}}",
            )


@section_rule("CFG-848", "What comes all at once can come, and takes no node away", "setSize reference: nodeCount holds in each zone")
def all_at_once_is_possible(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """setSize sets one number in every zone. Below what the other profile may have, it would end nodes under their pods."""
    if reading.schedule is None:
        return
    region = region_of(reading, catalogue)
    for name, scheduled in reading.schedule.pools.items():
        pool = reading.pools.get(name)
        if not isinstance(pool, BufferPoolConfiguration) or pool.limits.total is None:
            continue
        maxima = {Profile.SERVICES: pool.limits.total.maximum, Profile.TRAINING: scheduled.training.maximum}
        number = len(pool.zones or (region.zones if region else ()))
        for index, profile in enumerate(scheduled.all_at_once):
            at = f"schedule.pools.{name}.allAtOnce[{index}]"
            other = next(maximum for one, maximum in maxima.items() if one is not profile)
            if maxima[profile] < other:
                yield Finding(
                    at,
                    profile.value,
                    f"{profile} has at most {maxima[profile]} nodes, the other profile {other}: the call could end nodes under their pods",
                    f"a profile with a maximum of at least {other}",
                    "remove it, and the autoscaler brings the nodes as pods ask; or raise its maximum",
                )
            elif number and maxima[profile] % number:
                yield Finding(
                    at,
                    profile.value,
                    f"its {maxima[profile]} nodes cannot be spread evenly over {number} zones, as the call does",
                    f"a maximum that is a multiple of {number}",
                    "change the maximum or the zones, or remove it",
                )
