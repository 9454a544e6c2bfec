"""`make bench`: every figure as a table, and as `build/bench.json`. Ends with 1 where one is over its limit.

`python -m bench NAME...` measures only what is named.
"""

import sys
from collections.abc import Callable, Iterable

from rich.console import Console

from bench import admission, blueprint, bringing_up, checkpoints, lint, preview
from bench.measurement import Measurement, keep, show
from lab.paths import CHECKOUT

_STACKS = CHECKOUT / "stacks"
_MEASURED: dict[str, Callable[[], Iterable[Measurement]]] = {
    "blueprint": lambda: blueprint.measure(_STACKS),
    "preview": preview.measure,
    "up": bringing_up.measure,
    "checkpoints": checkpoints.measure,
    "lint": lint.measure,
    "admission": lambda: admission.measure(_STACKS),
}


def main(names: list[str]) -> int:
    """Measure what is named, or everything."""
    console = Console()
    unknown = [name for name in names if name not in _MEASURED]
    if unknown:
        sys.exit(f"error: nothing called {', '.join(unknown)} is measured; there are: {', '.join(_MEASURED)}")
    measurements: list[Measurement] = []
    for name in names or _MEASURED:
        # A whole run takes minutes, so what is there is kept at once.
        with console.status(f"measuring {name}"):
            measurements += _MEASURED[name]()
        keep(measurements, CHECKOUT / "build" / "bench.json")
    show(measurements, console)
    return 0 if all(each.holds for each in measurements) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
