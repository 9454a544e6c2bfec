"""What the killed processes do: save, prune and restore on one run without end, and say what was published."""

import os
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import CheckpointError, StaleWriterError
from hybrid_pools.training.checkpoints.format import OWN_FOLDER
from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket  # noqa: F401 - loaded before processes are forked
from hybrid_pools.training.checkpoints.layout import Layout

SIZES = (0, 50, 4_000, 60_000)


def shards(epoch: int, step: int) -> dict[str, bytes]:
    """The only bytes that the checkpoint of that attempt and step may have."""
    return {f"part-{size}": random.Random(f"{epoch} {step} {size}").randbytes(size) for size in SIZES}


def verify(directory: Path, epoch: int, step: int) -> None:
    """That a directory holds this checkpoint bit for bit."""
    files = {file.name: file for file in directory.iterdir() if file.name != OWN_FOLDER}
    assert files.keys() == shards(epoch, step).keys()
    for name, data in shards(epoch, step).items():
        assert files[name].read_bytes() == data, f"{name} of step {step} of attempt {epoch} has other bytes"


def write(directory: Path, uri: str, log: Path, emulator: str = "") -> None:
    """Takes the run over and saves one step after another, as fast as it can. `publish` prunes, too."""
    os.environ["STORAGE_EMULATOR_HOST"] = emulator
    checkpoints = Checkpoints(uri, keep=2, threads=2)
    try:
        checkpoints.start()
        restored = checkpoints.restore(Path(tempfile.mkdtemp(dir=directory)))
        epoch = checkpoints.attempt.held.lease.epoch
        step = 0
        if restored:
            verify(restored.directory, restored.manifest.epoch, restored.step)
            step = restored.step
        while True:
            step += 1
            folder = Path(tempfile.mkdtemp(dir=directory))
            for name, data in shards(epoch, step).items():
                (folder / name).write_bytes(data)
            checkpoints.publish(folder, step)
            checkpoints.wait()
            say(log, f"{epoch} {step}")
    except StaleWriterError:
        os._exit(0)
    except BaseException as error:
        say(log, f"error {type(error).__name__}: {error}".replace("\n", " "))
        os._exit(1)


def read(directory: Path, uri: str, log: Path, emulator: str = "") -> None:
    """Restores the newest checkpoint and prunes, again and again."""
    os.environ["STORAGE_EMULATOR_HOST"] = emulator
    checkpoints = Checkpoints(uri, keep=2, threads=2)
    try:
        while True:
            folder = Path(tempfile.mkdtemp(dir=directory))
            if restored := checkpoints.restore(folder):
                verify(folder, restored.manifest.epoch, restored.step)
            checkpoints.prune()
    except CheckpointError as error:
        if "faster" in str(error) or "changes hands" in str(error):
            os._exit(0)
        say(log, f"error {type(error).__name__}: {error}".replace("\n", " "))
        os._exit(1)
    except BaseException as error:
        say(log, f"error {type(error).__name__}: {error}".replace("\n", " "))
        os._exit(1)


def say(log: Path, line: str) -> None:
    """One line, whole or not at all, also where the process is killed."""
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def doomed(work: Callable[..., None], events: int, directory: Path, uri: str, log: Path) -> None:
    """Does the work on a folder, and is killed before the so many-th look at or change of it."""
    bucket = Layout.parse(uri).bucket
    left = events

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event == "fcntl.flock" or (arguments and str(arguments[0]).startswith(bucket)):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    work(directory, uri, log)
