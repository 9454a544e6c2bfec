"""`hybrid-pools pools`: the pools as a table."""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract, PoolContract, pool_contract
from hybrid_pools.cli.output import Format, OutputOption, fail
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of
from hybrid_pools.documents.terminal import pools_table

_PIPE_WIDTH = 160
"""Characters a line where the output is no terminal and has no width of its own."""

_HOW = "Write it with: pulumi stack output contract --json --stack NAME"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def pools(
    stack_file: Annotated[Path | None, STACK_FILE] = None,
    contract: Annotated[
        str | None,
        typer.Option("--contract", "-c", metavar="FILE", help="The output `contract` of a stack as JSON; - reads it from a pipe."),
    ] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Show the pools that a stack file describes, or those that a stack promises in its contract.

    For a stack that is up: pulumi stack output contract --json --stack NAME | hybrid-pools pools --contract -
    """
    if (stack_file is None) == (contract is None):
        raise typer.BadParameter("give either --stack-file or --contract")
    found = _of_contract(contract) if stack_file is None else _of_stack_file(stack_file)
    if output is Format.JSON:
        typer.echo(json.dumps([_row(pool) for pool in found], indent=2))
        return
    Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(pools_table(found))


def _of_stack_file(file: Path) -> Sequence[PoolContract]:
    # Physical names come into being with the stack, and no row shows them.
    return [pool_contract(pool, node_pool=pool.name) for pool in blueprint_of(file).pools]


def _of_contract(source: str | None) -> Sequence[PoolContract]:
    name = "standard input" if source == "-" else str(source)
    try:
        text = sys.stdin.read() if source == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        fail(f"{name} is not JSON (line {error.lineno}: {error.msg}). {_HOW}")
    version = content.get("contractVersion") if isinstance(content, dict) else None
    if version is None:
        fail(f"{name} has no contractVersion, so it is no contract. {_HOW}")
    if version != CONTRACT_VERSION:
        fail(
            f"{name} is a contract of version {version}, and this command reads version {CONTRACT_VERSION}. "
            "Use the release of hybrid-node-pools that the stack was made with."
        )
    try:
        return Contract.model_validate(content).pools
    except ValidationError as error:
        fail(f"{name} does not follow docs/schema/contract.v1.schema.json:\n" + "\n".join(_explained(error)))


def _explained(error: ValidationError) -> Iterable[str]:
    for details in error.errors():
        yield f"  {'.'.join(map(str, details['loc']))}: {details['msg'].lower()}"


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
