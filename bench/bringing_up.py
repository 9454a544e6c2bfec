"""How long the whole of the stack `local` takes to come up, the inside of its cluster included, once the lab runs."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measurement import Measurement, seconds
from lab.cluster.control_plane import ControlPlane
from lab.engine import Engine
from lab.paths import CHECKOUT, Lab
from lab.pulumi_cli import obtain_pulumi

_STACK = "local"
_LIMIT_SECONDS = 60.0


def measure() -> Iterator[Measurement]:
    """One `up` on an empty cluster, guarded by the pack."""
    with TemporaryDirectory() as directory:
        lab = Lab(Path(directory))
        plane = ControlPlane(lab.directory)
        try:
            plane.start()
            engine = Engine(lab, CHECKOUT, obtain_pulumi(), CHECKOUT / "policies")
            engine.select_or_init(_STACK)

            def bring_up() -> None:
                result = engine.up(_STACK)
                if not result.ok:
                    raise RuntimeError(f"stack {_STACK} does not come up:\n{result.output}")

            took = seconds(bring_up)
        finally:
            plane.stop()
    yield Measurement("bring up all of local, with the inside of its cluster", took, "s", _LIMIT_SECONDS)
