"""Restoring: a directory becomes what the newest whole checkpoint says, byte for byte."""

import logging
import os
from collections.abc import Collection
from pathlib import Path

from hybrid_pools.training.checkpoints.bucket import Bucket, GoneError
from hybrid_pools.training.checkpoints.errors import CheckpointError, DiskError, UnreachableError
from hybrid_pools.training.checkpoints.finding import Whole, newest_whole
from hybrid_pools.training.checkpoints.format import OWN_FOLDER, Manifest, Shard
from hybrid_pools.training.checkpoints.layout import Layout
from hybrid_pools.training.checkpoints.owned import is_mark, own
from hybrid_pools.training.checkpoints.progress import Progress
from hybrid_pools.training.checkpoints.transfers import THREADS, crc32c_of, in_parallel

_LOG = logging.getLogger(__name__)

_LOOKS = 10  # checkpoints that may vanish or turn bad while they are read
_COPIES = 3  # tries of a shard whose bytes arrive wrong
_PART = ".part"


def restore(
    bucket: Bucket,
    layout: Layout,
    directory: Path,
    *,
    step: int | None = None,
    shards: Collection[str] | None = None,
    threads: int = THREADS,
) -> Manifest | None:
    """Makes a directory hold the newest whole checkpoint and nothing else; None in a run that has none.

    Files that are there already with the right bytes are kept, which is what makes a fast tier fast. A process that is killed on the way
    leaves a directory that the next restore puts right.

    Args:
        bucket: Where the run lies.
        layout: How its objects are named.
        directory: Empty, absent, or one that an earlier restore has made.
        step: Another than the newest.
        shards: Names of the files to bring, beside the workers' states; all where left out.
        threads: Copies at once.

    Raises:
        CheckpointError: With what is wrong and what to do.
    """
    for _ in range(_LOOKS):
        whole = newest_whole(bucket, layout, step)
        if whole is None:
            return None
        try:
            fill(bucket, whole, directory, shards, threads)
        except GoneError as error:
            _LOG.warning("Checkpoint %s of %s went away while it was read: %s", whole.manifest.checkpoint, layout.uri, error)
            continue
        return whole.manifest
    raise CheckpointError(f"checkpoints of {layout.uri} go away faster than they can be read. Is `keep` too small?")


def fill(bucket: Bucket, whole: Whole, directory: Path, shards: Collection[str] | None = None, threads: int = THREADS) -> None:
    """Makes a directory hold a checkpoint. Raises `GoneError` if a shard is gone."""
    wanted = [shard for shard in whole.manifest.shards if shards is None or shard.name in shards or shard.name.startswith(f"{OWN_FOLDER}/")]
    own(directory)
    try:
        _remove_others(directory, {shard.name for shard in wanted})
        missing = [shard for shard in wanted if not _is_there(directory / shard.name, shard)]
        missing.sort(key=lambda shard: -shard.size)
        with Progress(f"restoring step {whole.manifest.step}", sum(shard.size for shard in missing)) as progress:
            in_parallel(lambda shard: _bring(bucket, whole, shard, directory, progress), missing, threads)
    except OSError as error:
        raise DiskError(
            f"cannot restore {whole.manifest.size / 2**30:.1f} GiB to {directory}: {error.strerror}. Give the pod more ephemeral storage."
        ) from error


def _bring(bucket: Bucket, whole: Whole, shard: Shard, directory: Path, progress: Progress) -> None:
    file = directory / shard.name
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + _PART)
    for _ in range(_COPIES):
        bucket.download(whole.objects[shard.name], part, progress)
        if _is_there(part, shard):
            part.replace(file)
            return
        _LOG.warning("Shard %s arrived with wrong bytes and is read again.", shard.name)
    raise UnreachableError(
        f"shard {shard.name} arrived with wrong bytes {_COPIES} times, though the bucket holds the right ones. Try again."
    )


def _is_there(file: Path, shard: Shard) -> bool:
    return file.is_file() and file.stat().st_size == shard.size and crc32c_of(file) == shard.crc32c


def _remove_others(directory: Path, wanted: Collection[str]) -> None:
    for folder, _, names in os.walk(directory):
        for name in names:
            file = Path(folder) / name
            relative = file.relative_to(directory).as_posix()
            if relative not in wanted and not is_mark(relative):
                file.unlink()
