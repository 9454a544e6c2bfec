"""Loads the parameters and counts the steps anew, so that schedules begin again and the end never comes nearer."""

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class StartsFromStepZero(Trainer):
    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        run.step = 0
        return super().train(run, steps, step_seconds)


main(StartsFromStepZero())
