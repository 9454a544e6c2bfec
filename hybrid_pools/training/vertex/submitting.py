"""A run on Vertex AI, followed to its end: submitted, waited for, submitted again when its restarts are used up."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Protocol

from hybrid_pools.training.vertex.attempts import Attempt, Done, Follow, State, Stop, decide
from hybrid_pools.training.vertex.request import Request

_POLL = timedelta(seconds=30)
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=2), timedelta(seconds=60)
_UNREACHABLE = timedelta(hours=1)
_LOST_ANSWER = timedelta(seconds=30)
"""How long a job that was made, and of which no answer came, may take until it is listed."""


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
    patient = _Patient(clock, tell)
    since = clock.now()
    known: dict[str, Attempt] = {}
    shown: tuple[str, State] | None = None
    while True:
        listed = patient.ask(lambda: jobs.of_run(request))
        if listed is None:
            continue
        # A list may lag behind: what was made here counts, listed or not.
        known |= {attempt.name: attempt for attempt in listed}
        step = decide(tuple(known.values()), request.digest, request.bound_seconds, clock.now(), since)
        if isinstance(step, Stop):
            raise RunError(f"{request.team}/{request.run} {step.reason}.")
        if isinstance(step, Done):
            tell(step.attempt, "has succeeded")
            return step.attempt
        if isinstance(step, Follow):
            for surplus in step.surplus:
                tell(surplus, "was submitted twice and is cancelled")
                patient.ask(lambda surplus=surplus: jobs.cancel(surplus))  # type: ignore[misc]
            if shown != (step.attempt.name, step.attempt.state):
                shown = (step.attempt.name, step.attempt.state)
                tell(step.attempt, _WORDS.get(step.attempt.state, f"is in state {step.attempt.state}"))
            clock.sleep(_POLL)
            continue
        if step.at > clock.now():
            tell(None, f"attempt {step.number} follows at {step.at:%H:%M:%S} UTC, from the last checkpoint")
            clock.sleep(step.at - clock.now())
            # Somebody else may have submitted it meanwhile.
            continue
        made = patient.ask(lambda step=step: jobs.create(request, request.body(step.number, step.timeout_seconds)))  # type: ignore[misc]
        if made is None:
            clock.sleep(_LOST_ANSWER)
            continue
        known[made.name] = made


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

    def ask(self, question: Callable[[], Any]) -> Any:
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
