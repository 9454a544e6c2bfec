"""Buckets, fully decided."""

from collections.abc import Mapping
from dataclasses import dataclass

from hybrid_pools.blueprint.configuration import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.buckets import Archiving, Versioning
from hybrid_pools.blueprint.lifecycle import LifecycleRule
from hybrid_pools.blueprint.vocabulary import BucketKind


def bucket_name_stem(environment: EnvironmentConfiguration, kind: BucketKind) -> str:
    """First part of a bucket's name. Names of buckets are shared by the whole world, and a project's name is taken once."""
    return f"{environment.project}-{environment.name}-{kind}"


@dataclass(frozen=True)
class Bucket:
    """One bucket.

    Attributes:
        name_stem: Physical name without the digits at its end.
        location: In Google's spelling: a region, or the multi-region of the pair of regions.
        data_locations: The pair of regions; empty where the location is one region.
        turbo_replication: Whether Google promises the copy in the other region within 15 minutes.
        key: Cloud KMS key, or None for Google's own.
        versioning: How long replaced versions are kept; None in a bucket with real folders, which has no versions.
        soft_delete_seconds: How long Google can bring back what is gone for good; 0 is not at all.
        abort_uploads_after_days: When the parts of unfinished uploads go.
        archive: When live objects move to a colder class, or None.
        lifecycle: The rules that follow from this.
        folders: Managed folder of each team by the team's name: a prefix that ends in `/`.
        labels: Google Cloud labels.
        protected: Whether Pulumi refuses to delete or replace it, and leaves it behind when it is taken out of the program.
    """

    kind: BucketKind
    name_stem: str
    location: str
    data_locations: tuple[str, ...]
    turbo_replication: bool
    key: str | None
    versioning: Versioning | None
    soft_delete_seconds: int
    abort_uploads_after_days: int
    archive: Archiving | None
    lifecycle: tuple[LifecycleRule, ...]
    folders: Mapping[str, str]
    labels: Mapping[str, str]
    protected: bool

    @property
    def hierarchical_namespace(self) -> bool:
        """Whether the bucket has real folders instead of versions."""
        return self.versioning is None
