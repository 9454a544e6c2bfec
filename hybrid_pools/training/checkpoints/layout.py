"""Names: of a run in its bucket, and of a checkpoint in its run.

    runs/TEAM/RUN/lease.json                        who may publish
    runs/TEAM/RUN/manifests/EPOCH-STEP.json         a published checkpoint
    runs/TEAM/RUN/manifests/EPOCH-STEP.json.MARK    what became of it
    runs/TEAM/RUN/data/EPOCH-STEP/...               its shards, and the workers' reports

The epoch is the number of the attempt, so no attempt writes a name of another's. Names sort as checkpoints follow each other.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.training.checkpoints.errors import AddressError

_NAME = re.compile(r"(\d{8})-(\d{12})")
_PREFIX = BucketKind.CHECKPOINTS.prefix.removesuffix("/")
_GOOGLE = re.compile(r"gs://(?P<bucket>[a-z0-9][a-z0-9._-]{1,220}[a-z0-9])/(?P<folder>.+)")
_LOCAL = re.compile(rf"file://(?P<bucket>/.*)/(?P<folder>{_PREFIX}/[^/]+/.+)")
_HIGHEST_STEP = 10**12 - 1


class Mark(StrEnum):
    """What became of a checkpoint: the ending of an object beside its manifest."""

    PRUNED = "pruned"
    """It is being deleted. Written before anything of it goes."""

    ABANDONED = "abandoned"
    """Its data are being deleted because no manifest ever came."""

    QUARANTINED = "quarantined"
    """It was found bad. Nothing of it is deleted."""


@dataclass(frozen=True, order=True)
class Name:
    """A checkpoint of a run. The later one is the one of the later attempt, or of the later step of the same attempt."""

    epoch: int
    step: int

    def __str__(self) -> str:
        return f"{self.epoch:08d}-{self.step:012d}"

    @classmethod
    def parse(cls, text: str) -> "Name | None":
        """The checkpoint of that name; None for any other text."""
        found = _NAME.fullmatch(text)
        return cls(int(found[1]), int(found[2])) if found else None


def check_step(step: int) -> int:
    """The step, if it can be part of a name."""
    if not 0 <= step <= _HIGHEST_STEP:
        raise AddressError(f"step {step} is out of range: a step is a whole number from 0 to {_HIGHEST_STEP}.")
    return step


@dataclass(frozen=True)
class Layout:
    """Where a run lies.

    Attributes:
        bucket: Name of the bucket, or the absolute path of the local folder that serves as one.
        folder: Folder of the run in it; ends in `/`.
    """

    bucket: str
    folder: str

    @classmethod
    def parse(cls, uri: str) -> "Layout":
        """The run at an address `gs://BUCKET/runs/TEAM/RUN` or `file:///FOLDER/runs/TEAM/RUN`. Raises `AddressError`."""
        found = _GOOGLE.fullmatch(uri) or _LOCAL.fullmatch(uri)
        parts = found["folder"].removesuffix("/").split("/") if found else []
        if not found or len(parts) < 3 or parts[0] != _PREFIX or any(part in ("", ".", "..") for part in parts):
            raise AddressError(
                f"checkpoint address {uri!r} is none: it reads gs://BUCKET/{_PREFIX}/TEAM/RUN, with bucket and folder from the contract "
                f"(pulumi stack output contract --json) and a name of its own for each run. Without a cloud: "
                f"file:///FOLDER/{_PREFIX}/TEAM/RUN."
            )
        return cls(found["bucket"], "/".join(parts) + "/")

    @property
    def is_local(self) -> bool:
        """Whether a folder of this machine serves as the bucket."""
        return self.bucket.startswith("/")

    @property
    def uri(self) -> str:
        """The address, without a slash at its end."""
        return f"{'file' if self.is_local else 'gs'}://{self.bucket}/{self.folder.removesuffix('/')}"

    @property
    def lease(self) -> str:
        """Object that says who may publish."""
        return f"{self.folder}lease.json"

    @property
    def manifests(self) -> str:
        """Prefix of manifests and their marks."""
        return f"{self.folder}manifests/"

    @property
    def data(self) -> str:
        """Prefix of the checkpoints' folders."""
        return f"{self.folder}data/"

    def manifest(self, name: Name) -> str:
        """Object that publishes a checkpoint."""
        return f"{self.manifests}{name}.json"

    def mark(self, name: Name, mark: Mark) -> str:
        """Object that says what became of a checkpoint."""
        return f"{self.manifest(name)}.{mark}"

    def folder_of(self, name: Name) -> str:
        """Prefix of a checkpoint's shards and reports."""
        return f"{self.data}{name}/"

    def report(self, name: Name, rank: int) -> str:
        """Object by which a worker says that its shards are there."""
        return f"{self.folder_of(name)}worker-{rank:05d}.json"
