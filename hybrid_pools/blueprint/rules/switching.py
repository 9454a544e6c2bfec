"""Switches of the buffer: each can be done in time, at an instant that exists, and undisturbed."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from hybrid_pools.blueprint.calendar import Calendar, zones
from hybrid_pools.blueprint.calendar.firings import exceptional_months, validity
from hybrid_pools.blueprint.calendar.switching import Training, trainings
from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import NewCluster
from hybrid_pools.blueprint.configuration.cluster import MaintenanceWindow
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.model.schedule import LONGEST_SWITCH_MINUTES
from hybrid_pools.blueprint.rules.rule import Finding, section_rule
from hybrid_pools.blueprint.rules.schedule_plan import DAY_MINUTES, DAYS, WEEK_MINUTES, Plan, is_endless, place, plan_of, time_of

_SCHEDULER = "Cron job format and time zone page of the Cloud Scheduler documentation"
_ONE_OPERATION = "GKE runs one operation at a time on a cluster; setAutoscaling reference"
_WEEK = timedelta(days=7)
_MOST_MONTHS = 11
_NOTICE = timedelta(days=31)


@section_rule(
    "CFG-844",
    "The lead is longer than drain, boot and the spread of calls together",
    "Capacity comes back before the peak only if training has gone and nodes have started by then",
)
def lead_is_long_enough(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Switched back later, the morning's peak finds nodes that still drain or boot."""
    plan = plan_of(reading)
    if plan is None:
        return
    needed = _needed(plan)
    if plan.schedule.lead_minutes <= needed:
        yield Finding(
            "schedule.leadMinutes",
            plan.schedule.lead_minutes,
            f"is not more than drainMinutes {plan.schedule.drain_minutes}, bootMinutes {plan.schedule.boot_minutes} and {plan.spread} for "
            "the calls together: services would not have their nodes at the window's end",
            f"more than {needed}",
            f"set it to {needed + 5} or more",
        )


def _needed(plan: Plan) -> int:
    return plan.schedule.drain_minutes + plan.schedule.boot_minutes + plan.spread


@section_rule("CFG-845", "No switch falls into a clock change, and none makes the lead too short", _SCHEDULER)
def switches_avoid_clock_changes(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A wall time that is skipped or comes twice has no one instant: a job at it may run never, late or twice."""
    plan = plan_of(reading)
    if plan is None or is_endless(plan.calendar):
        return
    told: set[str] = set()
    for change, training in at_changes(plan.calendar):
        for wall, what in ((training.start, "the switch to training"), (training.back, "the switch back to services")):
            calls = [wall + timedelta(minutes=minute) for minute in range(plan.spread + 1)]
            trouble = next((call for call in calls if change.troubles(call)), None)
            at = place(plan, training.start if wall == training.start else training.end)
            if trouble is not None and at not in told:
                told.add(at)
                how = "is skipped" if change.skipped else "comes twice"
                yield Finding(
                    at,
                    f"{wall:%a %H:%M}".lower(),
                    f"{what} calls Google at {trouble:%H:%M}, a time that {how} in {plan.schedule.time_zone} on {trouble:%Y-%m-%d}",
                    f"switches before {change.first:%H:%M} or from {change.last:%H:%M} on",
                    "move the start, the end or leadMinutes, so that every call comes before or after the change of the clock",
                )
        at = place(plan, training.end)
        lost = change.skipped and training.back < change.first and change.last <= training.end
        left = plan.schedule.lead_minutes - change.length // timedelta(minutes=1)
        if lost and left <= _needed(plan) and at not in told:
            told.add(at)
            yield Finding(
                at,
                f"{training.end:%a %H:%M}".lower(),
                f"on {change.first:%Y-%m-%d} the clock is set forward within the lead, and only {max(0, left)} of "
                f"{plan.schedule.lead_minutes} minutes are left to drain and boot",
                f"more than {_needed(plan)} minutes on every day",
                "lengthen leadMinutes by the change of the clock, or move the end",
            )


def at_changes(calendar: Calendar) -> Iterator[tuple[zones.ClockChange, Training]]:
    """Times of training around clock changes."""
    for change in _telling_changes(calendar):
        for training in trainings(calendar, change.first - timedelta(days=1), change.last + timedelta(days=1)):
            yield change, training


def _telling_changes(calendar: Calendar) -> Iterator[zones.ClockChange]:
    """Changes of the clock; those that no exception is near to, once for each time of the week."""
    seen: set[tuple[int, datetime, bool]] = set()
    for change in zones.clock_changes(calendar.zone):
        near = (change.first - _WEEK, change.last + _WEEK)
        clock = datetime.combine(date.min, change.first.time())
        kind = (change.first.weekday(), clock, change.skipped)
        if not _has_exceptions(calendar, *near):
            if kind in seen:
                continue
            seen.add(kind)
        yield change


def _has_exceptions(calendar: Calendar, start: datetime, end: datetime) -> bool:
    days = any(start.date() <= day <= end.date() for day in calendar.dates_off)
    return days or any(override.start <= end and override.end >= start for override in calendar.overrides)


@section_rule("CFG-846", "Switches avoid the cluster's maintenance window", _ONE_OPERATION)
def switches_avoid_maintenance(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """While GKE upgrades, it refuses the switch, and the buffer stays on the wrong side. Summer and winter differ: the window is in UTC."""
    plan = plan_of(reading)
    if plan is None or not isinstance(reading.cluster, NewCluster) or is_endless(plan.calendar):
        return
    busy = _maintenance(reading.cluster.maintenance_window)
    told: set[str] = set()
    for offset, training in _in_every_offset(plan.calendar):
        for edge, wall in ((training.start, training.start), (training.end, training.back)):
            calls = [wall - offset + timedelta(minutes=minute) for minute in range(plan.spread + 1)]
            at = place(plan, edge)
            if at not in told and any(_minute_of_week(call) in busy for call in calls):
                told.add(at)
                yield Finding(
                    at,
                    f"{edge:%a %H:%M}".lower(),
                    f"the switch calls Google at {calls[0]:%a %H:%M} UTC (offset {_signed(offset)}), within cluster.maintenanceWindow",
                    "switches outside the maintenance window, in summer and in winter",
                    "move the start, the end or leadMinutes, or the maintenance window",
                )


def _maintenance(window: MaintenanceWindow) -> set[int]:
    """Minutes of the week, from Monday in UTC, in which GKE may work. Days that come only every other time count as well."""
    start, end = time_of(window.start), time_of(window.end)
    if start is None or end is None or end <= start:
        return set()
    parts = dict(part.split("=", 1) for part in window.recurrence.split(";"))
    days = [day[:2].upper() for day in DAYS]
    chosen = parts["BYDAY"].split(",") if "BYDAY" in parts else days if parts["FREQ"] == "DAILY" else [days[start.weekday()]]
    length = min(WEEK_MINUTES, int((end - start).total_seconds() // 60))
    begins = [days.index(day) * DAY_MINUTES + start.hour * 60 + start.minute for day in chosen]
    return {minute % WEEK_MINUTES for begin in begins for minute in range(begin, begin + length)}


def _minute_of_week(instant: datetime) -> int:
    return instant.weekday() * DAY_MINUTES + instant.hour * 60 + instant.minute


def _signed(offset: timedelta) -> str:
    minutes = int(offset.total_seconds() // 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _in_every_offset(calendar: Calendar) -> Iterator[tuple[timedelta, Training]]:
    """Every time of training of a regular week in every offset to UTC that the zone has, and the exceptional ones in theirs."""
    regular = replace(calendar, dates_off=frozenset(), overrides=())
    for offset, instant in zones.offsets(calendar.zone).items():
        begin = (instant + offset).replace(tzinfo=None) + _WEEK
        for training in trainings(regular, begin, begin + _WEEK):
            yield offset, training
        for override in calendar.overrides:
            for training in trainings(calendar, override.start, override.end):
                if offset in zones.offsets_on(calendar.zone, training.start, training.back):
                    yield offset, training


@section_rule("CFG-849", "Two switches are far enough apart for the first to be done", _ONE_OPERATION)
def switches_are_apart(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A refused call is tried again for a while. Done after the next switch, it would turn that one back."""
    plan = plan_of(reading)
    if plan is None or is_endless(plan.calendar):
        return
    needed = LONGEST_SWITCH_MINUTES + plan.spread
    told: set[str] = set()
    for begin, end, edge, lost in _distances(plan.calendar):
        at, minutes = place(plan, edge), (end - begin - lost) // timedelta(minutes=1)
        if minutes < needed and at not in told:
            told.add(at)
            yield Finding(
                at,
                f"{edge:%a %H:%M}".lower(),
                f"only {minutes} minutes lie between two switches of the buffer",
                f"at least {needed} minutes",
                "move the start, the end or leadMinutes, or make one window of two",
            )


def _distances(calendar: Calendar) -> Iterator[tuple[datetime, datetime, datetime, timedelta]]:
    """Two switches in a row, where the second is written, and what the clock skips in between."""
    regular = replace(calendar, dates_off=frozenset(), overrides=())
    start = datetime(zones.YEARS[0], 1, 1)
    stretches: list[tuple[Calendar, datetime, datetime, zones.ClockChange | None]] = [(regular, start, start + 2 * _WEEK, None)]
    stretches += [(calendar, override.start - _WEEK, override.end + _WEEK, None) for override in calendar.overrides]
    stretches += [(calendar, change.first - _WEEK, change.last + _WEEK, change) for change in _telling_changes(calendar) if change.skipped]
    for judged, first, last, change in stretches:
        edges = [
            edge
            for training in trainings(judged, first, last)
            for edge in ((training.start, training.start), (training.back, training.end))
        ]
        for (begin, _), (end, edge) in pairwise(edges):
            inside = change is not None and begin < change.first and change.last <= end
            yield begin, end, edge, change.length if inside and change else timedelta(0)


@section_rule("CFG-850", "Dates off and overrides lie within one year", _SCHEDULER)
def exceptions_are_of_one_year(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Cloud Scheduler's dates have no year: those of two years would be taken for each other."""
    plan = plan_of(reading)
    if plan is None or is_endless(plan.calendar):
        return
    months = exceptional_months(plan.calendar)
    if not months:
        return
    first, last = min(months), max(months)
    if (last.year - first.year) * 12 + last.month - first.month >= _MOST_MONTHS:
        yield Finding(
            "schedule",
            f"{first:%Y-%m} to {last:%Y-%m}",
            "exceptions in these months are too far apart: Cloud Scheduler would do each of them in the other's year too",
            f"datesOff and overrides within {_MOST_MONTHS} months",
            "remove those that are over",
        )


@section_rule("CFG-851", "Exceptions are neither over for long nor far ahead", _SCHEDULER)
def exceptions_are_of_this_year(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Cloud Scheduler's dates have no year: in another one they are other weekdays, and training would get the buffer on the wrong days."""
    plan = plan_of(reading)
    if plan is None or is_endless(plan.calendar):
        return
    valid = validity(plan.calendar)
    if valid is None:
        return
    if reading.now.date() >= valid.end - _NOTICE:
        yield Finding(
            "schedule",
            f"until {valid.end:%Y-%m-%d}",
            f"has exceptions of a year ago, which Cloud Scheduler would do once again from {valid.end:%Y-%m-%d} on",
            f"exceptions that are over are gone by {valid.end - _NOTICE:%Y-%m-%d}",
            "remove the datesOff and overrides that are over",
        )
    elif reading.now.date() < valid.start:
        yield Finding(
            "schedule",
            f"from {valid.start:%Y-%m-%d}",
            "has exceptions so far ahead that Cloud Scheduler would do them a year too early",
            f"exceptions that can be written down before {valid.start:%Y-%m-%d}",
            f"write them down from {valid.start:%Y-%m-%d} on",
        )
