"""What the protocol needs of a bucket: reads that see every finished write, and writes that are done only under a condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hybrid_pools.training.checkpoints.progress import Progress

ABSENT = 0
"""Generation of an object that is not there."""


class ConditionError(Exception):
    """The object is not of the generation that the write asked for (412). Also what the second try of a write meets whose first answer was
    lost."""


class GoneError(Exception):
    """The object, or that generation of it, is not there (404)."""


@dataclass(frozen=True)
class Stored:
    """What a bucket says of an object.

    Attributes:
        name: Whole name in the bucket.
        generation: Version of the object; changes with every write.
        size: Bytes.
        crc32c: Checksum of the stored bytes, in base64 as Google writes it.
        created: When this generation was written, in seconds of the epoch, by the clock of the bucket.
    """

    name: str
    generation: int
    size: int
    crc32c: str
    created: float


@dataclass(frozen=True)
class Contents:
    """A small object as it was read."""

    data: bytes
    generation: int


class Bucket(Protocol):
    """Operations on one bucket, each retried until its deadline. All of them raise `CheckpointError` where a person must act."""

    def objects(self, prefix: str, *, versions: bool = False) -> Sequence[Stored]:
        """Objects whose name begins with the prefix, in order of their names; with `versions` also those that were replaced or deleted."""

    def folders(self, prefix: str, *, versions: bool = False) -> Sequence[str]:
        """Names of the folders right below a prefix that ends in `/`, without prefix and slash."""

    def stat(self, name: str) -> Stored | None:
        """What is known of an object, or None."""

    def read(self, name: str) -> Contents | None:
        """A small object, or None."""

    def write(self, name: str, data: bytes, generation: int) -> int:
        """Writes a small object if it is of that generation now (`ABSENT`: not there), and returns the new one. Raises `ConditionError`."""

    def upload(self, file: Path, name: str, progress: Progress) -> Stored:
        """Copies a file to a name that does not exist yet. Raises `ConditionError`."""

    def download(self, stored: Stored, file: Path, progress: Progress) -> None:
        """Copies that generation of an object to a file. Raises `GoneError`."""

    def delete(self, stored: Stored, *, forever: bool) -> None:
        """Deletes that generation; nothing where it is gone already. Without `forever`, a versioned bucket keeps it as an old version."""


def write_once(bucket: Bucket, name: str, data: bytes, generation: int = ABSENT) -> int | None:
    """Writes a small object under the condition, and returns its new generation; None where somebody else came first.

    A write that was done and whose answer was lost is refused when it is tried again. What stands there then tells whose it is, so the data
    must be of this writer alone (a nonce) wherever the difference matters.
    """
    try:
        return bucket.write(name, data, generation)
    except ConditionError:
        found = bucket.read(name)
        return found.generation if found and found.data == data else None
