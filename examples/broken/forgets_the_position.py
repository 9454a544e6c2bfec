"""Begins again with the first sample after each restart, and never sees the last ones."""

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class ForgetsThePosition(Trainer):
    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        run.position = None
        return super().train(run, steps, step_seconds)


main(ForgetsThePosition())
