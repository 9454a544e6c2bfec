"""Starts again without what Adam knew, so that training goes on worse than it was."""

from pathlib import Path

from examples.trainer import Trainer, main


class ForgetsTheOptimizer(Trainer):
    def load(self, directory: Path) -> None:
        first, second = self.first, self.second
        super().load(directory)
        self.first, self.second = first, second


main(ForgetsTheOptimizer())
