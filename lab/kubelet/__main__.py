"""The process: `python -m lab.kubelet --lab DIRECTORY`."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from lab.build import build
from lab.cluster.control_plane import ControlPlane
from lab.cluster.programs import kubectl
from lab.errors import LabError
from lab.kubelet.api import Api
from lab.kubelet.kubelet import Kubelet, machine_of
from lab.paths import cache_folder
from lab.progress import Progress


def main(lab: Annotated[Path, typer.Option(help="Directory of the lab.")]) -> None:
    """Serve the process nodes of a lab until SIGTERM; then end the processes of their pods."""
    stop = threading.Event()
    threading.excepthook = _give_up
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        control_plane = ControlPlane(lab)
        api = Api(control_plane.client())
        machine = machine_of(lab, api.server)
        _offer(build(kubectl(), cache_folder(), Progress()), machine.bin)
        Kubelet(api, lambda node: Api(control_plane.client(f"system:node:{node}")), machine).serve(stop)
    except LabError as error:
        raise SystemExit(f"error: {error}") from None


def _give_up(failure: threading.ExceptHookArgs) -> None:
    """A kubelet that has lost a thread would look alive and do nothing. One that has ended is started again and finds its pods."""
    sys.__excepthook__(failure.exc_type, failure.exc_value or failure.exc_type(), failure.exc_traceback)
    os._exit(1)


def _offer(program: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / program.name
    link.unlink(missing_ok=True)
    link.symlink_to(program)


if __name__ == "__main__":
    typer.run(main)
