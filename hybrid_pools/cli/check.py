"""`hybrid-pools check`: judge stack files."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.cli.output import Format, OutputOption

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def check(
    stack_files: Annotated[list[Path], typer.Argument(metavar="STACK_FILE", help="For example stacks/Pulumi.prod.yaml.")],
    output: OutputOption = Format.TEXT,
) -> None:
    """Judge stack files without any cloud, as a preview would judge them first.

    Ends with 0 if all are fine, with 1 if one has a problem. docs/configuration.md explains every key and rule.
    """
    errors = {file: _problems(file) for file in stack_files}
    if output is Format.JSON:
        typer.echo(
            json.dumps(
                [
                    {"file": str(file), "problems": [asdict(problem) for problem in error.problems] if error else []}
                    for file, error in errors.items()
                ],
                indent=2,
            )
        )
    else:
        typer.echo("\n\n".join(error.text() if error else f"{file}: no problems." for file, error in errors.items()))
    if any(errors.values()):
        raise typer.Exit(1)


def _problems(file: Path) -> ConfigurationError | None:
    try:
        check_stack_file(file)
    except ConfigurationError as error:
        return error
    return None
