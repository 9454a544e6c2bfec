"""What the commands share that start from a job description and a contract."""

from pathlib import Path

import typer

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.cli.contract_source import contract_from
from hybrid_pools.cli.output import fail
from hybrid_pools.training.description import DescriptionError, Job
from hybrid_pools.training.description.reading import DescriptionFile, read_description_file
from hybrid_pools.training.launch import LaunchError, Plan, plan

DESCRIPTION = typer.Option("--file", "-f", metavar="FILE", help="A job description, for example job.yaml.")
"""The option that names a job description, for `Annotated[Path, DESCRIPTION]`."""


def described(file: Path) -> DescriptionFile:
    """A job description. Where it has problems, the command ends with all of them and exit code 1."""
    try:
        return read_description_file(file)
    except DescriptionError as error:
        fail(str(error))


def planned(file: Path, contract: str | None, stack: str | None) -> tuple[Plan, Contract]:
    """The run as the environment decides it; a description that has no place there ends the command likewise.

    Args:
        contract: Value of the option for contracts.
        stack: Value of the option for stacks.
    """
    described_run = described(file)
    found = contract_from(contract, stack)
    try:
        return plan(described_run.job, found), found
    except LaunchError as error:
        fail(str(described_run.refused(error.problems)))


def warn_of_tag(file: Path, job: Job) -> None:
    """Say, on standard error, where the image of a run may become another one."""
    if "@sha256:" not in job.image:
        typer.echo(
            f"warning: {file}: image {job.image} is a tag, and may be another program when the run starts again. Name it by digest, "
            "which `docker buildx imagetools inspect IMAGE` shows.",
            err=True,
        )
