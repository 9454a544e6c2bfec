"""`hybrid-pools quotas`: what Google must allow, and whether it does."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from hybrid_pools.blueprint.model import QuotaNeed
from hybrid_pools.blueprint.quota_check import BadExport, Outcome, Quota, Verdict, check_quotas, read_export
from hybrid_pools.cli.output import Format, OutputOption, console, fail
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def quotas(
    stack_file: Annotated[Path, STACK_FILE],
    usage: Annotated[
        list[Path] | None,
        typer.Option("--usage", "-u", metavar="FILE", help="Export of the region or of the project. May be given twice."),
    ] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Show the Google quotas that a stack file needs and, with --usage, whether the project has them.

    FILE is written by `gcloud compute regions describe REGION --format=json` or `gcloud compute project-info describe --format=json`.
    Ends with 1 if a quota is too small.
    """
    blueprint = blueprint_of(stack_file)
    exports = _exports(usage or [], blueprint.environment.region)
    verdicts = check_quotas(blueprint.quotas, exports) if usage else ()
    if output is Format.JSON:
        rows = [_verdict_row(verdict) for verdict in verdicts] if usage else [_need_row(need) for need in blueprint.quotas]
        typer.echo(json.dumps(rows, indent=2))
    else:
        table = _verdicts(verdicts) if usage else _needs(blueprint.quotas)
        console().print(table)
    if any(verdict.outcome is Outcome.SHORT for verdict in verdicts):
        raise typer.Exit(1)


def _exports(files: Sequence[Path], region: str) -> dict[str, Mapping[str, Quota]]:
    exports: dict[str, Mapping[str, Quota]] = {}
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}")
        try:
            location, found = read_export(text, str(file))
        except BadExport as error:
            fail(str(error))
        if location not in ("global", region):
            fail(f"{file} is of the region {location}, and the environment is in {region}. Export that one.")
        if location in exports:
            fail(f"{file} is a second export of {location}. Give one of the region and one of the project.")
        exports[location] = found
    return exports


def _need_row(need: QuotaNeed) -> dict[str, Any]:
    row = asdict(need)
    del row["instead"]
    return row | {"pools": list(need.pools)}


def _verdict_row(verdict: Verdict) -> dict[str, Any]:
    quota = verdict.quota
    return _need_row(verdict.need) | {
        "limit": quota.limit if quota else None,
        "usage": quota.usage if quota else None,
        "outcome": verdict.outcome.value,
        "shortBy": verdict.short_by,
        "note": verdict.note,
    }


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _needs(needs: Sequence[QuotaNeed]) -> Table:
    table = _table("quota", "where", "needed", "for")
    for need in needs:
        table.add_row(need.name or f"(look it up) {need.what}", need.location, f"{need.amount} {need.unit}", ", ".join(need.pools))
    return table


def _verdicts(verdicts: Sequence[Verdict]) -> Table:
    table = _table("quota", "where", "needed", "in use", "limit", "verdict", "")
    for verdict in verdicts:
        need, quota = verdict.need, verdict.quota
        table.add_row(
            need.name or f"(no name) {need.what}",
            need.location,
            f"{need.amount} {need.unit}",
            f"{quota.usage:g}" if quota else "",
            f"{quota.limit:g}" if quota else "",
            f"short by {verdict.short_by}" if verdict.outcome is Outcome.SHORT else verdict.outcome.value,
            verdict.note,
        )
    return table
