"""Which bucket an address names."""

from pathlib import Path

from hybrid_pools.training.checkpoints.bucket import Bucket
from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket
from hybrid_pools.training.checkpoints.layout import Layout
from hybrid_pools.training.checkpoints.local_bucket import LocalBucket


def bucket_of(layout: Layout) -> Bucket:
    """The bucket in which a run lies. Nothing is asked of it yet."""
    return LocalBucket(Path(layout.bucket)) if layout.is_local else GoogleBucket(layout.bucket)
