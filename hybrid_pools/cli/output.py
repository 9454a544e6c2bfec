"""How commands answer: as text for people or as JSON for programs, and with one message where they cannot."""

from enum import StrEnum
from typing import Annotated, NoReturn

import typer


class Format(StrEnum):
    """What a command prints."""

    TEXT = "text"
    JSON = "json"


OutputOption = Annotated[Format, typer.Option("--output", "-o", help="For people or for programs.")]


def fail(message: str) -> NoReturn:
    """End with exit code 1 and one message, on standard error."""
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(1)
