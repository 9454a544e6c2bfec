"""Goes on training when it is asked to stop, until it is killed."""

import signal

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class IgnoresSigterm(Trainer):
    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return super().train(run, steps, step_seconds)


main(IgnoresSigterm())
