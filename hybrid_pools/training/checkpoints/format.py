"""The format: what the objects of a run say. Version 1; its JSON Schema is docs/schema/checkpoint.v1.schema.json."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, ValidationError, model_validator

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.training.checkpoints.errors import NewerFormatError
from hybrid_pools.training.checkpoints.layout import Name

FORMAT_VERSION: Literal[1] = 1

OWN_FOLDER = ".hybrid-pools"
"""Folder of the library's own files in a directory that it has saved or restored."""


def state_file(rank: int) -> str:
    """File with the state of a worker, in a directory that it saves."""
    return f"{OWN_FOLDER}/worker-{rank:05d}.json"


class MalformedError(Exception):
    """An object of a run is not what the format says."""


def _file_name(text: str) -> str:
    path = PurePosixPath(text)
    if not text or text != str(path) or path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text:
        raise ValueError("a relative path with forward slashes, and no way out of its directory")
    return text


FileName = Annotated[str, AfterValidator(_file_name)]


class Shard(Part):
    """One file of a checkpoint."""

    name: FileName
    """Path in the restored directory. Belongs to no worker: any number of workers may read it."""

    object: FileName
    """Object below the checkpoint's folder that holds it."""

    size: Annotated[int, Field(ge=0)]
    """Bytes."""

    crc32c: Annotated[str, Field(alias="crc32c", pattern=r"^[A-Za-z0-9+/]{6}==$")]
    """Checksum of the bytes, in base64, as Google writes it."""

    generation: Annotated[int, Field(gt=0)]
    """Generation of the object when it was saved: by it a versioned bucket finds it even after it was deleted."""

    worker: Annotated[int, Field(ge=0)]
    """Rank that saved it."""


class Report(Part):
    """What one worker has saved of a checkpoint. Written once, after its shards."""

    format_version: Literal[1] = FORMAT_VERSION
    nonce: str
    """Of this save of this process alone."""

    shards: tuple[Shard, ...]


class Manifest(Part):
    """A published checkpoint. Written last and only once; without it there is no checkpoint."""

    format_version: Literal[1] = FORMAT_VERSION
    epoch: Annotated[int, Field(ge=1)]
    """Number of the attempt that saved it."""

    step: Annotated[int, Field(ge=0)]
    """Steps done when it was saved: a resumed run goes on with this one."""

    attempt: str
    """Id of the attempt."""

    nonce: str
    """Of this publication alone."""

    created_at: AwareDatetime
    workers: Annotated[int, Field(ge=1)]
    """How many saved it. As many or others may go on from it."""

    position: JsonValue = None
    """Where in the data the run is, as the trainer put it; None where it did not."""

    shards: Annotated[tuple[Shard, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        for names in ([shard.name for shard in self.shards], [shard.object for shard in self.shards]):
            if len(set(names)) < len(names):
                raise ValueError("two shards have one name")
        return self

    @property
    def checkpoint(self) -> Name:
        """Its name in the run."""
        return Name(self.epoch, self.step)

    @property
    def size(self) -> int:
        """Bytes of all shards."""
        return sum(shard.size for shard in self.shards)


class Lease(Part):
    """Who may publish. Replaced, never written over: each attempt swaps it for its own, under the condition that nobody else has.

    A manifest counts if `sealed` names it, or if its epoch is above `sealed_epoch` and not above `epoch`.
    """

    format_version: Literal[1] = FORMAT_VERSION
    epoch: Annotated[int, Field(ge=1)]
    """Number of the attempt that holds the run."""

    attempt: str
    """Its id, which all its workers know."""

    nonce: str
    """Of this take-over alone."""

    taken_at: AwareDatetime
    sealed_epoch: Annotated[int, Field(ge=0)]
    """Attempts up to this one can publish nothing more."""

    sealed: tuple[str, ...]
    """All that those attempts had published when that was settled."""

    ended_at: AwareDatetime | None = None
    """When the attempt ended, if it could still say so."""

    previous_ended_at: AwareDatetime | None = None
    """When the attempt before ended, if it could still say so."""

    @property
    def settled(self) -> bool:
        """Whether the take-over is done. Until then the attempt publishes nothing."""
        return self.sealed_epoch == self.epoch - 1

    def counts(self, name: Name) -> bool:
        """Whether a manifest of that name is a publication, and not the late write of an attempt that had lost the run."""
        return self.sealed_epoch < name.epoch <= self.epoch or str(name) in self.sealed


class WorkerState(Part):
    """What one worker needs to go on exactly where it was. Saved as a shard of its own."""

    format_version: Literal[1] = FORMAT_VERSION
    position: JsonValue = None
    """Where in its part of the data the worker is."""

    python_random: JsonValue = None
    """State of Python's `random`."""

    numpy_random: JsonValue = None
    """State of numpy's global generator, where numpy was in use."""

    framework_random: JsonValue = None
    """State of the framework's generators, as the trainer put it."""


_Model = TypeVar("_Model", bound=Part)


def parse(model: type[_Model], data: bytes, where: str) -> _Model:
    """An object of a run. Raises `MalformedError`, or `NewerFormatError` for what a newer release wrote."""
    try:
        raw: Any = json.loads(data)
        version = raw.get("formatVersion") if isinstance(raw, Mapping) else None
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise NewerFormatError(
                f"{where} is of format version {version}, and this release reads up to {FORMAT_VERSION}. "
                "Update hybrid-node-pools in the image to the release that wrote it, or a newer one."
            )
        return model.model_validate_json(data)
    except (ValidationError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise MalformedError(f"{where} is not of the format: {str(error).splitlines()[0]}") from error


def text(part: Part) -> bytes:
    """An object as it is written."""
    return part.model_dump_json(by_alias=True, exclude_none=True).encode()


def now() -> datetime:
    """The time, as the format writes it."""
    return datetime.now(UTC)
