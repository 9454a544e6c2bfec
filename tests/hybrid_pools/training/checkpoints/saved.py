"""Saving a run in a test, and looking at what lies in its bucket afterwards."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybrid_pools.training.checkpoints.bucket import Bucket, Stored
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.format import OWN_FOLDER
from hybrid_pools.training.checkpoints.layout import Layout, Name
from hybrid_pools.training.checkpoints.opening import bucket_of


def at(address: str, **arguments: Any) -> Any:
    """The run as somebody sees it who comes later. Not narrowed, so that a test may take for granted what it has saved."""
    return Checkpoints(address, **arguments)


def begun(address: str, **arguments: Any) -> Any:
    checkpoints = Checkpoints(address, **arguments)
    checkpoints.start()
    return checkpoints


def save(checkpoints: Checkpoints, directory: Path, step: int, **arguments: Any) -> None:
    checkpoints.publish(directory, step, **arguments)
    checkpoints.wait()


def contents(directory: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(directory)): file.read_bytes()
        for file in directory.rglob("*")
        if file.is_file() and OWN_FOLDER not in file.parts
    }


@dataclass(frozen=True)
class Piece:
    """One object of a run, for tests that do harm."""

    bucket: Bucket
    stored: Stored

    def read(self) -> bytes:
        found = self.bucket.read(self.stored.name)
        assert found
        return found.data

    def write(self, data: bytes) -> None:
        self.bucket.write(self.stored.name, data, self.stored.generation)

    def delete(self) -> None:
        self.bucket.delete(self.stored, forever=True)


def pieces(address: str) -> dict[str, Piece]:
    """All objects of a run by their names in it."""
    layout = Layout.parse(address)
    bucket = bucket_of(layout)
    return {stored.name.removeprefix(layout.folder): Piece(bucket, stored) for stored in bucket.objects(layout.folder)}


def kind(address: str) -> Any:
    """Class of the bucket, for tests that change what it does."""
    return type(bucket_of(Layout.parse(address)))


def damage_manifest(address: str) -> None:
    """Cuts the manifest of step 2 of the first attempt."""
    pieces(address)[f"manifests/{Name(1, 2)}.json"].write(b'{"formatVersion":1,"epo')
