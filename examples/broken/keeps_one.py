"""Keeps the newest checkpoint only. If that one turns out bad, all is lost."""

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class KeepsOne(Trainer):
    def open(self) -> TrainingRun:
        return TrainingRun.from_environment(self.save, self.load, keep=1)


main(KeepsOne())
