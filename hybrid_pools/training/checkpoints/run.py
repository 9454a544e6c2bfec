"""The loop of a trainer that survives: it resumes, saves in time, and on SIGTERM saves and ends with the exit code for "start again"."""

import json
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Protocol, Self

from pydantic import JsonValue

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_INTERVAL_VARIABLE,
    EVENT_FIELD,
    RECOVERED_EVENT,
    RECOVERY_SECONDS_FIELD,
    RESUME_EXIT_CODE,
)
from hybrid_pools.training.checkpoints.checkpoints import KEEP, Checkpoints, Restored
from hybrid_pools.training.checkpoints.environment import read_environment
from hybrid_pools.training.checkpoints.errors import AddressError, CheckpointError, StaleWriterError, UnreachableError
from hybrid_pools.training.checkpoints.format import now
from hybrid_pools.training.checkpoints.owned import is_owned, own
from hybrid_pools.training.checkpoints.watch import Watch

_LOG = logging.getLogger(__name__)

_FAILURES = 3  # saves in a row that may find no bucket; beyond that, going on costs more than it brings


class Decision(IntEnum):
    """What a worker wants after a step. The greatest of all workers' wishes is what all of them do."""

    GO_ON = 0
    SAVE = 1
    STOP = 2


class FrameworkRandom(Protocol):
    """The random generators of a framework."""

    def get(self) -> JsonValue:
        """Their state, as JSON."""

    def set(self, state: Any) -> None:
        """Goes on where `get` stood."""


class TrainingRun:
    """One start of a trainer.

        with TrainingRun.from_environment(save, load) as run:
            for step in range(run.step, 10_000):
                train(batch(step))
                run.after_step(step + 1)

    Entered, it takes the run over and restores the newest checkpoint. `after_step` saves when the interval is over. On SIGTERM or SIGINT
    the step is finished, saved and published, and the process ends with exit code 42; a second SIGINT ends it at once. At its end it saves
    what is not saved yet.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        save: Callable[[Path], None],
        load: Callable[[Path], None],
        interval_seconds: float,
        *,
        local: Path | None = None,
        agree: Callable[[int], int] | None = None,
        random: FrameworkRandom | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Nothing happens before it is entered.

        Args:
            checkpoints: Where the run's checkpoints are.
            save: Writes all that is needed to go on into an empty directory: model, optimizer, schedule, scaler.
            load: Reads it back.
            interval_seconds: Time between two saves.
            local: Folder of the fast tier; a temporary one where left out. Holds up to two checkpoints.
            agree: Gives the greatest of the numbers that all workers pass; needed where there are several.
            random: The generators of the framework. Those of Python and numpy are recorded without being asked.
            watch: What somebody who tests the trainer asks of it.
        """
        if checkpoints.workers > 1 and agree is None:
            raise AddressError(
                "workers must save the same steps: pass agree=, which gives the greatest of the numbers that all workers pass. For PyTorch "
                "it is hybrid_pools.training.checkpoints.pytorch.agree."
            )
        self.checkpoints = checkpoints
        self.step = 0
        """Steps done."""

        self.position: JsonValue = None
        """Where in its data this worker is to go on."""

        self._save_to, self._load_from, self._interval = save, load, interval_seconds
        self._agree = agree or (lambda wish: wish)
        self._random, self._watch = random, watch or Watch()
        self._stopping = False
        self._saved_step: int | None = None
        self._saved_at = time.monotonic()
        self._failures = 0
        self._given = False
        self._resumed: Restored | None = None
        self._handlers: dict[int, Any] = {}
        self._temporary = None if local else tempfile.TemporaryDirectory(prefix="checkpoints-", ignore_cleanup_errors=True)
        self._local = (local or Path(self._temporary.name if self._temporary else "")) / f"rank-{checkpoints.rank:05d}"
        self._last: Path | None = None

    @classmethod
    def from_environment(
        cls,
        save: Callable[[Path], None],
        load: Callable[[Path], None],
        *,
        keep: int = KEEP,
        agree: Callable[[int], int] | None = None,
        random: FrameworkRandom | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> "TrainingRun":
        """The run that the environment describes. Raises `AddressError`."""
        variables = os.environ if environment is None else environment
        described = read_environment(variables)
        if described.interval_seconds is None:
            raise AddressError(
                f"{CHECKPOINT_INTERVAL_VARIABLE} is not set. The manifest of the run sets it; outside the cluster, set it to the seconds "
                "between two saves."
            )
        checkpoints = Checkpoints.from_environment(variables, keep=keep)
        return cls(
            checkpoints,
            save,
            load,
            described.interval_seconds,
            local=described.local,
            agree=agree,
            random=random,
            watch=described.watch,
        )

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._handlers[number] = signal.signal(number, self._stop)
        try:
            self.checkpoints.start()
            self._resume()
        except BaseException:
            self._leave()
            raise
        self._saved_at = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if error is None:
                if self._saved_step != self.step:
                    self._save(self.position)
                self.checkpoints.close()
            else:
                self._close_quietly()
        finally:
            self._leave()

    @property
    def stopping(self) -> bool:
        """Whether this worker was asked to stop. Look at it in long stretches without `after_step`, such as an evaluation, and cut them."""
        return self._stopping

    def after_step(self, step: int, position: JsonValue = None) -> None:
        """Saves if it is time. Ends the process with exit code 42, saved, if it was asked to stop.

        Args:
            step: Steps done.
            position: Where in its data this worker is; any JSON. Given back as `position` after a restart.
        """
        self.step, self.position = step, position
        self._say_recovered()
        if self.checkpoints.rank == 0:
            self._watch.tell(step)
        due = time.monotonic() - self._saved_at >= self._interval
        wish = Decision.STOP if self._stopping or self._watch.stops_after(step) else Decision.SAVE if due else Decision.GO_ON
        decision = self._agree(int(wish))
        if decision == Decision.STOP:
            self._save_and_end(position)
        if decision == Decision.SAVE:
            self._save(position)

    def _resume(self) -> None:
        newest = self.checkpoints.latest()
        # A folder that an earlier process of this node has saved is most of what is to be restored.
        directory = self._local / (str(newest.checkpoint) if newest else "none")
        restored = self.checkpoints.restore(directory)
        if self._agree(restored.step if restored else 0) != (restored.step if restored else 0):
            raise CheckpointError(
                "the workers have restored different steps, because one of them found the newest checkpoint bad. Start again."
            )
        if restored is None:
            return
        self._load_from(directory)
        restored.set_random()
        if self._random and restored.state and restored.state.framework_random is not None:
            self._random.set(restored.state.framework_random)
        self.step, self.position = restored.step, restored.position
        self._saved_step, self._resumed, self._last = restored.step, restored, directory
        _LOG.info("Going on from step %d of %s.", restored.step, self.checkpoints.layout.uri)

    def _save(self, position: JsonValue) -> None:
        if self._saved_step == self.step:
            return
        self._saved_at = time.monotonic()
        if self._tolerate(self.checkpoints.wait) and self._given:
            self._failures = 0
        directory = self._local / str(self.checkpoints.attempt.name(self.step))
        self._make_room(directory)
        own(directory)
        self._save_to(directory)
        random = self._random.get() if self._random else None
        publish = partial(self.checkpoints.publish, directory, self.step, position=position, framework_random=random)
        self._given = self._tolerate(publish)
        if self._given:
            self._saved_step = self.step
        self._last = directory

    def _save_and_end(self, position: JsonValue) -> None:
        try:
            self._save(position)
            self.checkpoints.wait()
        except StaleWriterError:
            raise
        except (CheckpointError, OSError) as error:
            # Asked to end, it ends as asked: the next start goes on from what is published.
            _LOG.error("The save at the end failed: %s", error)
        raise SystemExit(RESUME_EXIT_CODE)

    def _tolerate(self, act: Callable[[], None]) -> bool:
        """Whether it went well. A bucket out of reach does not end training at once."""
        try:
            act()
        except UnreachableError as error:
            self._failures += 1
            if self._failures >= _FAILURES:
                raise
            _LOG.error("Save %d of %d in a row that failed: %s", self._failures, _FAILURES, error)
            return False
        return True

    def _make_room(self, directory: Path) -> None:
        """The fast tier holds the last checkpoint, which may be on its way to the bucket, and the next."""
        if self._local.is_dir():
            for other in self._local.iterdir():
                if other != self._last and (other == directory or is_owned(other)):
                    shutil.rmtree(other)

    def _say_recovered(self) -> None:
        resumed, self._resumed = self._resumed, None
        if resumed is None or self.checkpoints.rank != 0:
            return
        # An old process that was killed could not say when. Its last checkpoint was before, so the figure is never too good.
        ended = self.checkpoints.attempt.held.lease.previous_ended_at or resumed.manifest.created_at
        seconds = max(0.0, (now() - ended).total_seconds())
        line = {
            EVENT_FIELD: RECOVERED_EVENT,
            RECOVERY_SECONDS_FIELD: round(seconds, 3),
            "severity": "INFO",
            "message": f"Resumed from step {resumed.step}.",
            "step": resumed.step,
            "epoch": self.checkpoints.attempt.held.lease.epoch,
        }
        print(json.dumps(line), flush=True)  # noqa: T201 - the log line that the recovery objective is judged by

    def _close_quietly(self) -> None:
        try:
            self.checkpoints.close()
        except CheckpointError as error:
            _LOG.error("The last save is not published: %s", error)

    def _stop(self, number: int, _: FrameType | None) -> None:
        if self._stopping and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._stopping = True

    def _leave(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if self._temporary:
            self._temporary.cleanup()
