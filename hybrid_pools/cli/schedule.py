"""`hybrid-pools schedule`: who has the buffer in a week."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.text import Text

from hybrid_pools.blueprint.calendar.switching import switches
from hybrid_pools.blueprint.calendar.week import Phase, week_of
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.model import Schedule
from hybrid_pools.cli.output import Format, OutputOption, console, fail
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of
from hybrid_pools.documents.week import week_picture

_STEP = 30
"""Minutes that one character of the picture stands for."""

_MARKS = {Phase.SERVICES: ("·", "blue"), Phase.TRAINING: ("█", "yellow"), Phase.RETURNING: ("▒", "green")}
_WORDS = {Phase.SERVICES: "services", Phase.TRAINING: "training", Phase.RETURNING: "services' limits, training drains, nodes start"}

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def schedule(
    stack_file: Annotated[Path, STACK_FILE],
    week_of_day: Annotated[
        str | None, typer.Option("--week-of", metavar="DATE", help="A day of the week to show, for example 2026-12-24. Left out: today.")
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the week as a picture as well.")] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Show who has the buffer in a week, with dates off and overrides, and when it switches.

    Times are those of the schedule's zone.
    """
    blueprint = blueprint_of(stack_file)
    found = blueprint.schedule
    if found is None:
        fail(f"{stack_file} has no schedule: services keep the buffer. docs/calendar.md shows how to write one.")
    monday = _monday(week_of_day, found.calendar.zone)
    if svg is not None:
        try:
            svg.write_text(week_picture(blueprint.environment.name, found, monday, dated=True), encoding="utf-8")
        except OSError as error:
            fail(f"{svg} cannot be written: {error.strerror}. Name a file in a folder that exists.")
    if output is Format.JSON:
        typer.echo(json.dumps(_as_data(found, monday), indent=2))
        return
    terminal = console(120, highlight=False)
    terminal.print(_picture(found, monday))
    if svg is not None:
        terminal.print(f"{svg}: written", markup=False)


def _monday(text: str | None, zone: str) -> date:
    try:
        day = date.fromisoformat(text) if text else datetime.now(ZoneInfo(zone)).date()
    except ValueError:
        fail(f"{text} is no date. Write it like 2026-12-24.")
    return day - timedelta(days=day.weekday())


def _picture(schedule: Schedule, monday: date) -> Text:
    calendar = schedule.calendar
    frozen = "  frozen: services keep the buffer" if calendar.frozen else ""
    picture = Text(f"Week of {monday:%Y-%m-%d}, {calendar.zone}{frozen}\n\n")
    picture.append(" " * 11 + "".join(f"{hour:<6}" for hour in range(0, 24, 3)) + "24\n")
    blocks = week_of(calendar, monday)
    for day in range(7):
        picture.append(f"{monday + timedelta(days=day):%a %d %b} ")
        for minute in range(0, 1440, _STEP):
            # A character shows who has the buffer when it begins.
            phase = next(block.phase for block in blocks if block.day == day and block.start <= minute < block.end)
            picture.append(_MARKS[phase][0], style=_MARKS[phase][1])
        picture.append("\n")
    picture.append("\n")
    for phase, (mark, style) in _MARKS.items():
        picture.append(mark, style=style)
        picture.append(f" {_WORDS[phase]}   ")
    picture.append("\n\n")
    for switch in _switches(schedule, monday):
        picture.append(f"{switch['local']}  {switch['utc']}  {switch['pool']}: {switch['limits']} for {switch['profile']}\n")
    if schedule.validity:
        picture.append(f"\nDates off and overrides that are over must be removed before {schedule.validity.end:%Y-%m-%d}.\n")
    return picture


def _as_data(schedule: Schedule, monday: date) -> dict[str, Any]:
    return {
        "timeZone": schedule.calendar.zone,
        "weekOf": monday.isoformat(),
        "frozen": schedule.calendar.frozen,
        "blocks": [
            {
                "date": (monday + timedelta(days=block.day)).isoformat(),
                "start": f"{block.start // 60:02}:{block.start % 60:02}",
                "end": f"{block.end // 60:02}:{block.end % 60:02}",
                "phase": block.phase.value,
            }
            for block in week_of(schedule.calendar, monday)
        ],
        "switches": _switches(schedule, monday),
        "validUntil": schedule.validity.end.isoformat() if schedule.validity else None,
    }


def _switches(schedule: Schedule, monday: date) -> list[dict[str, str]]:
    """Every pool's switches of the week, in order, in local time and in UTC."""
    zone = ZoneInfo(schedule.calendar.zone)
    begin = datetime.combine(monday, datetime.min.time(), zone).astimezone(UTC)
    end = datetime.combine(monday + timedelta(days=7), datetime.min.time(), zone).astimezone(UTC)
    found = [(switch, pool) for pool in schedule.pools for switch in switches(schedule.calendar, begin, end, pool.delay)]
    return [
        {
            "local": f"{switch.wall:%a %Y-%m-%d %H:%M}",
            "utc": f"{switch.at:%Y-%m-%dT%H:%MZ}",
            "pool": pool.name,
            "profile": switch.profile.value,
            "limits": _limits(schedule, pool.name, switch.profile),
        }
        for switch, pool in sorted(found, key=lambda item: (item[0], item[1].name))
    ]


def _limits(schedule: Schedule, pool: str, profile: Profile) -> str:
    limits = next(one for one in schedule.pools if one.name == pool).limits[profile]
    return f"{limits.minimum} to {limits.maximum} nodes"
