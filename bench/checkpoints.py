"""What publishing and restoring a checkpoint costs beside plain copies of the same files, by the same client, to the same stand-in."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from bench.measurement import Measurement, seconds
from hybrid_pools.training.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.transfers import THREADS
from lab.storage.emulator import storage

_SHARDS = 64
_SHARD_BYTES = 32 << 20
_ROUNDS = 4
_BUCKET = "bench"
_TIMEOUT = 600.0  # seconds for a request; a busy machine is slow, and the stand-in knows no second try of an upload that it has finished
_SLOWEST = 1 / 0.8  # of the plain copies' speed, at least 80 %


def measure() -> Iterator[Measurement]:
    """Plain copies and checkpoints in turn, the order swapped each time, so that a slow moment of the machine hits both.

    The first round is not counted. Each side has a stand-in of its own, because it needs some times the memory of what it holds.
    """
    sides: list[Callable[[Path, list[str]], tuple[float, float]]] = [_copy, _checkpoint]
    with TemporaryDirectory(prefix="bench-") as folder:
        root = Path(folder)
        names = _write_shards(root / "saved")
        rounds: dict[str, list[tuple[float, float]]] = {side.__name__: [] for side in sides}
        for _ in range(_ROUNDS + 1):
            sides.reverse()
            for side in sides:
                with storage() as address, patch.dict(os.environ, STORAGE_EMULATOR_HOST=address):
                    rounds[side.__name__].append(side(root, names))
    size = f"{_SHARDS * _SHARD_BYTES / 2**30:g} GiB in {_SHARDS} shards"
    for index, name in enumerate(("publish", "restore")):
        # The quickest of each: whatever else the machine does only slows it down.
        plain, ours = (min(taken[index] for taken in rounds[side.__name__][1:]) for side in (_copy, _checkpoint))
        yield Measurement(f"{name} {size} / plain copies", ours / plain, "times", _SLOWEST)
        yield Measurement(name, _SHARDS * _SHARD_BYTES / 2**20 / ours, "MiB/s", None)


def _copy(root: Path, names: list[str]) -> tuple[float, float]:
    """Seconds of plain parallel copies to a bucket, and back."""
    from google.cloud.storage import Client, transfer_manager  # noqa: PLC0415 - the client reads the variable when it is made

    bucket = Client(project="bench").bucket(_BUCKET)
    bucket.create()
    threads = {"worker_type": transfer_manager.THREAD, "max_workers": THREADS, "raise_exception": True}

    def upload() -> None:
        transfer_manager.upload_many_from_filenames(
            bucket, names, source_directory=str(root / "saved"), upload_kwargs={"timeout": _TIMEOUT}, **threads
        )

    def download() -> None:
        transfer_manager.download_many_to_path(
            bucket, names, destination_directory=str(root / "back"), download_kwargs={"timeout": _TIMEOUT}, **threads
        )

    (root / "back").mkdir()
    taken = _timed(upload), _timed(download)
    shutil.rmtree(root / "back")
    return taken


def _checkpoint(root: Path, _: list[str]) -> tuple[float, float]:
    """Seconds of a publication, and of a restore."""
    from google.cloud.storage import Client  # noqa: PLC0415 - the client reads the variable when it is made

    Client(project="bench").bucket(_BUCKET).create()
    checkpoints = Checkpoints(f"gs://{_BUCKET}/runs/bench/run")
    checkpoints.start()

    def publish() -> None:
        checkpoints.publish(root / "saved", 1)
        checkpoints.wait()

    taken = _timed(publish), _timed(lambda: checkpoints.restore(root / "restored"))
    checkpoints.close()
    shutil.rmtree(root / "restored")
    return taken


def _timed(work: Callable[[], object]) -> float:
    """Wall time of one call, after the disk has taken what the last one wrote."""
    os.sync()
    return seconds(work)


def _write_shards(directory: Path) -> list[str]:
    directory.mkdir()
    names = [f"shard-{number:02d}" for number in range(_SHARDS)]
    for name in names:
        (directory / name).write_bytes(os.urandom(_SHARD_BYTES))
    return names
