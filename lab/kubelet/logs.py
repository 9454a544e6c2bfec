"""`python -m lab pod-logs`: what the containers of a pod on a process node have written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from lab.errors import LabError
from lab.paths import default_lab


def pod_logs(
    pod: Annotated[str, typer.Argument(help="Name of the pod, also of one that is gone.")],
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Its namespace.")] = "default",
) -> None:
    """Print the logs of a pod that runs, or has run, on a process node."""
    for heading, text in written(default_lab().directory / "kubelet" / "logs", namespace, pod):
        typer.secho(heading, bold=True)
        typer.echo(text, nl=not text.endswith("\n"))


def written(folder: Path, namespace: str, pod: str) -> Iterator[tuple[str, str]]:
    """A heading and the text of each attempt of each container, of the latest pod of that name.

    Raises:
        LabError: No pod of that name has written anything.
    """
    # A uid has no underscore, and neither have the names of namespaces and pods.
    found = sorted(folder.glob(f"{namespace}_{pod}_*"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise LabError(
            f"Nothing is known of pod {pod} in namespace {namespace}. Logs are kept of pods on process nodes only; "
            "look where it is with kubectl get pod --output wide."
        )
    for container in sorted(found[-1].iterdir()):
        for file in sorted(container.glob("*.log"), key=lambda path: int(path.stem)):
            yield f"{container.name}, attempt {int(file.stem) + 1}", file.read_text(errors="replace")
