"""What the contract says of buckets."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.model import Bucket
from hybrid_pools.blueprint.vocabulary import BucketKind


class KeptVersionsContract(Part):
    """Replaced and deleted objects: a version goes only when it is beyond both numbers."""

    versions: Annotated[int, Field(ge=1)]
    """Newest versions that are kept, the live one included."""

    days: Annotated[int, Field(ge=1)]
    """Days for which every version is kept after it was replaced or deleted."""


class BucketContract(Part):
    """One bucket as a user of it needs to know it."""

    kind: BucketKind
    name: str
    """Physical name."""

    url: str
    """The bucket as `gs://NAME`."""

    location: str
    """Region, or the multi-region around a pair of regions, in Google's spelling."""

    data_locations: tuple[str, ...] = ()
    """The pair of regions that both hold every object, where there is one."""

    versioning: bool
    """Whether replaced and deleted objects can be read again. A bucket without versions has real folders, renamed at once."""

    kept: KeptVersionsContract | None = None
    """How long versions are kept; left out where there are none."""

    soft_delete_seconds: Annotated[int, Field(ge=0)]
    """Seconds for which an administrator can bring back what is gone for good; 0 is never."""


def bucket_contract(bucket: Bucket, name: str) -> BucketContract:
    """The contract of one bucket, once its physical name is known."""
    kept = bucket.versioning
    return BucketContract(
        kind=bucket.kind,
        name=name,
        url=bucket_url(name),
        location=bucket.location,
        data_locations=bucket.data_locations,
        versioning=kept is not None,
        kept=KeptVersionsContract(versions=kept.keep_versions, days=kept.keep_days) if kept else None,
        soft_delete_seconds=bucket.soft_delete_seconds,
    )


def bucket_url(name: str) -> str:
    """A bucket as command-line tools and libraries take it."""
    return f"gs://{name}"
