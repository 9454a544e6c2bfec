"""Stack files as arguments of commands."""

from pathlib import Path

import typer

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.derivation import derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.cli.output import fail

STACK_FILE = typer.Option("--stack-file", "-f", metavar="FILE", help="A stack file, for example stacks/Pulumi.prod.yaml.")
"""The option that names a stack file, for `Annotated[Path, STACK_FILE]`."""


def blueprint_of(stack_file: Path) -> Blueprint:
    """What a stack file means. Where it has problems, the command ends with all of them and exit code 1."""
    try:
        return derive(check_stack_file(stack_file))
    except ConfigurationError as error:
        fail(error.text())
