"""A small trainer that survives a loss of its node at any moment: a network of two layers, trained with Adam on data that it makes itself.

All that makes the next step what it is goes into a checkpoint: parameters, Adam's moments, the state of the random generator, and where in
the data the run is. So a run that was stopped and started again ends with the same numbers, bit for bit. Try it without a cloud:

    mkdir -p /tmp/bucket
    export HYBRID_POOLS_CHECKPOINT_URI=file:///tmp/bucket/runs/me/first HYBRID_POOLS_CHECKPOINT_INTERVAL_SECONDS=5
    python examples/trainer.py --steps 500

Stop it with Ctrl-C and start it again: it goes on where it was.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from hybrid_pools.training.checkpoints import CheckpointError, TrainingRun

Arrays = dict[str, NDArray[numpy.float64]]

_SAMPLES, _INPUTS, _HIDDEN, _BATCH = 512, 8, 32, 32
_RATE, _FIRST_DECAY, _SECOND_DECAY, _TINY = 1e-2, 0.9, 0.999, 1e-8
_DROPPED = 0.1


class Trainer:
    """The model, its optimizer and its data."""

    def __init__(self) -> None:
        # Not used here, and yet seeded, as other code may use them. A checkpoint records them by itself.
        random.seed(0)
        numpy.random.seed(0)
        made = numpy.random.default_rng(1)
        self.inputs = made.normal(size=(_SAMPLES, _INPUTS))
        self.targets = numpy.sin(self.inputs.sum(axis=1, keepdims=True))
        self.parameters: Arrays = {
            "hidden": made.normal(size=(_INPUTS, _HIDDEN)) / _INPUTS**0.5,
            "output": made.normal(size=(_HIDDEN, 1)) / _HIDDEN**0.5,
        }
        self.first = {name: numpy.zeros_like(array) for name, array in self.parameters.items()}
        self.second = {name: numpy.zeros_like(array) for name, array in self.parameters.items()}
        self.dropout = numpy.random.default_rng(2)

    def open(self) -> TrainingRun:
        """The run that the environment describes."""
        return TrainingRun.from_environment(self.save, self.load)

    def save(self, directory: Path) -> None:
        """Writes all that is needed to go on."""
        _write(directory / "parameters.npz", self.parameters)
        _write(directory / "adam-first.npz", self.first)
        _write(directory / "adam-second.npz", self.second)
        (directory / "dropout.json").write_text(json.dumps(self.dropout.bit_generator.state))

    def load(self, directory: Path) -> None:
        """Reads it back."""
        self.parameters, self.first, self.second = (
            _read(directory / name) for name in ("parameters.npz", "adam-first.npz", "adam-second.npz")
        )
        self.dropout.bit_generator.state = json.loads((directory / "dropout.json").read_text())

    def train(self, run: TrainingRun, steps: int, step_seconds: float) -> float:
        """Trains to a number of steps, from where the run is. Returns the last loss."""
        position: Any = run.position or {"epoch": 0, "sample": 0}
        epoch, sample, loss = position["epoch"], position["sample"], float("nan")
        for step in range(run.step, steps):
            # The order of an epoch follows from its number, so the position is all that a checkpoint must say of it.
            order = numpy.random.default_rng([3, epoch]).permutation(_SAMPLES)
            loss = self.learn(order[sample : sample + _BATCH], step + 1)
            sample += _BATCH
            if sample >= _SAMPLES:
                epoch, sample = epoch + 1, 0
            time.sleep(step_seconds)
            run.after_step(step + 1, position={"epoch": epoch, "sample": sample})
        return loss

    def learn(self, batch: NDArray[numpy.int64], step: int) -> float:
        """One step of Adam; the loss before it."""
        inputs, targets = self.inputs[batch], self.targets[batch]
        kept = self.dropout.random((len(batch), _HIDDEN)) >= _DROPPED
        hidden = numpy.tanh(inputs @ self.parameters["hidden"]) * kept / (1 - _DROPPED)
        error = hidden @ self.parameters["output"] - targets
        slope = 2 * error / len(batch)
        inner = slope @ self.parameters["output"].T * kept / (1 - _DROPPED) * (1 - numpy.tanh(inputs @ self.parameters["hidden"]) ** 2)
        for name, gradient in {"output": hidden.T @ slope, "hidden": inputs.T @ inner}.items():
            self.first[name] = _FIRST_DECAY * self.first[name] + (1 - _FIRST_DECAY) * gradient
            self.second[name] = _SECOND_DECAY * self.second[name] + (1 - _SECOND_DECAY) * gradient**2
            mean, spread = self.first[name] / (1 - _FIRST_DECAY**step), self.second[name] / (1 - _SECOND_DECAY**step)
            self.parameters[name] = self.parameters[name] - _RATE * mean / (numpy.sqrt(spread) + _TINY)
        return float((error**2).mean())


def main(trainer: Trainer) -> None:
    """Trains as the command line and the environment say."""
    parser = argparse.ArgumentParser(description="Train a small network, with checkpoints.")
    parser.add_argument("--steps", type=int, default=10_000, help="where training ends")
    parser.add_argument("--step-seconds", type=float, default=0.05, help="how long a step takes at least, so that it can be watched")
    arguments = parser.parse_args()
    try:
        with trainer.open() as run:
            loss = trainer.train(run, arguments.steps, arguments.step_seconds)
        sys.stdout.write(f"step {run.step}: loss {loss:.4f}\n")
    except CheckpointError as error:
        sys.exit(f"error: {error}")


def _write(file: Path, arrays: Arrays) -> None:
    numpy.savez(file, allow_pickle=False, **arrays)


def _read(file: Path) -> Arrays:
    with numpy.load(file) as arrays:
        return dict(arrays)


if __name__ == "__main__":
    main(Trainer())
