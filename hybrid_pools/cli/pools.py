"""`hybrid-pools pools`: the pools as a table."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hybrid_pools.blueprint.contract import PoolContract, pool_contract
from hybrid_pools.cli.contract_source import CONTRACT, STACK, contract_from
from hybrid_pools.cli.output import Format, OutputOption, console
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of
from hybrid_pools.documents.terminal import pools_table

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def pools(
    stack_file: Annotated[Path | None, STACK_FILE] = None,
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Show the pools that a stack file describes, or those that a stack promises in its contract.

    Of a stack that is up: hybrid-pools pools --stack NAME, where Pulumi.yaml is.
    """
    if [stack_file, contract, stack].count(None) != 2:
        raise typer.BadParameter("give one of --stack-file, --contract and --stack")
    found = contract_from(contract, stack).pools if stack_file is None else _of_stack_file(stack_file)
    if output is Format.JSON:
        typer.echo(json.dumps([_row(pool) for pool in found], indent=2))
        return
    console().print(pools_table(found))


def _of_stack_file(file: Path) -> Sequence[PoolContract]:
    # Physical names come into being with the stack, and no row shows them.
    return [pool_contract(pool, node_pool=pool.name) for pool in blueprint_of(file).pools]


def _row(pool: PoolContract) -> dict[str, Any]:
    gpus = pool.accelerator
    return {
        "name": pool.name,
        "role": pool.role.value,
        "capacity": pool.capacity.value,
        "machineType": pool.machine_type,
        "accelerator": gpus.type if gpus else None,
        "gpusPerNode": gpus.count if gpus else 0,
        "zones": list(pool.zones),
        "minimumNodes": pool.limits.minimum_nodes,
        "maximumNodes": pool.limits.maximum_nodes,
        "maximumGpus": pool.limits.maximum_gpus,
        "usableGraceSeconds": pool.usable_grace_seconds,
    }
