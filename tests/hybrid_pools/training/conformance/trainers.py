"""Trainers of a few lines, each one for a test. Called with the name of one."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hybrid_pools.training.checkpoints import TrainingRun

state: dict[str, Any] = {"sum": 0.0}


def save(directory: Path) -> None:
    (directory / "state.json").write_text(json.dumps(state))


def load(directory: Path) -> None:
    state.update(json.loads((directory / "state.json").read_text()))


def loop(stride: int = 1) -> None:
    with TrainingRun.from_environment(save, load) as run:
        for step in range(run.step, 10_000, stride):
            state["sum"] += step
            time.sleep(0.02)
            run.after_step(step + stride, position=step)


def counts_by_ten() -> None:
    random.seed(1)
    loop(stride=10)


def seeds_nothing() -> None:
    loop()


def never_repeats() -> None:
    state["born"] = random.random()
    loop()


def launches_workers() -> None:
    """As torchrun does: the worker leads a group of its own, and the signal is passed on."""
    worker = subprocess.Popen([sys.executable, __file__, "counts_by_ten"], start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: worker.send_signal(signal.SIGTERM))
    sys.exit(worker.wait())


def does_not_resume() -> None:
    """Does not find out before it is too late that it has checkpoints."""
    if list(Path(os.environ["HYBRID_POOLS_CHECKPOINT_URI"].removeprefix("file://")).glob("manifests/*")):
        sys.exit("I did not expect this")
    loop()


globals()[sys.argv[1]]()
