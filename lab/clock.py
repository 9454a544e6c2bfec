"""`python -m lab clock`: advances the clock, does the jobs that come due, and shows what switched."""

import json
from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from lab.errors import LabError
from lab.google import functions
from lab.google.catalogue import load_catalogue
from lab.google.computed import NODE_POOL
from lab.google.http import Clock, ContainerApi, serving
from lab.google.scheduler import Attempt, jobs_of, run
from lab.google.store import Store, store_path


def clock(
    stack: Annotated[str, typer.Argument(help="Name of a stack that is up.")],
    start: Annotated[str, typer.Option("--from", metavar="TIME", help="In the schedule's zone, for example 2026-12-01T00:00.")],
    end: Annotated[str, typer.Option("--to", metavar="TIME", help="Up to then, for example 2026-12-02T00:00.")],
) -> None:
    """Advance the clock over a stack: its Cloud Scheduler jobs are done as HTTP calls, and change the node pools of the stand-in."""
    store = Store(store_path())
    jobs = jobs_of(store, f"urn:pulumi:{stack}::")
    if not jobs:
        raise LabError(f"Stack {stack} has no scheduler jobs. Give it a schedule and bring it up: make up STACK={stack}")
    zone = ZoneInfo(jobs[0].document["timeZone"])
    begin, finish = (_instant(text, zone) for text in (start, end))
    if finish <= begin:
        raise LabError(f"--to {end} is not after --from {start}.")
    playing = Clock(begin)
    api = ContainerApi(load_catalogue(store.path.parent, functions.TOKENS), store, playing)
    table = _table(f"{stack} from {start} to {end}, {zone.key}")
    with serving(api) as address:
        for attempt in run(store, jobs, address, playing, begin, finish):
            table.add_row(*_row(attempt, store, zone))
    console = Console()
    console.print(table)
    console.print(_limits(store, {attempt_pool(job.document["httpTarget"]["uri"]) for job in jobs}), markup=False, highlight=False)


def attempt_pool(url: str) -> str:
    """Identifier of the node pool that a call is about."""
    return url.partition("/v1/")[2].rpartition(":")[0]


def _instant(text: str, zone: ZoneInfo) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
    except ValueError:
        raise LabError(f"{text!r} is no time. Write it like 2026-12-01T00:00.") from None


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("time", "pool", "call", "try", "outcome", "limits after it"):
        table.add_column(heading)
    return table


def _row(attempt: Attempt, store: Store, zone: ZoneInfo) -> tuple[str, ...]:
    pool = attempt_pool(attempt.url)
    method = attempt.url.rpartition(":")[2]
    outcome = "done" if attempt.ok else _said(attempt)
    wall = f"{attempt.at.astimezone(zone):%a %Y-%m-%d %H:%M:%S}"
    return wall, pool.rpartition("/")[2], method, str(attempt.number), outcome, _limits_of(store, pool)


def _said(attempt: Attempt) -> str:
    try:
        return f"{attempt.status}: {json.loads(attempt.message)['error']['message']}"
    except (ValueError, KeyError, TypeError):
        return attempt.message


def _limits(store: Store, pools: set[str]) -> str:
    return "\n".join(f"{pool.rpartition('/')[2]} now: {_limits_of(store, pool)}" for pool in sorted(pools))


def _limits_of(store: Store, pool: str) -> str:
    record = store.get(pool, NODE_POOL)
    limits = record.document.get("autoscaling", {}) if record else {}
    return f"{limits.get('totalMinNodeCount', 0)} to {limits.get('totalMaxNodeCount', 0)} nodes" if limits else "no autoscaling"
