"""`hybrid-pools queues`: what each class of work gets, and what each team has."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.queues import class_contract, flavor_contract, queue_contract, quota_contract
from hybrid_pools.blueprint.model.queues import Kubernetes, Queues
from hybrid_pools.cli.output import Format, OutputOption, console, fail
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of
from hybrid_pools.documents.queues import holds, limit, quota_rows, shared

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def queues(stack_file: Annotated[Path, STACK_FILE], output: OutputOption = Format.TEXT) -> None:
    """Show the classes, flavors and quotas of a stack file."""
    kubernetes = blueprint_of(stack_file).kubernetes
    if kubernetes is None:
        fail(f"{stack_file} declares nothing inside the cluster. Add the sections kubernetes and queues (docs/configuration.md).")
    if output is Format.JSON:
        typer.echo(json.dumps(_data(kubernetes), indent=2))
        return
    terminal = console()
    for table in _tables(kubernetes):
        terminal.print(table)


def _tables(kubernetes: Kubernetes) -> Iterable[Table]:
    told = kubernetes.queues
    yield _table(
        ("class", "priority", "order of flavors", "longest run"),
        ([policy.workload_class, f"{policy.priority}", ", ".join(policy.order) or "none", limit(policy)] for policy in kubernetes.classes),
    )
    yield _table(
        ("flavor", "pools", "holds", "shared", "time to save"),
        (
            [flavor.name, ", ".join(flavor.pools), holds(flavor, flavor.capacity), shared(told, flavor), f"{flavor.usable_grace_seconds} s"]
            for flavor in told.flavors
        ),
    )
    yield _table(("team", "weight", "queue", "flavor", "own", "may borrow", "lends"), quota_rows(told))
    if told.buffer:
        yield _table(
            ("the buffer's quota", "cron", "zone"),
            (["opens" if switch.opens else "closes", switch.cron, switch.time_zone] for switch in told.buffer.switches),
        )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _data(kubernetes: Kubernetes) -> dict[str, Any]:
    told = kubernetes.queues
    return {
        "classes": [_dumped(class_contract(policy)) for policy in kubernetes.classes],
        "flavors": [_dumped(flavor_contract(flavor)) for flavor in told.flavors],
        "teams": [{"team": cohort.team, "weight": cohort.weight / 1000, "queues": _queues_of(told, cohort.team)} for cohort in told.teams],
        "shared": [_dumped(quota_contract(quota)) for quota in told.shared],
        "buffer": [_dumped(quota_contract(quota)) for quota in told.buffer.quotas] if told.buffer else [],
    }


def _queues_of(told: Queues, team: str) -> list[dict[str, Any]]:
    return [_dumped(queue_contract(queue)) for queue in told.queues if queue.team == team]


def _dumped(part: Part) -> dict[str, Any]:
    dumped: dict[str, Any] = part.model_dump(mode="json", exclude_none=True)
    return dumped
