"""Taking a run over, so that no earlier attempt can publish in it any more.

Cloud Storage changes one object at a time, and a manifest is another object than the lease. So a writer cannot check that it still holds
the run and publish in one act, and an attempt that was thought dead may write its manifest at any later time. It must then not count. That
is done in three acts:

1. The new attempt swaps the lease for its own, under the condition that nobody else has meanwhile.
2. It lists the manifests.
3. It swaps the lease once more, now with the list: these, and no others, are what all earlier attempts have published.

A writer creates its manifest first, then looks whether the lease is still its own, and only then calls the checkpoint published. So
whatever was called published was created before act 1, hence before the list of act 2, and is on it. Whatever was created after the list is
not on it, and never counts. A manifest in between may count or not; nobody was told that it does.

Killed between the acts, the new attempt leaves a lease under which all that counted goes on counting; the next one begins at act 1.
"""

import secrets
import time
from collections.abc import Callable

from hybrid_pools.training.checkpoints.bucket import ABSENT, Bucket, write_once
from hybrid_pools.training.checkpoints.errors import CheckpointError, IncompleteError, StaleWriterError
from hybrid_pools.training.checkpoints.format import Lease, now, text
from hybrid_pools.training.checkpoints.layout import Layout, Mark, Name
from hybrid_pools.training.checkpoints.snapshot import Held, entries_of, read_lease

_TRIES = 20  # swaps that others may win
_PAUSE = 1.0  # seconds between two looks for the coordinator's lease


def take_over(bucket: Bucket, layout: Layout, attempt: str) -> Held:
    """Makes this process the one that publishes in the run. Raises `StaleWriterError` if another takes over meanwhile."""
    for _ in range(_TRIES):
        old = read_lease(bucket, layout)
        lease = _first(bucket, layout, attempt) if old is None else _after(old.lease, attempt)
        generation = write_once(bucket, layout.lease, text(lease), old.generation if old else ABSENT)
        if generation is not None:
            held = Held(lease, generation)
            # The first attempt has none before it. A second swap would look like a loss to a worker that has joined by then.
            return held if lease.settled else _settle(bucket, layout, held)
    raise CheckpointError(f"{layout.uri} changes hands all the time: several runs use one address. Give each run an address of its own.")


def join(bucket: Bucket, layout: Layout, attempt: str, timeout: float, sleep: Callable[[float], None] = time.sleep) -> Held:
    """The lease that the coordinator of this worker's attempt has taken; waits for it up to `timeout` seconds.

    One that has ended is not joined: an evicted job goes on with the id that it had, and its workers start before its coordinator.
    """
    give_up = time.monotonic() + timeout
    while True:
        held = read_lease(bucket, layout)
        if held and held.lease.attempt == attempt and held.lease.settled and held.lease.ended_at is None:
            return held
        if time.monotonic() > give_up:
            other = f"attempt {held.lease.attempt!r} {'held' if held.lease.ended_at else 'holds'} it" if held else "nobody holds it"
            raise IncompleteError(
                f"worker 0 of attempt {attempt!r} did not take {layout.uri} over within {timeout:g} s ({other}). "
                "Give all workers of one start the same attempt id, and look why worker 0 has not begun."
            )
        sleep(_PAUSE)


def require(bucket: Bucket, layout: Layout, held: Held) -> None:
    """Raises `StaleWriterError` if the run has changed hands."""
    there = bucket.stat(layout.lease)
    if there is None or there.generation != held.generation:
        raise stale(layout, held)


def stale(layout: Layout, held: Held) -> StaleWriterError:
    """What a writer is told that has lost the run."""
    return StaleWriterError(
        f"attempt {held.lease.attempt!r} has lost {layout.uri} to a later one and publishes nothing more. After a restart this is right, "
        "and this process must end. Where both should run, give each run an address of its own."
    )


def release(bucket: Bucket, layout: Layout, held: Held) -> None:
    """Says in the lease when this attempt ended, so that the next one knows how long the run stood still. Nothing if it was lost."""
    ended = held.lease.model_copy(update={"ended_at": now(), "nonce": secrets.token_hex(8)})
    write_once(bucket, layout.lease, text(ended), held.generation)


def _settle(bucket: Bucket, layout: Layout, held: Held) -> Held:
    entries = entries_of(bucket.objects(layout.manifests), layout)
    sealed = sorted(
        name for name, entry in entries.items() if entry.manifest and held.lease.counts(name) and Mark.PRUNED not in entry.marks
    )
    settled = held.lease.model_copy(update={"sealed_epoch": held.lease.epoch - 1, "sealed": tuple(map(str, sealed))})
    generation = write_once(bucket, layout.lease, text(settled), held.generation)
    if generation is None:
        raise stale(layout, held)
    return Held(settled, generation)


def _after(old: Lease, attempt: str) -> Lease:
    return Lease(
        epoch=old.epoch + 1,
        attempt=attempt,
        nonce=secrets.token_hex(8),
        taken_at=now(),
        sealed_epoch=old.sealed_epoch,
        sealed=old.sealed,
        previous_ended_at=old.ended_at,
    )


def _first(bucket: Bucket, layout: Layout, attempt: str) -> Lease:
    """The first lease of a run. Where somebody deleted the one before, it goes on above every number that was used."""
    names = [*entries_of(bucket.objects(layout.manifests), layout), *filter(None, map(Name.parse, bucket.folders(layout.data)))]
    epoch = max((name.epoch for name in names), default=0) + 1
    return Lease(epoch=epoch, attempt=attempt, nonce=secrets.token_hex(8), taken_at=now(), sealed_epoch=0, sealed=())
