"""Buckets: names, places, keys, soft delete."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration.buckets import BucketConfiguration
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.model.buckets import bucket_name_stem
from hybrid_pools.blueprint.rules.rule import Finding, section_rule
from hybrid_pools.blueprint.vocabulary import BucketKind

_LONGEST_NAME = 63
_SUFFIX = 8
"""Characters that are added to a name: a hyphen and seven digits."""

_LEAST_SOFT_DELETE_DAYS = 7


def _kinds(reading: Reading) -> Iterator[tuple[BucketKind, BucketConfiguration]]:
    buckets = reading.buckets
    if buckets is not None:
        yield BucketKind.DATASETS, buckets.datasets
        yield BucketKind.CHECKPOINTS, buckets.checkpoints
        yield BucketKind.ARTIFACTS, buckets.artifacts


@section_rule("CFG-801", "Google takes the names of the buckets", "Bucket naming page of the Cloud Storage documentation")
def names_are_taken(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A bucket is called after project, environment and kind. Google takes 63 characters, and no name with its own in it."""
    environment = reading.environment
    if environment is None or reading.buckets is None:
        return
    longest = max((bucket_name_stem(environment, kind) for kind in BucketKind), key=len)
    over = len(longest) + _SUFFIX - _LONGEST_NAME
    if over > 0:
        yield Finding(
            "environment.name",
            environment.name,
            f"makes bucket names like {longest}, {over} characters longer than Google takes",
            f"a project and an environment whose names have at most {len(environment.project) + len(environment.name) - over} characters "
            "together",
            f"shorten the environment's name by {over}",
        )
    if "google" in longest or longest.startswith("goog"):
        yield Finding(
            "environment.name",
            environment.name,
            f"makes bucket names like {longest}, and Google keeps names with `google` or a leading `goog` for itself",
            "names without them",
            "rename the environment, or use another project",
        )


@section_rule("CFG-802", "A pair of regions is one that Google offers", "Bucket locations page of the Cloud Storage documentation")
def pair_is_offered(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """The pair is fixed when the bucket is made; far from the pools every checkpoint would cross regions and be billed for it."""
    if reading.buckets is None or reading.buckets.dual_region is None:
        return
    at, regions = "buckets.dualRegion.regions", reading.buckets.dual_region.regions
    offered = "; ".join(f"{area.name}: {', '.join(area.regions)}" for area in catalogue.multi_regions.values())
    if len(set(regions)) != len(regions) or len(regions) != 2:
        yield Finding(at, list(regions), "is not a pair of two different regions", "exactly two", "name two regions")
    elif catalogue.multi_region_of(regions) is None:
        yield Finding(at, list(regions), "is no pair that Google offers", f"two of one line: {offered}", "choose the second by the first")
    if reading.environment is not None and reading.environment.region not in regions:
        yield Finding(
            at,
            list(regions),
            f"leaves out the environment's region, so every read and write of {reading.environment.region} would cross regions",
            f"a pair with {reading.environment.region}",
            "put the environment's region into it",
        )


@section_rule("CFG-803", "The key lies where the buckets lie", "Customer-managed encryption keys page of the Cloud Storage documentation")
def key_is_near(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Google refuses a bucket whose key is elsewhere. A pair of regions takes a key of the multi-region around it."""
    buckets, environment = reading.buckets, reading.environment
    if buckets is None or buckets.key is None or environment is None:
        return
    around = catalogue.multi_region_of(buckets.dual_region.regions) if buckets.dual_region else None
    if buckets.dual_region and around is None:
        return
    wanted, given = around.key_location if around else environment.region, buckets.key.split("/")[3]
    if given != wanted:
        yield Finding(
            "buckets.key",
            buckets.key,
            f"is in {given}, but the buckets need a key in {wanted}",
            f"a key in {wanted}",
            f"make a key ring in {wanted} and name a key of it; a key cannot be moved",
        )


@section_rule("CFG-804", "Soft delete is off, or lasts 7 to 90 days", "Soft delete page of the Cloud Storage documentation")
def soft_delete_is_possible(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Google refuses a shorter time, and takes none only as 0."""
    for kind, bucket in _kinds(reading):
        if 0 < bucket.soft_delete_days < _LEAST_SOFT_DELETE_DAYS:
            yield Finding(
                f"buckets.{kind}.softDeleteDays",
                bucket.soft_delete_days,
                "is too short for Google",
                "0, or 7 to 90 days",
                "write 0 to turn it off, or at least 7",
            )


@section_rule(
    "CFG-805",
    "In a protected environment deleted data can be brought back",
    "Hierarchical namespace page of the Cloud Storage documentation",
)
def something_can_be_brought_back(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Without versions and without soft delete, one wrong command is the end of the data."""
    if reading.environment is None or not reading.environment.protected:
        return
    for kind, bucket in _kinds(reading):
        if bucket.hierarchical_namespace and bucket.soft_delete_days == 0:
            yield Finding(
                f"buckets.{kind}.softDeleteDays",
                bucket.soft_delete_days,
                "leaves nothing to bring back: a bucket with real folders has no versions",
                "7 to 90 days with hierarchicalNamespace",
                "set softDeleteDays to 7 or more, or use versioning",
            )
