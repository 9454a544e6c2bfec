"""A trainer whose every step depends on all steps before: a sum of random numbers. Started by the tests of the run loop."""

import json
import random
import sys
import time
from pathlib import Path

import numpy

from hybrid_pools.training.checkpoints import TrainingRun

steps, pause, out = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
own = random.Random(1)
state = {"sum": 0.0}


def save(directory: Path) -> None:
    (directory / "state.json").write_text(json.dumps(state | {"own": own.getstate()}))


def load(directory: Path) -> None:
    read = json.loads((directory / "state.json").read_text())
    version, numbers, gauss = read.pop("own")
    own.setstate((version, tuple(numbers), gauss))
    state.update(read)


numpy.random.seed(1)
with TrainingRun.from_environment(save, load) as run, out.open("a") as lines:
    for step in range(run.step, steps):
        state["sum"] += own.random() + numpy.random.random() + (run.position if isinstance(run.position, int) else 0)
        lines.write(f"{step + 1}\n")
        lines.flush()
        time.sleep(pause)
        run.after_step(step + 1, position=step)
out.with_suffix(".sum").write_text(repr(state["sum"]))
