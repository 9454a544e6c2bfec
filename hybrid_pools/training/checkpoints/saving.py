"""Saving and publishing: every worker copies its shards and reports them, then one publishes them all with a manifest."""

import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue

from hybrid_pools.training.checkpoints.bucket import Bucket, write_once
from hybrid_pools.training.checkpoints.errors import DirectoryError, IncompleteError
from hybrid_pools.training.checkpoints.format import OWN_FOLDER, MalformedError, Manifest, Report, Shard, now, parse, state_file, text
from hybrid_pools.training.checkpoints.layout import Layout, Mark, Name
from hybrid_pools.training.checkpoints.progress import Progress
from hybrid_pools.training.checkpoints.snapshot import Held
from hybrid_pools.training.checkpoints.taking_over import require
from hybrid_pools.training.checkpoints.transfers import THREADS, in_parallel

_Model = TypeVar("_Model", Manifest, Report)
_PAUSE = 0.5  # seconds between two looks for reports


@dataclass(frozen=True)
class Attempt:
    """A worker of an attempt that holds a run.

    Attributes:
        bucket: Where the run lies.
        layout: How its objects are named.
        held: The lease.
        rank: Number of this worker; 0 publishes.
        workers: How many there are.
        threads: Copies at once.
    """

    bucket: Bucket
    layout: Layout
    held: Held
    rank: int = 0
    workers: int = 1
    threads: int = THREADS

    def name(self, step: int) -> Name:
        """The checkpoint of a step in this attempt."""
        return Name(self.held.lease.epoch, step)


@dataclass(frozen=True)
class _File:
    path: Path
    name: str
    size: int
    changed: int

    def require_unchanged(self) -> None:
        state = self.path.stat()
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise DirectoryError(
                f"{self.path} was changed while it was copied. Write each checkpoint to a directory of its own, and leave it alone until "
                "it is published."
            )


def save_shards(attempt: Attempt, directory: Path, step: int) -> Report:
    """Copies all files of a directory into the checkpoint. Nothing is published by it.

    Each save writes names of its own (a nonce), so that one which failed or still goes on elsewhere never mixes with it.
    """
    require(attempt.bucket, attempt.layout, attempt.held)
    files = sorted(_files(directory, attempt.rank), key=lambda file: -file.size)
    if all(file.name == state_file(attempt.rank) for file in files):
        raise DirectoryError(f"{directory} holds no file, so there is nothing to save. Write the checkpoint there first.")
    nonce = secrets.token_hex(4)
    prefix = f"{attempt.rank:05d}-{nonce}"

    with Progress(f"saving step {step}", sum(file.size for file in files)) as progress:

        def copy(file: _File) -> Shard:
            name = f"{prefix}/{file.name}"
            stored = attempt.bucket.upload(file.path, attempt.layout.folder_of(attempt.name(step)) + name, progress)
            file.require_unchanged()
            return Shard(
                name=file.name, object=name, size=stored.size, crc32c=stored.crc32c, generation=stored.generation, worker=attempt.rank
            )

        shards = in_parallel(copy, files, attempt.threads)
    return Report(nonce=nonce, shards=tuple(sorted(shards, key=lambda shard: shard.name)))


def hand_in(attempt: Attempt, report: Report, step: int) -> None:
    """Tells the coordinator what this worker has saved. The first report of a worker for a step holds; a second changes nothing."""
    write_once(attempt.bucket, attempt.layout.report(attempt.name(step), attempt.rank), text(report))


def commit(
    attempt: Attempt, own: Report, step: int, position: JsonValue, timeout: float, sleep: Callable[[float], None] = time.sleep
) -> Manifest:
    """Publishes a checkpoint: waits for the other workers' reports, writes the manifest, and makes sure that it counts.

    Raises:
        IncompleteError: A report did not come within `timeout` seconds, or two workers saved files of one name.
        StaleWriterError: Another attempt has taken over; the checkpoint may be there and is not to be relied on.
    """
    bucket, layout, name = attempt.bucket, attempt.layout, attempt.name(step)
    reports = [own, *_reports(attempt, step, timeout, sleep)]
    manifest = Manifest(
        epoch=name.epoch,
        step=step,
        attempt=attempt.held.lease.attempt,
        nonce=secrets.token_hex(8),
        created_at=now(),
        workers=attempt.workers,
        position=position,
        shards=tuple(_merged(reports)),
    )
    require(bucket, layout, attempt.held)
    if write_once(bucket, layout.manifest(name), text(manifest)) is None:
        # The epoch is this attempt's alone, so an earlier try of this very process wrote it and did not come to the end.
        manifest = _read(attempt, layout.manifest(name), Manifest)
    if bucket.stat(layout.mark(name, Mark.ABANDONED)):
        raise IncompleteError(f"checkpoint {name} of {layout.uri} took so long that its data were pruned as abandoned. Save a later step.")
    # Only now may anybody call it published: what is created before this look is on the list of whoever takes over after it.
    require(bucket, layout, attempt.held)
    return manifest


def _reports(attempt: Attempt, step: int, timeout: float, sleep: Callable[[float], None]) -> Iterator[Report]:
    give_up = time.monotonic() + timeout
    for rank in range(1, attempt.workers):
        where = attempt.layout.report(attempt.name(step), rank)
        while attempt.bucket.stat(where) is None:
            require(attempt.bucket, attempt.layout, attempt.held)
            if time.monotonic() > give_up:
                raise IncompleteError(
                    f"worker {rank} of {attempt.workers} did not save step {step} of {attempt.layout.uri} within {timeout:g} s. Every "
                    "worker must publish the same steps, with the same attempt id."
                )
            sleep(_PAUSE)
        yield _read(attempt, where, Report)


def _read(attempt: Attempt, where: str, model: type[_Model]) -> _Model:
    found = attempt.bucket.read(where)
    try:
        if found:
            return parse(model, found.data, where)
    except MalformedError as error:
        raise IncompleteError(str(error)) from error
    raise IncompleteError(f"{where} was there and is gone: somebody deletes objects of a run that goes on.")


def _merged(reports: Sequence[Report]) -> Iterator[Shard]:
    owner: dict[str, int] = {}
    for report in reports:
        for shard in report.shards:
            if shard.name in owner:
                raise IncompleteError(
                    f"workers {owner[shard.name]} and {shard.worker} both saved a file {shard.name}. Put the worker's number into the "
                    "names, as torch.distributed.checkpoint does."
                )
            owner[shard.name] = shard.worker
            yield shard


def _files(directory: Path, rank: int) -> Iterator[_File]:
    if not directory.is_dir():
        raise DirectoryError(f"{directory} is no directory, so there is nothing to save.")
    for folder, _, names in os.walk(directory):
        for name in names:
            path = Path(folder) / name
            relative = path.relative_to(directory).as_posix()
            if not relative.startswith(f"{OWN_FOLDER}/") or relative == state_file(rank):
                state = path.stat()
                yield _File(path, relative, state.st_size, state.st_mtime_ns)
