"""Trainers of a few lines, each one for a test. Called with the name of one."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hybrid_pools.blueprint.vocabulary import RANK_VARIABLE, WORKERS_VARIABLE
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


def two_workers() -> None:
    """A gang on one machine: each saves files of its own, and they agree on what to do after each step."""
    context = multiprocessing.get_context("fork")
    wishes, all_there = context.Array("i", 2), context.Barrier(2)

    def work(rank: int) -> None:
        os.environ |= {RANK_VARIABLE: str(rank), WORKERS_VARIABLE: "2"}

        def agree(wish: int) -> int:
            wishes[rank] = wish
            all_there.wait()
            greatest = max(wishes[:])
            all_there.wait()
            return int(greatest)

        def save_own(directory: Path) -> None:
            (directory / f"state-{rank}.json").write_text(json.dumps(state))

        def load_own(directory: Path) -> None:
            state.update(json.loads((directory / f"state-{rank}.json").read_text()))

        random.seed(rank)
        with TrainingRun.from_environment(save_own, load_own, agree=agree) as run:
            for step in range(run.step, 10_000):
                state["sum"] += random.random()
                time.sleep(0.02)
                run.after_step(step + 1, position=[rank, step])

    workers = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    for worker in workers:
        worker.start()

    def pass_on(*_: object) -> None:
        for worker in workers:
            worker.terminate()

    signal.signal(signal.SIGTERM, pass_on)
    for worker in workers:
        worker.join()
    sys.exit(max(worker.exitcode or 0 for worker in workers))


def overwrites_what_is_published() -> None:
    """Changes the bytes of a checkpoint after it was published."""
    with TrainingRun.from_environment(save, load) as run:
        for step in range(run.step, 10_000):
            state["sum"] += step
            time.sleep(0.02)
            try:
                run.after_step(step + 1)
            finally:
                run.checkpoints.wait()
                for file in Path(run.checkpoints.layout.bucket).glob("**/state.json"):
                    file.write_text("half")


def does_not_resume() -> None:
    """Does not find out before it is too late that it has checkpoints."""
    if list(Path(os.environ["HYBRID_POOLS_CHECKPOINT_URI"].removeprefix("file://")).glob("manifests/*")):
        sys.exit("I did not expect this")
    loop()


globals()[sys.argv[1]]()
