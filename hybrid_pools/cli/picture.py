"""`hybrid-pools picture`: the pools over zones as SVG."""

from pathlib import Path
from typing import Annotated

import typer

from hybrid_pools.cli.output import fail
from hybrid_pools.cli.stack_file import STACK_FILE, blueprint_of
from hybrid_pools.documents.picture import picture as drawn

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def picture(
    stack_file: Annotated[Path, STACK_FILE],
    output_file: Annotated[Path, typer.Option("--output-file", metavar="FILE", help="The SVG file to write; an existing one is replaced.")],
) -> None:
    """Draw the pools of a stack file over its zones, with machines, GPUs, limits and taints."""
    text = drawn(blueprint_of(stack_file))
    try:
        output_file.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{output_file} cannot be written: {error.strerror}. Name a file in a folder that exists.")
    typer.echo(f"{output_file}: written")
