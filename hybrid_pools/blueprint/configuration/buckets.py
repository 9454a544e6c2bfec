"""Buckets: where datasets, checkpoints and artifacts lie, and how long what was replaced is kept."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, KeyName, Model, refusal

RegionName = Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+[0-9]+$"), Form("A region, for example us-central1")]


class ColdClass(StrEnum):
    """Storage classes for what is seldom read, in Google's spelling, from warm to cold."""

    NEARLINE = "NEARLINE"
    COLDLINE = "COLDLINE"
    ARCHIVE = "ARCHIVE"


class Versioning(Model):
    """How long replaced and deleted objects are kept. A version goes only when it is beyond both numbers, never sooner."""

    keep_versions: Annotated[int, Field(ge=1, le=100)]
    """Newest versions of an object that are kept whatever their age, the live one included."""

    keep_days: Annotated[int, Field(ge=1, le=3650)]
    """Days for which a version is kept after it was replaced or deleted, however many newer ones there are."""


class Archiving(Model):
    """When live objects move to a colder class: cheaper to keep, dearer to read, and billed for a least time."""

    after_days: Annotated[int, Field(ge=1, le=3650)]
    """Age of the object in days."""

    storage_class: ColdClass
    """Class to move to. Least billed times: NEARLINE 30 days, COLDLINE 90, ARCHIVE 365."""


class BucketConfiguration(Model):
    """What every kind of bucket may say."""

    versioning: Versioning
    """How long replaced and deleted objects are kept."""

    hierarchical_namespace: bool = False
    """Real folders that are renamed at once, instead of versioning. Google fixes the choice when the bucket is made."""

    soft_delete_days: Annotated[int, Field(ge=0, le=90)]
    """Days for which Google can bring back what is gone for good, lifecycle deletions too; 0 or 7 to 90. Bytes are billed until then."""

    abort_uploads_after_days: Annotated[int, Field(ge=1, le=365)] = 7
    """Days after which the parts of an upload that nobody finished are removed. They are billed and in no listing."""

    archive: Archiving | None = None
    """When live objects move to a colder class. Left out: never."""

    @model_validator(mode="after")
    def _one_kind_of_history(self) -> Self:
        if self.hierarchical_namespace and "versioning" in self.model_fields_set:
            raise refusal(
                "has versioning and hierarchicalNamespace, and Google has no versions in a bucket with real folders",
                "one of the two",
                "remove versioning, and rely on softDeleteDays; or remove hierarchicalNamespace",
            )
        return self


class DatasetsConfiguration(BucketConfiguration):
    """What training reads. Written seldom, read often, dear to make anew."""

    versioning: Versioning = Versioning(keep_versions=3, keep_days=30)
    """How long replaced and deleted objects are kept. Left out: 3 versions and 30 days."""

    soft_delete_days: Annotated[int, Field(ge=0, le=90)] = 7
    """Days for which Google can bring back what is gone for good; 0 or 7 to 90."""


class CheckpointsConfiguration(BucketConfiguration):
    """What a run resumes from. Written every few minutes, worthless when the run has ended well."""

    versioning: Versioning = Versioning(keep_versions=2, keep_days=7)
    """How long replaced and deleted objects are kept. Left out: 2 versions and 7 days."""

    soft_delete_days: Annotated[int, Field(ge=0, le=90)] = 0
    """Days for which Google can bring back what is gone for good; 0 or 7 to 90. Off by default: each day bills the same bytes again."""


class ArtifactsConfiguration(BucketConfiguration):
    """What training leaves behind: models, metrics, logs. Written once."""

    versioning: Versioning = Versioning(keep_versions=3, keep_days=30)
    """How long replaced and deleted objects are kept. Left out: 3 versions and 30 days."""

    soft_delete_days: Annotated[int, Field(ge=0, le=90)] = 7
    """Days for which Google can bring back what is gone for good; 0 or 7 to 90."""


class DualRegion(Model):
    """Two regions that both hold every object, so that training goes on in the other one. Google fixes the pair when a bucket is made."""

    regions: Annotated[tuple[RegionName, ...], Field(min_length=2)]
    """Two regions of one multi-region, the environment's own among them."""

    turbo_replication: bool = False
    """Whether Google promises the copy within 15 minutes. Without it most objects take up to an hour, some up to 12."""


class BucketsConfiguration(Model):
    """One bucket a kind, with a folder for each team."""

    dual_region: DualRegion | None = None
    """A pair of regions instead of the environment's region alone."""

    key: KeyName | None = None
    """Cloud KMS key for every object. It must lie where the buckets lie, and outlive them: without it nothing can be read."""

    datasets: DatasetsConfiguration = DatasetsConfiguration()
    """What training reads."""

    checkpoints: CheckpointsConfiguration = CheckpointsConfiguration()
    """What a run resumes from."""

    artifacts: ArtifactsConfiguration = ArtifactsConfiguration()
    """What training leaves behind."""
