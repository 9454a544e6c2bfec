"""What a measurement is, how it is shown and kept."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Measurement:
    """One figure with its limit.

    Attributes:
        name: Stable name; later runs are compared by it.
        value: The figure.
        unit: Unit of value and limit, for example ms, or times for a ratio.
        limit: The largest value that holds; None where the figure is only to be seen.
    """

    name: str
    value: float
    unit: str
    limit: float | None

    @property
    def holds(self) -> bool:
        """Whether the figure is within its limit."""
        return self.limit is None or self.value <= self.limit


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def median_seconds(work: Callable[[], object], runs: int) -> float:
    """Median wall time over several calls, after one that is not counted."""
    work()
    return median(seconds(work) for _ in range(runs))


def show(measurements: Iterable[Measurement], console: Console) -> None:
    """Print the figures as a table."""
    table = Table("figure", "value", "limit", "unit", "holds")
    for each in measurements:
        table.add_row(
            each.name,
            f"{each.value:.2f}",
            "" if each.limit is None else f"{each.limit:g}",
            each.unit,
            "yes" if each.holds else "[red]no[/red]",
        )
    console.print(table)


def keep(measurements: Iterable[Measurement], file: Path) -> None:
    """Write the figures as JSON, for other tools."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([{**asdict(each), "holds": each.holds} for each in measurements], indent=2) + "\n")
