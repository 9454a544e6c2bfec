"""A run on Vertex AI, followed to its end: submitted, waited for, submitted again when its restarts are used up."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeVar

from hybrid_pools.training.vertex.attempts import Attempt, Create, Done, Follow, State, Stop, decide
from hybrid_pools.training.vertex.request import Request

_POLL = timedelta(seconds=30)
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=2), timedelta(seconds=60)
_UNREACHABLE = timedelta(hours=1)
_LOST_ANSWER = timedelta(seconds=30)
"""How long a job that was made, and of which no answer came, may take until it is listed."""

_Answer = TypeVar("_Answer")


class UnreachableError(Exception):
    """The service did not answer, or not yet: asking again may help. Whether it did what was asked is not known."""


class RefusedError(Exception):
    """The service refused, and would refuse again. The message is for people."""


class RunError(Exception):
    """The run cannot go on by itself. The message says why and what to do."""


class Jobs(Protocol):
    """The custom jobs of a project in a region. Every method may raise `UnreachableError` or `RefusedError`."""

    def of_run(self, request: Request) -> list[Attempt]:
        """All attempts of a run."""

    def get(self, name: str) -> Attempt:
        """One job; refused where it is gone."""

    def create(self, request: Request, body: dict[str, Any]) -> Attempt:
        """Submit a job."""

    def cancel(self, attempt: Attempt) -> None:
        """Ask a job to end."""


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> datetime:
        """Now, in UTC."""

    def sleep(self, duration: timedelta) -> None:
        """Wait."""


Tell = Callable[[Attempt | None, str], None]
"""Told of progress: the attempt that it is about, and what is new in words."""


def submit(request: Request, jobs: Jobs, clock: Clock, tell: Tell) -> Attempt:
    """Bring a run to its end. May be interrupted and called again at any time: what is under way is found and followed.

    Raises:
        RunError: It has failed for good, or reached a bound.
        RefusedError: The service does not take what is asked.
    """
    run = _Run(request, jobs, clock, tell)
    since = clock.now()
    while True:
        row = run.attempts()
        if row is None:
            continue
        step = decide(row, request.digest, request.bound_seconds, clock.now(), since)
        match step:
            case Stop(reason):
                raise RunError(f"{request.team}/{request.run} {reason}.")
            case Done(attempt):
                tell(attempt, "has succeeded")
                return attempt
            case Follow(attempt, surplus):
                run.follow(attempt, surplus)
            case Create(number, timeout_seconds, at):
                run.create(number, timeout_seconds, at)


class _Run:
    """A run, and what of it is under way."""

    def __init__(self, request: Request, jobs: Jobs, clock: Clock, tell: Tell) -> None:
        self._request, self._jobs, self._clock, self._tell = request, jobs, clock, tell
        self._patient = _Patient(clock, tell)
        self._current: Attempt | None = None
        self._told: tuple[str, State] | None = None
        self._settled: set[str] = set()

    def attempts(self) -> list[Attempt] | None:
        """All that there are; None where the service has not told."""
        row = self._patient.ask(partial(self._jobs.of_run, self._request))
        if row is None or self._current is None or self._current.name in {one.name for one in row}:
            return row
        # Not listed yet, or deleted.
        found = self._patient.ask(partial(self._still_there, self._current))
        return None if found is None else [*row, found]

    def follow(self, attempt: Attempt, surplus: Iterable[Attempt]) -> None:
        """Tell what is new of an attempt, cancel what was submitted twice, and wait for a while."""
        for one in surplus:
            if one.name not in self._settled and (answer := self._patient.ask(partial(self._cancelled, one))):
                self._settled.add(one.name)
                self._tell(one, answer)
        if self._told != (attempt.name, attempt.state):
            self._told = (attempt.name, attempt.state)
            self._tell(attempt, _WORDS.get(attempt.state, f"is in state {attempt.state}"))
        self._current = attempt
        self._clock.sleep(_POLL)

    def create(self, number: int, timeout_seconds: int, at: datetime) -> None:
        """Submit an attempt once its time has come. Before that only wait: somebody else may submit it meanwhile."""
        if at > self._clock.now():
            self._tell(None, f"attempt {number} follows at {at:%H:%M:%S} UTC, from the last checkpoint")
            self._clock.sleep(at - self._clock.now())
            return
        self._current = self._patient.ask(partial(self._jobs.create, self._request, self._request.body(number, timeout_seconds)))
        if self._current is None:
            self._clock.sleep(_LOST_ANSWER)

    def _still_there(self, one: Attempt) -> Attempt:
        try:
            return self._jobs.get(one.name)
        except RefusedError as error:
            run = f"{self._request.team}/{self._request.run}"
            raise RunError(f"{run} was followed as {one.name}, which is gone ({error}). Submit it again to go on.") from error

    def _cancelled(self, one: Attempt) -> str:
        try:
            self._jobs.cancel(one)
        except RefusedError as error:
            return f"was submitted twice and cannot be cancelled: {error}"
        return "was submitted twice and is cancelled"


_WORDS = {
    State.UNSPECIFIED: "is submitted",
    State.QUEUED: "waits in Vertex AI's queue",
    State.PENDING: "waits for its machines",
    State.RUNNING: "is running",
    State.CANCELLING: "is being cancelled",
}


class _Patient:
    """Asks the service, and waits longer each time that it does not answer."""

    def __init__(self, clock: Clock, tell: Tell) -> None:
        self._clock, self._tell = clock, tell
        self._pause = _FIRST_PAUSE
        self._since: datetime | None = None

    def ask(self, question: Callable[[], _Answer]) -> _Answer | None:
        """The answer; None, after a pause, where none came.

        Raises:
            RunError: For an hour none has come.
        """
        try:
            answer = question()
        except UnreachableError as error:
            now = self._clock.now()
            self._since = self._since or now
            if now - self._since > _UNREACHABLE:
                raise RunError(
                    f"Vertex AI has not answered for an hour ({error}). What was submitted goes on: submit again to follow it."
                ) from error
            self._tell(None, f"no answer ({error}), asking again in {self._pause.total_seconds():g} s")
            self._clock.sleep(self._pause)
            self._pause = min(_LONGEST_PAUSE, self._pause * 2)
            return None
        self._pause, self._since = _FIRST_PAUSE, None
        return answer
