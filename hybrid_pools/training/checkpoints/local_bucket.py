"""A folder as a bucket: for a machine without a cloud, and for disks that several machines share and that lock files.

Generations are times of change in nanoseconds. A write looks and writes under a lock that the system takes back from a killed process.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hybrid_pools.training.checkpoints.bucket import ABSENT, ConditionError, Contents, GoneError, Stored
from hybrid_pools.training.checkpoints.errors import DiskError, MissingBucketError
from hybrid_pools.training.checkpoints.progress import Progress
from hybrid_pools.training.checkpoints.transfers import crc32c_of

_OWN_FOLDER = ".bucket"
_COPY_BLOCK = 4 << 20


class LocalBucket:
    """One folder. Safe to use from several threads and processes. It keeps no versions: what is deleted or replaced is gone."""

    def __init__(self, root: Path) -> None:
        """Nothing is asked yet.

        Args:
            root: The folder, which must be there: one that is not may be a disk that is not mounted.
        """
        self.root = root
        self._checksums: dict[tuple[str, int, int], str] = {}

    def objects(self, prefix: str, *, versions: bool = False) -> Sequence[Stored]:  # noqa: ARG002 - there are none
        with self._said(f"list {prefix}"):
            folder, _, _ = prefix.rpartition("/")
            found = []
            for where, _, names in os.walk(self.root / folder):
                inside = Path(where).relative_to(self.root).as_posix()
                found += [f"{inside}/{name}" if inside != "." else name for name in names]
            wanted = sorted(name for name in found if name.startswith(prefix) and not name.startswith(f"{_OWN_FOLDER}/"))
            return [stored for stored in map(self._look, wanted) if stored]

    def folders(self, prefix: str, *, versions: bool = False) -> Sequence[str]:  # noqa: ARG002
        with self._said(f"list {prefix}"):
            folder = self.root / prefix
            inside = [entry for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
            # An empty folder is what a deletion was about to remove.
            return sorted(entry.name for entry in inside if any(names for _, _, names in os.walk(entry)))

    def stat(self, name: str) -> Stored | None:
        with self._said(f"read {name}"):
            return self._look(name)

    def read(self, name: str) -> Contents | None:
        with self._said(f"read {name}"):
            try:
                with (self.root / name).open("rb") as stream:
                    return Contents(stream.read(), os.fstat(stream.fileno()).st_mtime_ns)
            except FileNotFoundError:
                return None

    def write(self, name: str, data: bytes, generation: int) -> int:
        with self._said(f"write {name}"), self._lock():
            there = self._generation(name)
            if there != generation:
                raise ConditionError(name)
            file, new = self.root / name, self.root / _OWN_FOLDER / "new"
            with new.open("wb") as stream:
                stream.write(data)
                _keep(stream)
            written = max(time.time_ns(), there + 1)
            os.utime(new, ns=(written, written))
            if new.stat().st_mtime_ns != written:
                raise DiskError(f"{self.root} lies on a file system that keeps no nanoseconds, so no write could be told from another.")
            file.parent.mkdir(parents=True, exist_ok=True)
            new.replace(file)
            _keep_folder(file.parent)
            return written

    def upload(self, file: Path, name: str, progress: Progress) -> Stored:
        with self._said(f"write {name}"):
            target = self.root / name
            try:
                with self._lock():  # or a deletion might take the empty folder away
                    target.parent.mkdir(parents=True, exist_ok=True)
                    stream = target.open("xb")
            except FileExistsError as error:
                raise ConditionError(name) from error
            # A process that is killed here leaves half a shard, and no manifest will ever name it.
            try:
                with stream, file.open("rb") as source, progress.watch(source):
                    while block := source.read(_COPY_BLOCK):
                        stream.write(block)
                    _keep(stream)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
            _keep_folder(target.parent)
            return self._stored(name)

    def download(self, stored: Stored, file: Path, progress: Progress) -> None:
        with self._said(f"read {stored.name}"):
            try:
                source = (self.root / stored.name).open("rb")
            except FileNotFoundError as error:
                raise GoneError(stored.name) from error
            with source, progress.watch(source):
                if os.fstat(source.fileno()).st_mtime_ns != stored.generation:
                    raise GoneError(stored.name)
                with file.open("wb") as target:
                    while block := source.read(_COPY_BLOCK):
                        target.write(block)

    def delete(self, stored: Stored, *, forever: bool) -> None:  # noqa: ARG002 - always
        with self._said(f"delete {stored.name}"), self._lock():
            if self._generation(stored.name) != stored.generation:
                return
            file = self.root / stored.name
            file.unlink()
            for folder in file.relative_to(self.root).parents[:-1]:
                try:
                    (self.root / folder).rmdir()
                except OSError:
                    return  # something else is in it

    def _generation(self, name: str) -> int:
        try:
            return (self.root / name).stat().st_mtime_ns
        except FileNotFoundError:
            return ABSENT

    def _look(self, name: str) -> Stored | None:
        try:
            return self._stored(name)
        except FileNotFoundError:
            return None

    def _stored(self, name: str) -> Stored:
        file = self.root / name
        state = file.stat()
        # A folder keeps no checksums as Cloud Storage does, so each file is read, once.
        key = name, state.st_mtime_ns, state.st_size
        if key not in self._checksums:
            self._checksums[key] = crc32c_of(file)
        return Stored(name, state.st_mtime_ns, state.st_size, self._checksums[key], state.st_mtime)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Held by one at a time, threads and processes alike."""
        own = self.root / _OWN_FOLDER
        own.mkdir(exist_ok=True)
        with (own / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _said(self, what: str) -> Iterator[None]:
        """Turns the system's errors into what a person can act on."""
        if not self.root.is_dir():
            raise MissingBucketError(f"cannot {what}: there is no folder {self.root}. Make it, or mount the disk that it is on.")
        try:
            yield
        except OSError as error:
            raise DiskError(f"could not {what} in {self.root}: {error.strerror or error} ({error.filename or 'local disk'}).") from error


def _keep(stream: IO[bytes]) -> None:
    """Makes a file survive a power failure."""
    stream.flush()
    os.fsync(stream.fileno())


def _keep_folder(folder: Path) -> None:
    """Makes the names in a folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
