"""`hybrid-pools explain`: what a run may expect in an environment."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from hybrid_pools.cli.contract_source import CONTRACT, STACK
from hybrid_pools.cli.launching import DESCRIPTION, planned
from hybrid_pools.cli.output import Format, OutputOption
from hybrid_pools.documents.explanation import explained
from hybrid_pools.training.launch.explanation import explanation

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def explain(
    file: Annotated[Path, DESCRIPTION],
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Say where a run may be and in which order, how long it may wait, what happens when a node is taken, and what that costs.

    Without --contract and --stack the contract of Pulumi's current stack is taken.
    """
    plan, found = planned(file, contract, stack)
    told = explanation(plan, found, datetime.now(UTC))
    typer.echo(told.model_dump_json(indent=2, exclude_none=True) if output is Format.JSON else explained(told))
