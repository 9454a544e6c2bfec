"""`docs/calendar.md`: when the buffer of each environment changes hands, and by which calls."""

from collections.abc import Iterable, Sequence
from datetime import date

from hybrid_pools.blueprint.calendar import firings
from hybrid_pools.blueprint.calendar.reading import calendar_of
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration, Window
from hybrid_pools.blueprint.derivation.schedule import derive_schedule
from hybrid_pools.blueprint.model import Blueprint, Schedule, ScheduledPool, SwitchJob
from hybrid_pools.blueprint.model.schedule import LONGEST_SWITCH_MINUTES, MINUTES_A_POOL, RETRIES, SWITCHING_PERMISSIONS
from hybrid_pools.documents.markdown import code, codes, document, table
from hybrid_pools.documents.week import week_picture

_ANY_MONDAY = date(2024, 1, 1)
_DATE_OFF, _FROM, _TO = "2026-12-24", "2026-12-09T08:00", "2026-12-11T08:00"
"""Exceptions of the worked example. They are judged by nobody, so that the document does not grow old."""

_HOW = f"""\
Every buffer pool has two profiles of limits. Services have the buffer by default, with the pool's own `limits`. In the windows of the
schedule training has it, with the limits under `schedule.pools`. Cloud Scheduler jobs switch between the two by calling GKE's API. No code
runs in the cloud. Who may use the nodes is another question, which the queues answer.

- All times are in `timeZone`, over both changes of the clock. No switch may fall into such a change, into the cluster's maintenance
  window, or too near to another switch: `hybrid-pools check` says so before anything is made.
- Services need their nodes at the end of a window. Their limits come back `leadMinutes` before. In that time training saves and goes
  (`drainMinutes`) and nodes start (`bootMinutes`).
- Each call sends the whole autoscaling object, since GKE resets what is left out. Raised limits alone add no nodes. With `allAtOnce` a
  second call brings the profile's maximum one minute later. It is never one that could take nodes away.
- GKE runs one operation at a time on a cluster, so each pool has {MINUTES_A_POOL} minutes of its own. A call that is refused or lost is
  tried again up to {RETRIES.count} times, for {LONGEST_SWITCH_MINUTES} minutes at the most. The same call twice changes nothing more.
- The jobs call as an account of their own, whose role has {codes(SWITCHING_PERMISSIONS)} and nothing else.
- The program never sets back what the schedule owns: limits and size of a buffer pool are ignored after its creation. A changed limit
  comes with the next switch."""

_DOING = """\
- **One date without training**: add it to `datesOff`. A window that opens on that date stays shut, and one of the day before still ends.
- **Another time than usual**: add an override with `start`, `end` and `profile`. Windows do not count within it.
- **Stop switching**: set `frozen: true`. The jobs that open windows are paused; those that give the buffer back go on, so a window that is
  open still ends. Set it to `false` to go on.
- **Give services the buffer now**: freeze, then run the pool's services job by hand: `gcloud scheduler jobs run JOB --location REGION`.
- **After a date off or an override is over**: remove it at your leisure. Cloud Scheduler's dates have no year, so a preview refuses
  exceptions about eleven months after the first of them, and exceptions that are too far ahead."""


def render(blueprints: Iterable[Blueprint]) -> str:
    """The document, one chapter an environment."""
    known = list(blueprints)
    example = next((blueprint for blueprint in reversed(known) if blueprint.schedule), None)
    return document(
        "Calendar of the buffer",
        "the stack files and `hybrid_pools/blueprint/calendar`",
        "When buffer pools change hands between services and training. "
        "`hybrid-pools schedule --stack-file FILE --week-of DATE` shows any week.",
        "## How it works",
        _HOW,
        "## What to do when",
        _DOING,
        *(part for blueprint in known for part in _environment(blueprint)),
        *(_exceptions(example) if example else ()),
    )


def picture(blueprint: Blueprint) -> str:
    """A regular week of an environment; nothing where it has no schedule."""
    schedule = blueprint.schedule
    return week_picture(blueprint.environment.name, schedule, _ANY_MONDAY, dated=False) if schedule else ""


def _environment(blueprint: Blueprint) -> Iterable[str]:
    name, schedule = blueprint.environment.name, blueprint.schedule
    yield f"## {name}"
    if schedule is None:
        yield "No schedule: services keep the buffer."
        return
    if name == "prod":
        yield "![Who has the buffer of prod in a week](images/prod-week.svg)"
    configuration = schedule.configuration
    yield (
        f"Zone {code(configuration.time_zone)}, lead {configuration.lead_minutes} minutes, drain {configuration.drain_minutes}, "
        f"boot {configuration.boot_minutes}{', **frozen**' if configuration.frozen else ''}."
    )
    yield table(
        ["Window", "Opens", "Services' limits come back", "Services need the buffer"],
        (_window(window_name, window, configuration) for window_name, window in configuration.windows.items()),
    )
    yield table(["Pool", "For services", "For training", "All at once"], (_pool(pool) for pool in schedule.pools))
    yield "The jobs:"
    yield _jobs(schedule.jobs)


def _window(name: str, window: Window, configuration: ScheduleConfiguration) -> list[str]:
    alone = configuration.model_copy(update={"windows": {name: window}, "dates_off": (), "overrides": {}, "frozen": False})
    back = next(firing for firing in firings(calendar_of(alone)) if firing.profile is Profile.SERVICES)
    return [
        code(name),
        f"{', '.join(window.days)} {window.start}",
        f"{back.minute // 60:02}:{back.minute % 60:02}",
        f"{f'{window.end_day} ' if window.end_day else ''}{window.end}",
    ]


def _pool(pool: ScheduledPool) -> list[str]:
    sides = [f"{pool.limits[profile].minimum} to {pool.limits[profile].maximum} nodes" for profile in Profile]
    return [code(pool.name), *sides, ", ".join(sorted(pool.all_at_once))]


def _jobs(jobs: Sequence[SwitchJob]) -> str:
    return table(
        ["Job", "Schedule", "Call", "What it does"],
        ([code(job.name), code(job.cron), code(job.method), job.purpose + (" Paused." if job.paused else "")] for job in jobs),
    )


def _exceptions(blueprint: Blueprint) -> Iterable[str]:
    usual = blueprint.schedule
    assert usual is not None  # noqa: S101 - only environments with a schedule come here
    special = _with_exceptions(blueprint, usual)
    known = {(job.name, job.cron) for job in usual.jobs}
    assert special.validity is not None  # noqa: S101 - it has exceptions
    yield "## Exceptions, by example"
    yield (
        f"Say {blueprint.environment.name} also had the date off {_DATE_OFF}, and services kept the buffer from {_FROM} to {_TO}. "
        "Cron knows no single dates to leave out. So the weekly job is silent in that month, and "
        "another job lists the month's days. These jobs differ from the usual ones:"
    )
    yield _jobs([job for job in special.jobs if (job.name, job.cron) not in known])
    yield (
        f"Days of a month are those of one year. These jobs are right from {special.validity.start:%Y-%m-%d} until before "
        f"{special.validity.end:%Y-%m-%d}."
    )


def _with_exceptions(blueprint: Blueprint, usual: Schedule) -> Schedule:
    exceptions = {"datesOff": [_DATE_OFF], "overrides": {"launch": {"start": _FROM, "end": _TO, "profile": Profile.SERVICES.value}}}
    raw = usual.configuration.model_dump(mode="json", by_alias=True) | exceptions
    return derive_schedule(blueprint.environment.name, ScheduleConfiguration.model_validate(raw, strict=False), blueprint.pools)
