"""Does not catch SIGTERM: all since the last interval is lost, and the exit code is that of a crash."""

import signal

from examples.trainer import Trainer, main
from hybrid_pools.training.checkpoints import TrainingRun


class DiesOfSigterm(Trainer):
    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        return super().train(run, steps, step_seconds)


main(DiesOfSigterm())
