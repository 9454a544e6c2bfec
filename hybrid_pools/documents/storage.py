"""`docs/storage.md`: what lies where, how long it is kept, and what it costs to lose it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hybrid_pools.blueprint.model import Blueprint, Bucket, Pool
from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.documents.markdown import code, codes, document, table

_SECONDS_A_DAY = 24 * 3600


@dataclass(frozen=True)
class _Kind:
    """What a reader must know of a kind of bucket."""

    holds: str
    loss: str


_KINDS = {
    BucketKind.DATASETS: _Kind("What training reads. Written seldom, read often.", "It is made anew from its source: days of work."),
    BucketKind.CHECKPOINTS: _Kind(
        "What a run resumes from. Written every few minutes.",
        "The newest: the run goes on from the one before. All: the run starts again, and its GPU hours are paid twice.",
    ),
    BucketKind.ARTIFACTS: _Kind(
        "What training leaves behind: models, metrics, logs.", "The run is done again, if its data and code still exist."
    ),
}
_RULES = """\
- A replaced or deleted version is removed only when both bounds are passed: enough newer versions, and enough days since it was replaced.
  What is live is never removed, and nothing is removed by the end of its name, so a commit marker never goes without its data.
- Versions count by name. A name that is never written again, such as a folder for each step, keeps its newest versions for ever. Whoever
  prunes such folders removes every version: `gcloud storage rm --recursive --all-versions gs://BUCKET/runs/TEAM/RUN/step-100/`.
- Soft delete begins where versions end: Google can still bring a removed version back, and bills it, for the days in the table.
- A change of these rules holds after up to a day. Until then Google may go by the old ones.
- Where renames must be quick, `hierarchicalNamespace` gives real folders instead of versions. Google fixes the choice, and the location,
  when the bucket is made; a change of either makes a new bucket beside the old one, and Google deletes the old one only when it is empty.
- A key must outlive the buckets, so no stack makes one: without it nothing can be read again. Whoever deploys needs the right to grant its
  use (`cloudkms.cryptoKeys.setIamPolicy`) where it lies.
- In a protected environment Pulumi refuses to delete or replace buckets, and leaves one that is taken out of the program where it is."""


def render(blueprints: Iterable[Blueprint]) -> str:
    """The document, one chapter an environment."""
    return document(
        "Storage",
        "the stack files, `hybrid_pools/blueprint/derivation/buckets.py` and `hybrid_pools/blueprint/lifecycle.py`",
        "Each environment has one bucket a kind, private, with a folder for each team that only the team's identities reach "
        "([access](access.md)). Nodes themselves have no right on any bucket. Names and prefixes are in the [contract](contract.md).",
        "## What lies where",
        table(
            ["Kind", "Holds", "Team folder", "What it costs to lose"],
            ([code(kind), _KINDS[kind].holds, code(f"{kind.prefix}TEAM/"), _KINDS[kind].loss] for kind in BucketKind),
        ),
        "## How things leave",
        _RULES,
        *(part for blueprint in blueprints for part in _environment(blueprint)),
    )


def _environment(blueprint: Blueprint) -> Iterator[str]:
    yield f"## {blueprint.environment.name}"
    if not blueprint.buckets:
        yield "No buckets."
        return
    yield table(
        ["Kind", "Bucket", "Where", "Versions kept", "Soft delete", "Unfinished uploads", "Colder class", "Key", "Protected"],
        (_bucket(bucket) for bucket in blueprint.buckets),
    )
    teams = [team.name for team in blueprint.teams]
    yield f"Teams: {codes(teams)}." if teams else "No teams, so no folders."
    yield from _fast_tier([pool for pool in blueprint.pools if pool.local_ssd])


def _bucket(bucket: Bucket) -> list[str]:
    return [
        code(bucket.kind),
        code(f"{bucket.name_stem}-…"),
        _where(bucket),
        _versions(bucket),
        _days(bucket.soft_delete_seconds // _SECONDS_A_DAY) if bucket.soft_delete_seconds else "off",
        f"go after {_days(bucket.abort_uploads_after_days)}",
        f"{bucket.archive.storage_class} after {_days(bucket.archive.after_days)}" if bucket.archive else "never",
        code(bucket.key) if bucket.key else "Google's",
        "yes" if bucket.protected else "no",
    ]


def _where(bucket: Bucket) -> str:
    if not bucket.data_locations:
        return code(bucket.location)
    copy = "the copy within 15 minutes" if bucket.turbo_replication else "most copies within an hour"
    return f"{' and '.join(map(code, bucket.data_locations))}, {copy}"


def _versions(bucket: Bucket) -> str:
    kept = bucket.versioning
    if kept is None:
        return "none; real folders"
    return f"the newest {kept.keep_versions} with the live one, and all replaced less than {_days(kept.keep_days)} ago"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _fast_tier(pools: Sequence[Pool]) -> Iterator[str]:
    if not pools:
        return
    yield "### Fast tier"
    yield (
        "Local SSD is quick and is gone with its node. A checkpoint there survives a restart of the process, never the loss of the node: "
        "copy it to the bucket, and write its marker there last."
    )
    yield table(["Pool", "Disks a node", "GiB a node", "Serves as"], (_ssd(pool) for pool in pools))


def _ssd(pool: Pool) -> list[str]:
    disks = pool.local_ssd
    assert disks is not None  # noqa: S101 — called only for pools that have some
    return [code(pool.name), str(disks.count), str(disks.count * pool.machine.local_ssd_gib), disks.use.value]
