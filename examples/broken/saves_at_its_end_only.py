"""Relies on the notice and never saves before. A node that vanishes gives none."""

import os

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import Checkpoints, TrainingRun
from hybrid_pools.training.checkpoints.environment import read_environment


class SavesAtItsEndOnly(Trainer):
    def open(self) -> TrainingRun:
        return TrainingRun(
            Checkpoints.from_environment(), self.save, self.load, interval_seconds=1e9, watch=read_environment(os.environ).watch
        )


main(SavesAtItsEndOnly())
