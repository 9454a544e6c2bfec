"""Finding the newest checkpoint that is whole, and putting aside those that are not."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from hybrid_pools.training.checkpoints.bucket import Bucket, Stored, write_once
from hybrid_pools.training.checkpoints.errors import CheckpointError, DeniedError, NoValidCheckpointError
from hybrid_pools.training.checkpoints.format import MalformedError, Manifest, now, parse
from hybrid_pools.training.checkpoints.layout import Layout, Mark, Name
from hybrid_pools.training.checkpoints.snapshot import Entry, entries_of, take

_LOG = logging.getLogger(__name__)

_LOOKS = 20  # each new one because a checkpoint was pruned in the middle of the last


@dataclass(frozen=True)
class Whole:
    """A checkpoint whose every shard is in the bucket with the size and checksum that its manifest says.

    Attributes:
        manifest: What was published.
        objects: The object of each shard, by the shard's name, in the generation that was looked at.
    """

    manifest: Manifest
    objects: Mapping[str, Stored]


@dataclass(frozen=True)
class Bad:
    """A published checkpoint of which something is missing or wrong."""

    reason: str


class Abandoned:
    """A manifest that came so late that its data had been pruned as abandoned. Nobody was told that it is published."""


class Pruned:
    """A checkpoint that is being deleted, or is gone."""


def newest_whole(bucket: Bucket, layout: Layout, step: int | None = None) -> Whole | None:
    """The newest checkpoint that is whole, or the newest of a step; None in a run that has published nothing.

    Bad ones on the way are put aside and logged. Raises `NoValidCheckpointError` if there are only bad ones.
    """
    for _ in range(_LOOKS):
        snapshot = take(bucket, layout)
        wanted = [name for name in snapshot.published() if step is None or name.step == step]
        bad = [name for name in snapshot.quarantined() if snapshot.counts(name) and (step is None or name.step == step)]
        changed = False
        for name in wanted:
            found = examine(bucket, layout, name)
            if isinstance(found, Whole):
                return found
            if isinstance(found, Bad):
                quarantine(bucket, layout, name, found.reason)
                bad.append(name)
            elif isinstance(found, Pruned):
                changed = True
        if changed:
            continue
        if bad:
            raise NoValidCheckpointError(
                f"{layout.uri} has checkpoints, and all that could be used are bad: {', '.join(map(str, bad))}. The reasons stand in the "
                f"objects that end in .{Mark.QUARANTINED} below {layout.manifests}. Mend them, or begin again under an address of its own."
            )
        if step is not None:
            raise CheckpointError(f"{layout.uri} has no checkpoint of step {step}.")
        return None
    raise CheckpointError(f"checkpoints of {layout.uri} are deleted faster than they can be looked at. Is `keep` too small?")


def examine(bucket: Bucket, layout: Layout, name: Name) -> Whole | Bad | Abandoned | Pruned:
    """Whether a published checkpoint is whole. Its shards are not read: the bucket knows their sizes and checksums."""
    found = _compare(bucket, layout, name)
    if not isinstance(found, Bad):
        return found
    # Something is missing also where somebody prunes; he marks it before he deletes, so the mark is there, or all is gone.
    entry = entries_of(bucket.objects(layout.manifest(name)), layout).get(name, Entry())
    if entry.manifest is None or Mark.PRUNED in entry.marks:
        return Pruned()
    return Abandoned() if Mark.ABANDONED in entry.marks else found


def quarantine(bucket: Bucket, layout: Layout, name: Name, reason: str) -> None:
    """Puts a bad checkpoint aside: a mark beside its manifest. Nothing is deleted."""
    _LOG.error("Checkpoint %s of %s is bad and put aside, an older one is used: %s", name, layout.uri, reason)
    try:
        write_once(bucket, layout.mark(name, Mark.QUARANTINED), json.dumps({"reason": reason, "at": now().isoformat()}).encode())
    except DeniedError:
        _LOG.warning("This identity may not write to %s, so the next reader finds it again.", layout.uri)


def _compare(bucket: Bucket, layout: Layout, name: Name) -> Whole | Bad | Pruned:
    contents = bucket.read(layout.manifest(name))
    if contents is None:
        return Pruned()
    try:
        manifest = parse(Manifest, contents.data, layout.manifest(name))
    except MalformedError as error:
        return Bad(str(error))
    if manifest.checkpoint != name:
        return Bad(f"its manifest is that of {manifest.checkpoint}")
    folder = layout.folder_of(name)
    there = {stored.name: stored for stored in bucket.objects(folder)}
    objects = {}
    for shard in manifest.shards:
        stored = there.get(folder + shard.object)
        if stored is None:
            return Bad(f"shard {shard.name} is missing: there is no object {folder}{shard.object}")
        if (stored.size, stored.crc32c) != (shard.size, shard.crc32c):
            return Bad(
                f"shard {shard.name} was changed: object {stored.name} has {stored.size} bytes and crc32c {stored.crc32c}, "
                f"not {shard.size} and {shard.crc32c}"
            )
        objects[shard.name] = stored
    return Whole(manifest, objects)
