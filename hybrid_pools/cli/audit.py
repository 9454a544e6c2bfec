"""`hybrid-pools audit`: which segments of a workload are safe on spot."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from hybrid_pools.cli.contract_source import CONTRACT, STACK, contract_from
from hybrid_pools.cli.output import Format, OutputOption, console, fail
from hybrid_pools.training.audit import AuditError, Verdict, judge, places_of, read_workload

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The segments of a workload, as in docs/audit.md.")],
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Say for each segment of a workload on which role of pool it is safe, and why.

    With --contract or --stack it is judged by the pools of that environment, otherwise by pools that set nothing: spot then leaves 15
    seconds. docs/audit.md shows the rules.
    """
    places = places_of(contract_from(contract, stack) if contract or stack else None)
    try:
        workload = read_workload(file)
    except AuditError as error:
        fail(str(error))
    verdicts = [judge(name, segment, places) for name, segment in workload.segments.items()]
    if output is Format.JSON:
        typer.echo(json.dumps([_row(verdict) for verdict in verdicts], indent=2))
        return
    terminal = console()
    terminal.print(_table(verdicts))
    terminal.print(
        f"A save must be done within {places.save_on_spot} s on spot and {places.save_on_buffer} s on the buffer, margin taken off. "
        "docs/audit.md tells the rules by their ids."
    )


def _row(verdict: Verdict) -> dict[str, Any]:
    rule = verdict.rule
    return {
        "segment": verdict.segment,
        "role": rule.role.value,
        "class": rule.workload_class.value,
        "rule": rule.id,
        "why": rule.why,
        "toSpot": verdict.to_spot or None,
        "source": rule.source,
    }


def _table(verdicts: list[Verdict]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("segment", "role", "class", "rule", "why"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "rule")
    for verdict in verdicts:
        rule = verdict.rule
        why = f"{rule.why}\nFor spot: {verdict.to_spot}" if verdict.to_spot else rule.why
        table.add_row(verdict.segment, rule.role, rule.workload_class, rule.id, why)
    return table
