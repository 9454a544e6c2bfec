"""Buckets: one a kind, where the pools are, with a folder for each team."""

from collections.abc import Iterator, Mapping, Sequence

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.buckets import BucketConfiguration, BucketsConfiguration
from hybrid_pools.blueprint.lifecycle import LifecycleRule, abort_uploads, keep_recent, move_when_older
from hybrid_pools.blueprint.model import Bucket, Team
from hybrid_pools.blueprint.model.buckets import bucket_name_stem
from hybrid_pools.blueprint.vocabulary import BucketKind

_SECONDS_A_DAY = 24 * 3600


def derive_buckets(
    buckets: BucketsConfiguration | None,
    environment: EnvironmentConfiguration,
    teams: Sequence[Team],
    facts: Catalogue,
    common_labels: Mapping[str, str],
) -> tuple[Bucket, ...]:
    """One bucket for each kind, or none where none are configured."""
    if buckets is None:
        return ()
    kinds: Mapping[BucketKind, BucketConfiguration] = {
        BucketKind.DATASETS: buckets.datasets,
        BucketKind.CHECKPOINTS: buckets.checkpoints,
        BucketKind.ARTIFACTS: buckets.artifacts,
    }
    pair = buckets.dual_region
    around = facts.multi_region_of(pair.regions) if pair else None
    return tuple(
        Bucket(
            kind=kind,
            name_stem=bucket_name_stem(environment, kind),
            location=around.name if around else environment.region.upper(),
            data_locations=tuple(sorted(region.upper() for region in pair.regions)) if pair else (),
            turbo_replication=pair.turbo_replication if pair else False,
            key=buckets.key,
            versioning=None if bucket.hierarchical_namespace else bucket.versioning,
            soft_delete_seconds=bucket.soft_delete_days * _SECONDS_A_DAY,
            abort_uploads_after_days=bucket.abort_uploads_after_days,
            archive=bucket.archive,
            lifecycle=tuple(_lifecycle(bucket)),
            folders={team.name: f"{kind.prefix}{team.folder}" for team in teams},
            labels=common_labels,
            protected=environment.protected,
        )
        for kind, bucket in kinds.items()
    )


def bucket_apis(buckets: BucketsConfiguration | None) -> tuple[str, ...]:
    """Google APIs that the buckets need."""
    if buckets is None:
        return ()
    return ("storage.googleapis.com", *(("cloudkms.googleapis.com",) if buckets.key else ()))


def _lifecycle(bucket: BucketConfiguration) -> Iterator[LifecycleRule]:
    if not bucket.hierarchical_namespace:
        yield keep_recent(bucket.versioning.keep_versions, bucket.versioning.keep_days)
    if bucket.archive:
        yield move_when_older(bucket.archive.after_days, bucket.archive.storage_class)
    yield abort_uploads(bucket.abort_uploads_after_days)
