"""Writers, workers, pruners and readers of one run as actors on one bucket in memory, and what must hold whatever they do."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hybrid_pools.training.checkpoints.bucket import Stored
from hybrid_pools.training.checkpoints.errors import CheckpointError, IncompleteError, NoValidCheckpointError, StaleWriterError
from hybrid_pools.training.checkpoints.finding import Bad, Whole, examine, newest_whole
from hybrid_pools.training.checkpoints.format import Lease
from hybrid_pools.training.checkpoints.layout import Layout, Name
from hybrid_pools.training.checkpoints.pruning import prune
from hybrid_pools.training.checkpoints.saving import Attempt, commit, hand_in, save_shards
from hybrid_pools.training.checkpoints.snapshot import read_lease, take
from hybrid_pools.training.checkpoints.taking_over import join, take_over
from tests.hybrid_pools.training.checkpoints.double import Actor, Fate, KilledError, MemoryBucket

LAYOUT = Layout.parse("gs://bucket/runs/team/run")
_LONG = 1e9  # seconds; the scheduler ends what waits in vain


@dataclass
class World:
    """One bucket, what was called published on it."""

    objects: dict[str, tuple[Stored, bytes]] = field(default_factory=dict)
    generations: list[int] = field(default_factory=lambda: [0])
    published: dict[Name, dict[str, bytes]] = field(default_factory=dict)
    saved: dict[Name, dict[str, bytes]] = field(default_factory=dict)
    taken: list[Lease] = field(default_factory=list)
    """The leases of all take-overs that came to an end."""

    actors: list[Actor] = field(default_factory=list)

    def __enter__(self):
        self._files = tempfile.TemporaryDirectory()
        self.root = Path(self._files.name)
        return self

    def __exit__(self, *error):
        for actor in self.actors:
            while not actor.ended:
                actor.step(Fate.KILLED_BEFORE)
        self._files.cleanup()

    def bucket(self, actor: Actor | None = None) -> MemoryBucket:
        """The bucket as an actor sees it; nobody's turn is waited for without one."""
        return _Shared(self, actor)

    def add(self, name: str, work: Callable[["World", Actor], None]) -> Actor:
        actor = Actor(name, lambda this: work(self, this))
        self.actors.append(actor)
        return actor

    def newest_published(self) -> Name | None:
        return max(self.published, default=None)

    def check_errors(self) -> None:
        """Whoever ended was killed, or lost the run, or waited in vain."""
        for actor in self.actors:
            if actor.ended and actor.error is not None:
                assert isinstance(actor.error, KilledError | StaleWriterError | IncompleteError), (actor.name, actor.error)

    def check_end(self) -> None:
        """What must be found when all is over, by somebody who was not there."""
        bucket = self.bucket()
        snapshot = take(bucket, LAYOUT)
        for name in snapshot.published():
            found = examine(bucket, LAYOUT, name)
            assert not isinstance(found, Bad), (name, found)
        assert not snapshot.quarantined(), "somebody took a whole one for a bad one"
        for name in snapshot.published():
            self.check_not_late(name, self.taken)
        newest = self.newest_published()
        if newest is None:
            return
        whole = newest_whole(bucket, LAYOUT)
        assert isinstance(whole, Whole), f"{newest} was published and is lost"
        assert whole.manifest.checkpoint >= newest
        self.check_bytes(whole)

    def check_not_late(self, name: Name, taken: Iterable[Lease]) -> None:
        """No attempt adds to what it has published after a later one has taken over."""
        for lease in taken:
            assert name.epoch >= lease.epoch or str(name) in lease.sealed, f"{name} was published after {lease.epoch} had taken over"

    def check_bytes(self, whole: Whole) -> None:
        expected = self.saved[whole.manifest.checkpoint]
        read = {shard.name: self.objects[whole.objects[shard.name].name][1] for shard in whole.manifest.shards}
        assert read == expected


class _Shared(MemoryBucket):
    """The world's objects, under one actor's turns."""

    def __init__(self, world: World, actor: Actor | None) -> None:
        self._counter = world.generations
        super().__init__(turn=actor.turn if actor else lambda _: Fate.DONE, live=world.objects)

    @property
    def generation(self) -> int:
        return self._counter[0]

    @generation.setter
    def generation(self, value: int) -> None:
        self._counter[0] = max(value, self._counter[0])


def writer(attempt_id: str, steps: int = 2, workers: int = 1) -> Callable[[World, Actor], None]:
    """Worker 0: takes over, finds where to go on, publishes some steps."""

    def work(world: World, actor: Actor) -> None:
        bucket = world.bucket(actor)
        held = take_over(bucket, LAYOUT, attempt_id)
        world.taken.append(held.lease)
        known = world.newest_published()
        whole = newest_whole(bucket, LAYOUT)
        assert (whole.manifest.checkpoint if whole else Name(0, 0)) >= (known or Name(0, 0))
        first = whole.manifest.step + 1 if whole else 1
        attempt = Attempt(bucket, LAYOUT, held, 0, workers, threads=1)
        for step in range(first, first + steps):
            name = attempt.name(step)
            directory = _directory(world, attempt_id, 0, step, world.saved.setdefault(name, {}))
            report = save_shards(attempt, directory, step)
            manifest = commit(attempt, report, step, None, _LONG, actor.sleep)
            assert {shard.worker for shard in manifest.shards} == set(range(workers)), "published without a worker's shards"
            holder = read_lease(world.bucket(), LAYOUT)
            assert holder and holder.lease.counts(name), f"{name} is called published and does not count"
            world.published[name] = world.saved[name]

    return work


def worker(attempt_id: str, rank: int, steps: range, workers: int) -> Callable[[World, Actor], None]:
    """Another worker of a gang: saves its shards of the steps."""

    def work(world: World, actor: Actor) -> None:
        bucket = world.bucket(actor)
        held = join(bucket, LAYOUT, attempt_id, _LONG, actor.sleep)
        attempt = Attempt(bucket, LAYOUT, held, rank, workers, threads=1)
        for step in steps:
            directory = _directory(world, attempt_id, rank, step, world.saved.setdefault(attempt.name(step), {}))
            hand_in(attempt, save_shards(attempt, directory, step), step)

    return work


def pruner(keep: int, times: int = 2, unfinished_seconds: float = 1e6) -> Callable[[World, Actor], None]:
    def work(world: World, actor: Actor) -> None:
        for _ in range(times):
            prune(world.bucket(actor), LAYOUT, keep, unfinished_seconds=unfinished_seconds, threads=1)

    return work


def reader(times: int = 3) -> Callable[[World, Actor], None]:
    def work(world: World, actor: Actor) -> None:
        for _ in range(times):
            known, taken = world.newest_published(), list(world.taken)
            try:
                found = newest_whole(world.bucket(actor), LAYOUT)
            except NoValidCheckpointError:
                raise AssertionError("a reader found only bad checkpoints") from None
            except CheckpointError as error:
                if "faster" in str(error) or "changes hands" in str(error):
                    continue
                raise
            assert (found.manifest.checkpoint if found else Name(0, 0)) >= (known or Name(0, 0)), "older than what was published before"
            if found:
                world.check_not_late(found.manifest.checkpoint, taken)

    return work


def _directory(world: World, attempt_id: str, rank: int, step: int, saved: dict[str, bytes]) -> Path:
    directory = world.root / f"{attempt_id}-{rank}-{step}"
    directory.mkdir(parents=True)
    for shard in range(2):
        contents = f"{attempt_id} {rank} {step} {shard}".encode()
        (directory / f"{rank}-{shard}").write_bytes(contents)
        saved[f"{rank}-{shard}"] = contents
    return directory
