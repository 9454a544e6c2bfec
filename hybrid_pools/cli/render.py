"""`hybrid-pools render`: from a job description and a contract to a manifest."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hybrid_pools.cli.contract_source import CONTRACT, STACK
from hybrid_pools.cli.launching import DESCRIPTION, planned, warn_of_tag
from hybrid_pools.cli.requesting import SERVICE_ACCOUNT, requested
from hybrid_pools.training.launch import manifest, text

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class ManifestFormat(StrEnum):
    """How a manifest is written."""

    YAML = "yaml"
    JSON = "json"


class Target(StrEnum):
    """What a description is made into."""

    KUBERNETES = "kubernetes"
    VERTEX = "vertex"


@app.command()
def render(
    file: Annotated[Path, DESCRIPTION],
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    target: Annotated[
        Target, typer.Option("--target", help="A manifest for the cluster, or the request for a custom job of Vertex AI.")
    ] = Target.KUBERNETES,
    service_account: Annotated[str | None, SERVICE_ACCOUNT] = None,
    output: Annotated[
        ManifestFormat, typer.Option("--output", "-o", help="For people and kubectl, or for programs.")
    ] = ManifestFormat.YAML,
) -> None:
    """Print the manifest of a run: a Job or a JobSet that is right for the environment.

    For example: hybrid-pools render -f job.yaml --stack prod | kubectl apply -f -

    Without --contract and --stack the contract of Pulumi's current stack is taken. docs/launch.md explains description and manifest,
    docs/vertex.md the request for Vertex AI, which `hybrid-pools submit` makes and follows.
    """
    if (target is Target.VERTEX) != (service_account is not None):
        raise typer.BadParameter("--target vertex and --service-account go together")
    if service_account is not None:
        _print(requested(file, contract, stack, service_account).body(), output)
        return
    plan, _ = planned(file, contract, stack)
    warn_of_tag(file, plan.job)
    _print(manifest(plan), output)


def _print(made: dict[str, Any], output: ManifestFormat) -> None:
    typer.echo(json.dumps(made, indent=2) if output is ManifestFormat.JSON else text(made), nl=output is ManifestFormat.JSON)
