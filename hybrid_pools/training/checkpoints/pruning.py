"""Deleting what a run needs no more, in an order that leaves no half-deleted checkpoint to be found."""

import json
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass

from hybrid_pools.training.checkpoints.bucket import Bucket, write_once
from hybrid_pools.training.checkpoints.finding import Bad, Whole, examine, quarantine
from hybrid_pools.training.checkpoints.format import now
from hybrid_pools.training.checkpoints.layout import Layout, Mark, Name
from hybrid_pools.training.checkpoints.snapshot import Entry, Snapshot, entries_of, take
from hybrid_pools.training.checkpoints.transfers import THREADS, in_parallel

_LOG = logging.getLogger(__name__)

UNFINISHED_SECONDS = 24 * 3600.0
"""Age from which data without a manifest count as abandoned, though their attempt may live."""


@dataclass(frozen=True)
class Pruning:
    """What was done.

    Attributes:
        kept: The newest whole checkpoints, newest first.
        deleted: Published ones that were deleted.
        unfinished: Ones that never were published, and whose data were deleted.
        quarantined: Bad ones that are kept for a person to look at.
    """

    kept: tuple[Name, ...] = ()
    deleted: tuple[Name, ...] = ()
    unfinished: tuple[Name, ...] = ()
    quarantined: tuple[Name, ...] = ()


def prune(
    bucket: Bucket,
    layout: Layout,
    keep: int,
    *,
    all_versions: bool = False,
    unfinished_seconds: float = UNFINISHED_SECONDS,
    threads: int = THREADS,
) -> Pruning:
    """Deletes all but the newest `keep` whole checkpoints, and what unfinished saves left.

    A checkpoint is marked, then loses its manifest, then its data, then the mark: killed anywhere, the next call goes on. Nothing is
    deleted while a take-over is on its way, because it is not certain then which manifests count.

    Args:
        bucket: Where the run lies.
        layout: How its objects are named.
        keep: How many whole checkpoints stay, at least 1.
        all_versions: Delete the versions that a versioned bucket has kept of what goes, too.
        unfinished_seconds: Age from which data without a manifest in the running attempt count as abandoned.
        threads: Deletions at once.
    """
    return _Pruner(bucket, layout, all_versions, unfinished_seconds, threads).run(keep)


@dataclass(frozen=True)
class _Pruner:
    bucket: Bucket
    layout: Layout
    all_versions: bool
    unfinished_seconds: float
    threads: int

    def run(self, keep: int) -> Pruning:
        snapshot = take(self.bucket, self.layout)
        if not snapshot.settled:
            _LOG.info("Nothing of %s is pruned: an attempt is taking it over.", self.layout.uri)
            return Pruning()
        kept, rest = self._split(snapshot, keep)
        # A manifest that does not count is the late write of an attempt that had lost the run: it never will.
        void = [name for name, entry in snapshot.entries.items() if entry.manifest and not snapshot.counts(name)]
        marked = [name for name, entry in snapshot.entries.items() if Mark.PRUNED in entry.marks]
        for name in sorted({*rest, *void} - set(marked)):
            self._mark(name, Mark.PRUNED)
        deleted = sorted({*rest, *void, *marked})
        for name in deleted:
            self._delete(name)
        return Pruning(tuple(kept), tuple(deleted), tuple(self._unfinished(snapshot)), tuple(take(self.bucket, self.layout).quarantined()))

    def _split(self, snapshot: Snapshot, keep: int) -> tuple[list[Name], list[Name]]:
        """The newest that are whole, and all older than these. Nothing is older while fewer than `keep` are whole."""
        kept: list[Name] = []
        published = snapshot.published()
        for index, name in enumerate(published):
            found = examine(self.bucket, self.layout, name)
            if isinstance(found, Bad):
                quarantine(self.bucket, self.layout, name, found.reason)
            elif isinstance(found, Whole):
                kept.append(name)
                if len(kept) == keep:
                    return kept, published[index + 1 :]
        return kept, []

    def _delete(self, name: Name) -> None:
        entry = self._entry(name)
        self._remove(self.layout.manifest(name), exactly=True)
        self._remove(self.layout.folder_of(name))
        for mark in (Mark.QUARANTINED, Mark.ABANDONED, Mark.PRUNED):
            if mark in entry.marks:
                self._remove(self.layout.mark(name, mark), exactly=True)

    def _unfinished(self, snapshot: Snapshot) -> Iterable[Name]:
        """Deletes data without a manifest.

        Of an attempt that has lost the run: at once, because its manifest would not count. Of the one that holds it, or in a run without a
        lease: only if they are old, and after a mark at which the writer looks before it calls the checkpoint published. Whoever writes
        manifest or mark first is seen by the other.
        """
        with_data = set(filter(None, map(Name.parse, self.bucket.folders(self.layout.data, versions=self.all_versions))))
        # Anew: what was published since the snapshot is no longer unfinished.
        entries = entries_of(self.bucket.objects(self.layout.manifests), self.layout)
        for name in sorted(with_data | {name for name, entry in entries.items() if Mark.ABANDONED in entry.marks}):
            entry = entries.get(name, Entry())
            if entry.manifest or Mark.PRUNED in entry.marks:
                continue
            if snapshot.held and name.epoch <= snapshot.held.lease.sealed_epoch:
                self._remove(self.layout.folder_of(name))
                self._remove(self.layout.mark(name, Mark.ABANDONED), exactly=True)
                yield name
            elif self._is_old(name):
                self._mark(name, Mark.ABANDONED)
                if self.bucket.stat(self.layout.manifest(name)) is None:
                    self._remove(self.layout.folder_of(name))
                    yield name

    def _is_old(self, name: Name) -> bool:
        objects = self.bucket.objects(self.layout.folder_of(name), versions=self.all_versions)
        return bool(objects) and max(stored.created for stored in objects) < time.time() - self.unfinished_seconds

    def _entry(self, name: Name) -> Entry:
        return entries_of(self.bucket.objects(self.layout.manifest(name)), self.layout).get(name, Entry())

    def _mark(self, name: Name, mark: Mark) -> None:
        write_once(self.bucket, self.layout.mark(name, mark), json.dumps({"at": now().isoformat()}).encode())

    def _remove(self, prefix: str, *, exactly: bool = False) -> None:
        """Deletes the objects below a prefix, or the one object of that name."""
        found = self.bucket.objects(prefix, versions=self.all_versions)
        gone = [stored for stored in found if not exactly or stored.name == prefix]
        in_parallel(lambda stored: self.bucket.delete(stored, forever=self.all_versions), gone, self.threads)
