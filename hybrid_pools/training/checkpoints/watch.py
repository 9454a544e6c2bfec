"""What somebody who tests a trainer asks of its loop: to be told each step, and to stop after a certain one."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Watch:
    """Asks nothing where both are left out.

    Attributes:
        steps_file: File to which worker 0 appends the number of steps done after each step, one a line.
        stop_step: Steps after which the run stops as if it had been asked to.
    """

    steps_file: Path | None = None
    stop_step: int | None = None

    def tell(self, step: int) -> None:
        """Says that a step is done."""
        if self.steps_file:
            with self.steps_file.open("a") as lines:
                lines.write(f"{step}\n")

    def stops_after(self, step: int) -> bool:
        """Whether the run stops after this step."""
        return self.stop_step is not None and step >= self.stop_step
