"""The checkpoints of one run, as a trainer uses them."""

import logging
import os
import secrets
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from hybrid_pools.training.checkpoints.bucket import Bucket
from hybrid_pools.training.checkpoints.environment import read_environment
from hybrid_pools.training.checkpoints.errors import AddressError, CheckpointError, DeniedError, DiskError, NotResumedError
from hybrid_pools.training.checkpoints.finding import newest_whole
from hybrid_pools.training.checkpoints.format import MalformedError, Manifest, WorkerState, parse, state_file, text
from hybrid_pools.training.checkpoints.layout import Layout, Name, check_step
from hybrid_pools.training.checkpoints.opening import bucket_of
from hybrid_pools.training.checkpoints.pruning import Pruning, prune
from hybrid_pools.training.checkpoints.random_state import numpy_random, python_random, set_numpy_random, set_python_random
from hybrid_pools.training.checkpoints.restoring import restore
from hybrid_pools.training.checkpoints.saving import Attempt, commit, hand_in, save_shards
from hybrid_pools.training.checkpoints.taking_over import join, release, require, take_over
from hybrid_pools.training.checkpoints.transfers import THREADS

_LOG = logging.getLogger(__name__)

KEEP = 3
"""Whole checkpoints that stay. One could be the one that turns out bad, one is read while the next is written."""

WORKERS_SECONDS = 600.0
"""How long worker 0 waits for the others' shards, and they for it to begin."""

_GRANT_SECONDS, _GRANT_PAUSE = 240.0, 10.0  # a fresh grant of workload identity takes minutes until it holds


@dataclass(frozen=True)
class Restored:
    """A checkpoint that lies in a directory.

    Attributes:
        manifest: What was published.
        directory: Where it lies.
        state: The state that the worker of this rank had; None where the checkpoint was saved by fewer workers.
    """

    manifest: Manifest
    directory: Path
    state: WorkerState | None

    @property
    def step(self) -> int:
        """Steps done when it was saved."""
        return self.manifest.step

    @property
    def position(self) -> JsonValue:
        """Where in its data this worker was; where the coordinator was, if this worker is new."""
        return self.state.position if self.state else self.manifest.position

    def set_random(self) -> None:
        """Sets the generators of Python and numpy to where they were. The framework's state is in `state.framework_random`."""
        if self.state and self.state.python_random is not None:
            set_python_random(self.state.python_random)
        if self.state and self.state.numpy_random is not None:
            set_numpy_random(self.state.numpy_random)


class Checkpoints:
    """The checkpoints of one run.

    A trainer calls `start`, then `restore`, and `publish` from time to time; anybody may call `latest`, `restore` and `prune`.
    """

    def __init__(
        self,
        uri: str,
        *,
        keep: int = KEEP,
        attempt: str | None = None,
        rank: int = 0,
        workers: int = 1,
        bucket: Bucket | None = None,
        threads: int = THREADS,
    ) -> None:
        """Nothing is asked of the bucket yet.

        Args:
            uri: `gs://BUCKET/runs/TEAM/RUN`, one for each run; or `file:///FOLDER/runs/TEAM/RUN`.
            keep: Whole checkpoints that stay when older ones are pruned.
            attempt: Id that all workers of one start share and no other start has. A run of one worker needs none.
            rank: Number of this worker; worker 0 publishes.
            workers: How many save each checkpoint.
            bucket: Another way to the bucket than the one that its address tells.
            threads: Copies at once.
        """
        if keep < 1:
            raise AddressError(f"keep is {keep}: at least 1 checkpoint must stay.")
        if workers > 1 and not attempt:
            raise AddressError(
                f"{workers} workers must share the id of their attempt. Let the manifest set HYBRID_POOLS_ATTEMPT, or let worker 0 send a "
                "fresh id to the others and pass it as attempt=."
            )
        self.layout = Layout.parse(uri)
        self.rank, self.workers = rank, workers
        self._keep, self._threads = keep, threads
        self._attempt_id = attempt or secrets.token_hex(8)
        self._bucket = bucket or bucket_of(self.layout)
        self._attempt: Attempt | None = None
        self._looked = False
        self._published: Manifest | None = None
        self._queued: Name | None = None
        self._background = ThreadPoolExecutor(1, thread_name_prefix="checkpoints")
        self._pending: Future[None] | None = None
        self._prunes = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, *, keep: int = KEEP) -> "Checkpoints":
        """The checkpoints of the run that the environment describes. Raises `AddressError`."""
        run = read_environment(os.environ if environment is None else environment)
        return cls(run.uri, keep=keep, attempt=run.attempt, rank=run.rank, workers=run.workers)

    def start(self) -> None:
        """Takes the run over: from now on no earlier attempt can publish. The other workers wait until worker 0 has done so."""
        if self._attempt:
            return
        give_up = time.monotonic() + _GRANT_SECONDS
        while True:
            try:
                if self.rank == 0:
                    held = take_over(self._bucket, self.layout, self._attempt_id)
                else:
                    held = join(self._bucket, self.layout, self._attempt_id, WORKERS_SECONDS)
                break
            except DeniedError as error:
                if time.monotonic() > give_up:
                    raise
                _LOG.warning("Not allowed yet, and tried again for %g s, because a grant may be fresh: %s", _GRANT_SECONDS, error)
                time.sleep(_GRANT_PAUSE)
        self._attempt = Attempt(self._bucket, self.layout, held, self.rank, self.workers, self._threads)
        _LOG.info("Attempt %s holds %s as number %d.", held.lease.attempt, self.layout.uri, held.lease.epoch)

    @property
    def attempt(self) -> Attempt:
        """What `start` has taken. Raises `CheckpointError` before."""
        if self._attempt is None:
            raise CheckpointError("the run has not been started: call start() first, then restore(), then publish().")
        return self._attempt

    @property
    def published(self) -> Manifest | None:
        """The last checkpoint that this process has published; None on workers that only save shards."""
        return self._published

    def publish(self, directory: Path, step: int, *, position: JsonValue = None, framework_random: JsonValue = None) -> None:
        """Copies a directory to the bucket in the background and publishes it. Every worker calls it, for the same steps.

        The directory is the fast tier: leave it as it is until `wait` returns or the next `publish` does. Only what is in the bucket
        counts. While a copy is on its way, the next call waits for it, so that a slow bucket slows saving down and does not fill the disk.

        Args:
            directory: All that is needed to go on; each worker has one of its own, with file names that no other worker uses.
            step: Steps done. Grows from call to call; a step that is published already is passed over.
            position: Where in its data this worker is; any JSON.
            framework_random: State of the framework's generators, any JSON. Those of Python and numpy are recorded without being asked.

        Raises:
            StaleWriterError: Another attempt has taken over; of this call or the one before.
            NotResumedError: The run has checkpoints, and `restore` was not called.
            CheckpointError: What else went wrong with this call or the one before.
        """
        name = self.attempt.name(check_step(step))
        if self.attempt.held.lease.sealed and not self._looked:
            raise NotResumedError(
                f"{self.layout.uri} has checkpoints, and this attempt wants to publish without having restored one: the work in them "
                "would be lost. Call restore() first, or give a new run an address of its own."
            )
        self.wait()
        if self._queued == name:
            return
        if self._queued and name < self._queued:
            raise AddressError(f"step {step} is published after step {self._queued.step}: steps grow within an attempt.")
        state = WorkerState(
            position=position, python_random=python_random(), numpy_random=numpy_random(), framework_random=framework_random
        )
        self._write_state(directory, state)
        require(self._bucket, self.layout, self.attempt.held)
        self._pending = self._background.submit(self._publish, directory, step, position)

    def wait(self) -> None:
        """Waits until all that `publish` was given is in the bucket. Raises what went wrong with it."""
        pending, self._pending = self._pending, None
        if pending:
            pending.result()

    def latest(self) -> Manifest | None:
        """The newest whole checkpoint; None in a run that has none. Bad ones are put aside and logged.

        Raises:
            NoValidCheckpointError: There are checkpoints, and all are bad.
            NewerFormatError: A newer release wrote the newest.
        """
        found = newest_whole(self._bucket, self.layout)
        return found.manifest if found else None

    def restore(self, directory: Path, *, step: int | None = None, shards: Collection[str] | None = None) -> Restored | None:
        """Makes a directory hold the newest whole checkpoint; None in a run that has none.

        Args:
            directory: Empty, absent, or one that an earlier restore has made: other files in it are removed, right ones kept.
            step: Another than the newest, to go back. What is published next is then the newest.
            shards: Names of the files that this worker needs; all where left out.
        """
        manifest = restore(self._bucket, self.layout, directory, step=step, shards=shards, threads=self._threads)
        self._looked = True
        return Restored(manifest, directory, self._read_state(directory)) if manifest else None

    def prune(self, *, all_versions: bool = False) -> Pruning:
        """Deletes all but the newest `keep` whole checkpoints, and what unfinished saves left. `publish` does it, too, where it may.

        Args:
            all_versions: Delete also the versions that a versioned bucket has kept of what goes; otherwise they stay, and cost.
        """
        return prune(self._bucket, self.layout, self._keep, all_versions=all_versions, threads=self._threads)

    def close(self) -> None:
        """Waits, and says in the bucket that this attempt has ended. Raises what `wait` raises."""
        try:
            self.wait()
        finally:
            self._background.shutdown(wait=True)
        if self._attempt and self.rank == 0:
            release(self._bucket, self.layout, self._attempt.held)

    def _publish(self, directory: Path, step: int, position: JsonValue) -> None:
        attempt = self.attempt
        report = save_shards(attempt, directory, step)
        if self.rank == 0:
            self._published = commit(attempt, report, step, position, WORKERS_SECONDS)
            _LOG.info("Step %d is published: %.1f MiB in %s.", step, self._published.size / 2**20, self.layout.uri)
        else:
            hand_in(attempt, report, step)
        self._queued = attempt.name(step)
        if self.rank == 0 and self._prunes:
            self._prune_where_allowed()

    def _prune_where_allowed(self) -> None:
        try:
            self.prune()
        except DeniedError:
            self._prunes = False
            _LOG.info("This identity may not delete: somebody else prunes %s.", self.layout.uri)
        except CheckpointError as error:
            _LOG.warning("Old checkpoints stay for now: %s", error)

    def _write_state(self, directory: Path, state: WorkerState) -> None:
        file = directory / state_file(self.rank)
        try:
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text(state))
        except OSError as error:
            raise DiskError(
                f"cannot write {file}: {error.strerror}. Write the checkpoint to the directory before it is published."
            ) from error

    def _read_state(self, directory: Path) -> WorkerState | None:
        file = directory / state_file(self.rank)
        try:
            return parse(WorkerState, file.read_bytes(), str(file)) if file.is_file() else None
        except MalformedError as error:
            raise CheckpointError(str(error)) from error
