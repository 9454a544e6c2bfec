"""`make bench`: every figure as a table, and as `build/bench.json`. Ends with 1 where one is over its limit."""

import sys

from rich.console import Console

from bench import admission, blueprint, checkpoints, preview
from bench.measurement import keep, show
from lab.paths import CHECKOUT


def main() -> int:
    """Measure everything."""
    console = Console()
    with console.status("measuring"):
        measurements = [
            *blueprint.measure(CHECKOUT / "stacks"),
            *preview.measure(),
            *checkpoints.measure(),
            *admission.measure(CHECKOUT / "stacks"),
        ]
    show(measurements, console)
    keep(measurements, CHECKOUT / "build" / "bench.json")
    return 0 if all(each.holds for each in measurements) else 1


if __name__ == "__main__":
    sys.exit(main())
