"""Processes killed anywhere in saving, pruning and restoring, on a real API of Cloud Storage that fails on purpose besides."""

import multiprocessing
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hybrid_pools.training.checkpoints.bucket import Bucket
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.finding import Bad, examine
from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket
from hybrid_pools.training.checkpoints.layout import Name
from hybrid_pools.training.checkpoints.snapshot import take
from tests.hybrid_pools.training.checkpoints import victims
from tests.hybrid_pools.training.checkpoints.conftest import EMULATOR
from tests.hybrid_pools.training.checkpoints.faults import Faults

_KILLS_OF_A_RUN = 30  # then a new one begins, so that the first moments of a run are hit as often
_REQUESTS = 150  # within which two processes are killed: some saves of each, however slow the machine is
_LONGEST = 180.0  # seconds that two processes may take for so many on a machine that does much else


@pytest.mark.parametrize("kills", [60, pytest.param(500, marks=pytest.mark.sweep)])
def test_nothing_published_is_lost_or_half(kills, make_bucket, storage_address, faults, tmp_path, monkeypatch):
    faults.refused, faults.lost_request, faults.lost_answer = 0.01, 0.005, 0.01
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([victims.__name__, "google.cloud.storage"])
    chance = random.Random(7)
    published = done = 0
    while done < kills:
        monkeypatch.setenv(EMULATOR, storage_address)
        run = Run(f"gs://{make_bucket()}/runs/team/run", tmp_path / str(done), faults, context, chance)
        end = min(done + _KILLS_OF_A_RUN, kills)
        while done < end:
            done += run.round()
            run.check()
        published += len(run.published())
    assert published >= kills / 5, "the processes were killed before they did anything"
    assert faults.seen.keys() == {"refused", "lost_request", "lost_answer"}


class Run:
    """One run, whose processes are killed."""

    def __init__(self, uri: str, directory: Path, faults: Faults, context, chance: random.Random) -> None:
        directory.mkdir()
        self.uri, self.directory, self.faults, self.context, self.chance = uri, directory, faults, context, chance
        self.log = directory / "published"
        self.log.touch()

    def round(self) -> int:
        """Two processes at once, of which at least one saves, each killed at a moment of its own."""
        works: list[Callable[..., None]] = [victims.write, self.chance.choice([victims.write, victims.read])]
        ends = []
        for work in works:
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
            # One that has lost the run ends by itself.
            assert process.exitcode in (0, -signal.SIGKILL), self.log.read_text().splitlines()[-1]
            killed += process.exitcode != 0
        return killed

    def published(self) -> list[Name]:
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [Name(int(epoch), int(step)) for epoch, step in lines]

    def check(self) -> None:
        """By somebody new, who was not there."""
        checkpoints = Checkpoints(self.uri, keep=2)
        bucket: Bucket = GoogleBucket(checkpoints.layout.bucket)
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
