"""A folder that serves as the bucket of one run, seen by whoever tests the trainer."""

from dataclasses import dataclass
from pathlib import Path

from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.training.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.bucket import Bucket
from hybrid_pools.training.checkpoints.errors import NoValidCheckpointError
from hybrid_pools.training.checkpoints.finding import Whole, newest_whole
from hybrid_pools.training.checkpoints.format import OWN_FOLDER
from hybrid_pools.training.checkpoints.layout import Layout, Name
from hybrid_pools.training.checkpoints.local_bucket import LocalBucket
from hybrid_pools.training.checkpoints.snapshot import take


@dataclass(frozen=True)
class Place:
    """Where a run of the trainer publishes."""

    folder: Path

    @property
    def uri(self) -> str:
        """Address of the run."""
        return f"file://{self.folder}/{BucketKind.CHECKPOINTS.prefix}conformance/{self.folder.name}"

    @property
    def layout(self) -> Layout:
        """How its objects are named."""
        return Layout.parse(self.uri)

    @property
    def bucket(self) -> Bucket:
        """The folder as a bucket."""
        return LocalBucket(self.folder)

    def published(self) -> list[Name]:
        """Published checkpoints, newest first."""
        return take(self.bucket, self.layout).published()

    def newest(self) -> Whole | None:
        """The newest whole checkpoint; None where there is none, or where all are bad."""
        try:
            return newest_whole(self.bucket, self.layout)
        except NoValidCheckpointError:
            return None

    def strangers(self) -> list[str]:
        """Files in the run's folder that are no part of a checkpoint."""
        own = (self.layout.lease, self.layout.manifests, self.layout.data)
        return [
            stored.name.removeprefix(self.layout.folder)
            for stored in self.bucket.objects(self.layout.folder)
            if not stored.name.startswith(own)
        ]

    def bring(self, directory: Path, step: int) -> Path:
        """Restores the checkpoint of a step to a directory."""
        Checkpoints(self.uri).restore(directory, step=step)
        return directory

    def damage(self, whole: Whole) -> str:
        """Cuts the trainer's largest file of a checkpoint in half, as an upload does that was broken off. Returns the file's name."""
        files = [shard for shard in whole.manifest.shards if not shard.name.startswith(f"{OWN_FOLDER}/")]
        largest = max(files, key=lambda shard: shard.size)
        file = self.folder / whole.objects[largest.name].name
        with file.open("rb+") as stream:
            stream.truncate(largest.size // 2)
        return largest.name

    def has_put_aside(self, name: Name) -> bool:
        """Whether a checkpoint is marked as bad."""
        return name in take(self.bucket, self.layout).quarantined()
