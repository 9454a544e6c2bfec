"""Writes each checkpoint over the one before: killed in the middle of that, there is none. What is half written is loaded for whole."""

from pathlib import Path
from typing import Any

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class SavesInPlace(Trainer):
    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        folder = Path(run.checkpoints.layout.uri.removeprefix("file://"))

        def publish(*_: Any, **__: Any) -> None:
            self.save(folder)

        run.checkpoints.publish = publish  # type: ignore[method-assign]
        if (folder / "dropout.json").exists():
            self.load(folder)
        return super().train(run, steps, step_seconds)


main(SavesInPlace())
