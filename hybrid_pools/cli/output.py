"""How commands answer: as text for people or as JSON for programs, and with one message where they cannot."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console


class Format(StrEnum):
    """What a command prints."""

    TEXT = "text"
    JSON = "json"


OutputOption = Annotated[Format, typer.Option("--output", "-o", help="For people or for programs.")]


def console(pipe_width: int = 160, *, highlight: bool = True) -> "Console":
    """Where tables are printed.

    Args:
        pipe_width: Characters a line where the output is no terminal and has no width of its own.
        highlight: Whether numbers and the like get colours on a terminal.
    """
    from rich.console import Console  # noqa: PLC0415 - JSON needs none of it

    return Console(width=None if sys.stdout.isatty() else pipe_width, highlight=highlight)


def fail(message: str) -> NoReturn:
    """End with exit code 1 and one message, on standard error."""
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(1)
