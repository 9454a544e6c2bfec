"""The part of the lab that makes and removes nodes: `python -m lab.nodes --lab DIR`. Ends on SIGTERM."""

import logging
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from lab.google.store import Store
from lab.nodes.loop import Nodes
from lab.paths import Lab


def main(lab: Annotated[Path, typer.Option(help="Absolute path of the lab's directory.")]) -> None:
    """Make the nodes of one lab follow its node pools."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    logging.getLogger("urllib3").setLevel(logging.ERROR)  # it tells of every try while the API server is away
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    place = Lab(lab)
    Nodes(place, Store(place.store)).run(stop)


if __name__ == "__main__":
    typer.run(main)
