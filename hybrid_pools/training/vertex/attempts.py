"""What is to be done for a run, from the jobs that it has had so far. Pure: nothing is asked and nothing is started here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import takewhile

from hybrid_pools.blueprint.vocabulary import RESUME_EXIT_CODE, TERMINATED_EXIT_CODE


class State(StrEnum):
    """The state of a custom job, in the API's spelling."""

    UNSPECIFIED = "JOB_STATE_UNSPECIFIED"
    QUEUED = "JOB_STATE_QUEUED"
    PENDING = "JOB_STATE_PENDING"
    RUNNING = "JOB_STATE_RUNNING"
    SUCCEEDED = "JOB_STATE_SUCCEEDED"
    FAILED = "JOB_STATE_FAILED"
    CANCELLING = "JOB_STATE_CANCELLING"
    CANCELLED = "JOB_STATE_CANCELLED"
    PAUSED = "JOB_STATE_PAUSED"
    EXPIRED = "JOB_STATE_EXPIRED"
    UPDATING = "JOB_STATE_UPDATING"
    PARTIALLY_SUCCEEDED = "JOB_STATE_PARTIALLY_SUCCEEDED"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes of the job."""
        return self in (State.SUCCEEDED, State.FAILED, State.CANCELLED, State.EXPIRED, State.PARTIALLY_SUCCEEDED)


@dataclass(frozen=True)
class Attempt:
    """One job of a run.

    Attributes:
        name: Resource name.
        number: Which attempt of the run it is, from 1.
        digest: Of the description that it was made from.
        started: When it ran for the first time; None where it never has.
        ended: None while it has not.
        code: Code of its error, as in google.rpc.Code; 0 without one.
        message: Its error, in Google's words.
    """

    name: str
    number: int
    digest: str
    state: State
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    code: int = 0
    message: str = ""


class Ending(StrEnum):
    """Why an attempt failed."""

    TAKEN = "taken"
    """Spot VMs were taken, or there were none: another attempt goes on from the last checkpoint."""

    QUOTA = "quota"
    """The project may not have so many: another attempt would fail in the same way."""

    BROKEN = "broken"
    """The code or the request is at fault: another attempt would fail in the same way."""


@dataclass(frozen=True)
class Create:
    """Submit an attempt.

    Attributes:
        timeout_seconds: What is left of the bound on the run.
        at: Not before.
    """

    number: int
    timeout_seconds: int
    at: datetime


@dataclass(frozen=True)
class Follow:
    """Wait for an attempt, and cancel what was submitted twice."""

    attempt: Attempt
    surplus: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class Done:
    """The run has ended well."""

    attempt: Attempt


@dataclass(frozen=True)
class Stop:
    """The run has ended, or cannot go on by itself. The reason goes on after the run's name."""

    reason: str


Next = Create | Follow | Done | Stop

PATIENCE = timedelta(hours=24)
"""How long a run is submitted again and again without getting a single machine."""

_SHORTEST_REST, _LONGEST_REST = timedelta(minutes=1), timedelta(minutes=30)
"""Between the end of an attempt and the next. It doubles while attempts bring nothing: asking more often brings no machines."""

_SHORT_SECONDS, _MOST_SHORT = 600, 10
"""An attempt that ran for less has brought nothing, and so many of them in a row are a fault of the trainer's, whatever it ends with."""

_LEFT_SECONDS = 60
"""With less than this left of the bound nothing would be trained any more."""

_QUOTA = re.compile(r"quota", re.IGNORECASE)
_TAKEN = re.compile(r"stock.?out|preempt|insufficient|resources? .*(exhausted|unavailable)", re.IGNORECASE)
_TAKEN_CODES = (8, 10, 13, 14)
"""RESOURCE_EXHAUSTED, ABORTED, INTERNAL and UNAVAILABLE."""

_EXIT = re.compile(r"non-zero (?:exit )?(?:status|code)(?: code)?(?: of)? (\d+)", re.IGNORECASE)
_STOPPED_EXITS = (RESUME_EXIT_CODE, TERMINATED_EXIT_CODE)
"""A trainer that was asked to stop: it has saved, or SIGTERM has ended it."""


def ending(attempt: Attempt) -> Ending:
    """Why a failed attempt failed, from the code and the words of its error: Vertex AI has no field for it."""
    exit_code = _EXIT.search(attempt.message)
    if exit_code:
        return Ending.TAKEN if int(exit_code[1]) in _STOPPED_EXITS else Ending.BROKEN
    if _TAKEN.search(attempt.message):
        return Ending.TAKEN
    if _QUOTA.search(attempt.message):
        return Ending.QUOTA
    return Ending.TAKEN if attempt.code in _TAKEN_CODES else Ending.BROKEN


def decide(attempts: Sequence[Attempt], digest: str, bound_seconds: int, now: datetime, since: datetime) -> Next:
    """What is to be done for a run.

    Args:
        attempts: All jobs of the run, in any order.
        digest: Of the description at hand.
        bound_seconds: On the running time of all attempts together.
        since: When somebody asked for it. What had failed before is tried again: whoever submits a failed run has mended something.
    """
    if not attempts:
        return Create(1, bound_seconds, now)
    newest = max(attempt.number for attempt in attempts)
    # Submitted twice, because an answer was lost or because two did it: the first one counts, whoever looks.
    last, *surplus = sorted((one for one in attempts if one.number == newest), key=lambda one: (one.created, one.name))
    if not last.state.has_ended:
        if last.digest != digest:
            return Stop(
                f"is running with another description, as {last.name}. Wait for it or cancel it, or give this description another name"
            )
        return Follow(last, tuple(one for one in surplus if not one.state.has_ended and one.state is not State.CANCELLING))
    if last.state in (State.SUCCEEDED, State.PARTIALLY_SUCCEEDED) and last.digest == digest:
        return Done(last)
    row = _counting(attempts)
    left = bound_seconds - round(sum(map(_running_seconds, row)))
    if left < _LEFT_SECONDS:
        return Stop(f"has reached its bound of {bound_seconds / 3600:g} hours. Raise boundHours to go on from its last checkpoint")
    ended = last.ended or last.created
    if last.digest != digest or (ended < since and ending(last) is not Ending.TAKEN):
        return Create(last.number + 1, left, now)
    return _for_good(last, row, now, since) or Create(last.number + 1, left, ended + _rest(row))


def _counting(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The attempts that count, the newest first."""
    first: dict[int, Attempt] = {}
    for one in sorted(attempts, key=lambda one: (one.created, one.name)):
        first.setdefault(one.number, one)
    return [first[number] for number in sorted(first, reverse=True)]


def _for_good(last: Attempt, row: Sequence[Attempt], now: datetime, since: datetime) -> Stop | None:
    """Why another attempt would bring nothing; None where it may."""
    if last.state is not State.FAILED:
        return Stop(f"was ended from outside ({last.name} is in state {last.state}). Submit it again to go on from its last checkpoint")
    why = ending(last)
    if why is Ending.QUOTA:
        return Stop(f"has no quota: {last.message} Ask for more (docs/quotas.md), then submit it again")
    if why is Ending.BROKEN:
        said = last.message or "Google gives no reason"
        return Stop(f"has failed: {said} (code {last.code}, {last.name}). Mend it and submit it again: it goes on from its last checkpoint")
    waited = list(takewhile(lambda one: one.started is None, row))
    if waited and now - max(waited[-1].created, since) > PATIENCE:
        return Stop(f"has got no machine for {PATIENCE // timedelta(hours=1)} hours: {last.message} Take other machines or another region")
    short = list(takewhile(lambda one: one.started is not None and _running_seconds(one) < _SHORT_SECONDS, row))
    if len(short) >= _MOST_SHORT:
        minutes = _SHORT_SECONDS // 60
        return Stop(
            f"gets nowhere: {len(short)} attempts in a row ended within {minutes} minutes ({last.message}). See the logs of {last.name}"
        )
    return None


def _rest(row: Sequence[Attempt]) -> timedelta:
    fruitless = sum(1 for _ in takewhile(lambda one: _running_seconds(one) < _SHORT_SECONDS, row))
    return min(_LONGEST_REST, _SHORTEST_REST * (1 << min(fruitless, 10)))


def _running_seconds(attempt: Attempt) -> float:
    if attempt.started is None or attempt.ended is None:
        return 0.0
    return max(0.0, (attempt.ended - attempt.started).total_seconds())


def utc(text: str) -> datetime:
    """A time as the API writes it, such as `2026-11-30T01:02:03.123456789Z`."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(whole).replace(tzinfo=UTC, microsecond=int(fraction[:6].ljust(6, "0")) if fraction else 0)
