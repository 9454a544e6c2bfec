"""What the commands share that make a request for Vertex AI."""

from pathlib import Path

import typer

from hybrid_pools.cli.contract_source import contract_from
from hybrid_pools.cli.launching import described, warn_of_tag
from hybrid_pools.cli.output import fail
from hybrid_pools.training.vertex import Request, VertexError, vertex_request

SERVICE_ACCOUNT = typer.Option(
    "--service-account", metavar="EMAIL", help="Google service account that workers on Vertex AI run as (docs/vertex.md)."
)
"""The option that names a service account."""


def requested(file: Path, contract: str | None, stack: str | None, service_account: str) -> Request:
    """The run as Vertex AI is asked for it. What it cannot do ends the command, with every reason and exit code 1.

    Args:
        file: A job description.
        contract: Value of the option for contracts.
        stack: Value of the option for stacks.
    """
    run = described(file)
    try:
        request = vertex_request(run.job, contract_from(contract, stack), service_account)
    except VertexError as error:
        fail(str(run.refused(error.problems)))
    # Images that run packages are Google's own, which have tags.
    if run.job.package is None:
        warn_of_tag(file, run.job)
    machine = request.machine
    if not machine.is_known:
        typer.echo(
            f"warning: {file}: workers get {machine.machine_type}, as pool {machine.pool} has, and Vertex AI is not known to take it for "
            "training. If it refuses, name another flavor.",
            err=True,
        )
    return request
