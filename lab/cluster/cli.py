"""`python -m lab start`, `status`, `stop`, `logs`: the lab's control plane."""

import sys
import time
from collections import deque
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from lab.cluster.control_plane import ControlPlane
from lab.errors import LabError
from lab.paths import default_lab

_LINES = 100  # of a log that are shown


def start() -> None:
    """Start the control plane, or what is missing of it, and wait until it is ready."""
    began = time.monotonic()
    control_plane = ControlPlane(default_lab().directory)
    started = control_plane.start()
    if started:
        typer.echo(f"Started {', '.join(started)} in {time.monotonic() - began:.0f} s.")
    typer.echo(f"The control plane runs at {control_plane.url}. Its kubeconfig: {control_plane.kubeconfig}")


def stop() -> None:
    """Stop the control plane. What is in the cluster stays for the next start."""
    ControlPlane(default_lab().directory).stop()


def status() -> None:
    """Show how each part of the control plane is; ends with 1 unless all of them run."""
    found = ControlPlane(default_lab().directory).status()
    table = Table("Part", "State", "Process", "Ports", "Log", box=box.SIMPLE_HEAD)
    for part in found:
        ports = ", ".join(map(str, part.ports))
        table.add_row(part.name, part.state, str(part.pid or ""), ports, str(part.log))
    # As wide as it must be: paths that are cut short are no use.
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    if any(part.state != "running" for part in found):
        typer.echo("Start what does not run: python -m lab start")
        raise typer.Exit(1)


def logs(part: Annotated[str, typer.Argument(help="Name of a part, as `python -m lab status` shows it.")]) -> None:
    """Show the end of what a part has printed."""
    control_plane = ControlPlane(default_lab().directory)
    names = [known.name for known in control_plane.parts]
    if part not in names:
        raise LabError(f"There is no part {part}. Name one of: {', '.join(names)}.")
    log = control_plane.files.log(part)
    if not log.exists():
        raise LabError(f"{part} has printed nothing, because it has never been started. Start it: python -m lab start")
    with log.open(errors="replace") as lines:
        last = deque(lines, _LINES)
    typer.echo(f"{log}, its last {len(last)} lines:")
    typer.echo("".join(last), nl=False)
