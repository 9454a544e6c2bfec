"""Processes killed anywhere in saving, pruning and restoring: on an API of Cloud Storage that fails on purpose besides, and on a folder."""

import multiprocessing
import random
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.finding import Bad, examine
from hybrid_pools.training.checkpoints.layout import Name
from hybrid_pools.training.checkpoints.opening import bucket_of
from hybrid_pools.training.checkpoints.snapshot import take
from tests.hybrid_pools.training.checkpoints import victims
from tests.hybrid_pools.training.checkpoints.conftest import EMULATOR
from tests.hybrid_pools.training.checkpoints.faults import Faults

_KILLS_OF_A_RUN = 30  # then a new one begins, so that the first moments of a run are hit as often
_REQUESTS = 150  # within which two processes are killed: some saves of each, however slow the machine is
_LONGEST = 180.0  # seconds that two processes may take for so many on a machine that does much else


_EVENTS = 300  # looks at and changes of files, within which two processes on a folder are killed


@pytest.mark.parametrize("kills", [60, pytest.param(500, marks=pytest.mark.sweep)])
def test_nothing_published_in_cloud_storage_is_lost_or_half(kills, make_bucket, storage_address, faults, tmp_path, monkeypatch):
    faults.refused, faults.lost_request, faults.lost_answer = 0.01, 0.005, 0.01

    def run(directory: Path, chance: random.Random) -> "Run":
        monkeypatch.setenv(EMULATOR, storage_address)
        return OnCloudStorage(f"gs://{make_bucket()}/runs/team/run", directory, chance, faults)

    kill(kills, run, tmp_path)
    assert faults.seen.keys() == {"refused", "lost_request", "lost_answer"}


@pytest.mark.parametrize("kills", [60, pytest.param(500, marks=pytest.mark.sweep)])
def test_nothing_published_in_a_folder_is_lost_or_half(kills, tmp_path):
    def run(directory: Path, chance: random.Random) -> "Run":
        folder = directory.with_suffix(".bucket")
        folder.mkdir()
        return OnAFolder(f"file://{folder}/runs/team/run", directory, chance)

    kill(kills, run, tmp_path)


def kill(kills: int, begin: Callable[[Path, random.Random], "Run"], directory: Path) -> None:
    chance = random.Random(7)
    published = done = 0
    while done < kills:
        run = begin(directory / str(done), chance)
        end = min(done + _KILLS_OF_A_RUN, kills)
        while done < end:
            done += run.round()
            run.check()
        published += len(run.published())
    assert published >= kills / 5, "the processes were killed before they did anything"


class Run(ABC):
    """One run, whose processes are killed."""

    def __init__(self, uri: str, directory: Path, chance: random.Random) -> None:
        directory.mkdir()
        self.uri, self.directory, self.chance = uri, directory, chance
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload([victims.__name__, "google.cloud.storage"])
        self.log = directory / "published"
        self.log.touch()

    @abstractmethod
    def round(self) -> int:
        """Two processes at once, of which at least one saves, each killed at a moment of its own. How many were."""

    def works(self) -> "list[Callable[..., None]]":
        return [victims.write, self.chance.choice([victims.write, victims.read])]

    def was_killed(self, process: Any) -> bool:
        # One that has lost the run ends by itself.
        assert process.exitcode in (0, -signal.SIGKILL), self.log.read_text().splitlines()[-1]
        return bool(process.exitcode)

    def published(self) -> list[Name]:
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [Name(int(epoch), int(step)) for epoch, step in lines]

    def check(self) -> None:
        """By somebody new, who was not there."""
        checkpoints = Checkpoints(self.uri, keep=2)
        bucket = bucket_of(checkpoints.layout)
        snapshot = take(bucket, checkpoints.layout)
        assert not snapshot.quarantined()
        assert not [name for name in snapshot.published() if isinstance(examine(bucket, checkpoints.layout, name), Bad)]
        newest = max(self.published(), default=None)
        directory = self.directory / f"check-{time.monotonic_ns()}"
        restored = checkpoints.restore(directory)
        if newest:
            assert restored, f"{newest} was published and is lost"
            assert restored.manifest.checkpoint >= newest
        if restored:
            victims.verify(directory, restored.manifest.epoch, restored.step)


class OnCloudStorage(Run):
    """Killed after so many requests of all processes."""

    def __init__(self, uri: str, directory: Path, chance: random.Random, faults: Faults) -> None:
        super().__init__(uri, directory, chance)
        self.faults = faults

    def round(self) -> int:
        ends = []
        for work in self.works():
            process = self.context.Process(target=work, args=(self.directory, self.uri, self.log, self.faults.address), daemon=True)
            process.start()
            ends.append((self.faults.requests + self.chance.randrange(1, _REQUESTS), process))
        give_up = time.monotonic() + _LONGEST
        killed = 0
        for end, process in sorted(ends, key=lambda pair: pair[0]):
            while self.faults.requests < end and any(other.is_alive() for _, other in ends):
                assert time.monotonic() < give_up, "the processes do nothing"
                time.sleep(0.001 * self.chance.random())
            process.kill()
            process.join()
            killed += self.was_killed(process)
        return killed


class OnAFolder(Run):
    """Killed by themselves, right before one of their own looks at or changes of the folder."""

    def round(self) -> int:
        processes = []
        for work in self.works():
            arguments = (work, self.chance.randrange(1, _EVENTS), self.directory, self.uri, self.log)
            processes.append(self.context.Process(target=victims.doomed, args=arguments, daemon=True))
            processes[-1].start()
        for process in processes:
            process.join(_LONGEST)
            assert process.exitcode is not None, "the processes do nothing"
        return sum(self.was_killed(process) for process in processes)
