"""Cloud Scheduler played by a clock: the declared jobs are done when their time comes, as real HTTP calls.

What a job's fields mean is kept: cron and zone, pause, retries with growing pauses, a token of the job's account, at least one call. The
cron evaluator is a library that knows nothing of the schedule that made the expressions.
"""

import base64
import heapq
import http.client
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from cronsim import CronSim

from lab.google import faults
from lab.google.computed import NODE_POOL, SCHEDULER_JOB
from lab.google.faults import Call, Kind
from lab.google.http import Clock, token_of
from lab.google.refusal import Refusal
from lab.google.store import Record, Store
from lab.google.values import Document, first

_CONTAINER_API = "container.googleapis.com"
_SECOND_CALL = timedelta(seconds=90)


@dataclass(frozen=True)
class Attempt:
    """One call that was tried.

    Attributes:
        at: When, in UTC.
        job: Identifier of the job.
        number: 1 for the first try.
        url: What was called.
        status: HTTP status; None where no answer came.
        message: What was said about a call that did not succeed.
    """

    at: datetime
    job: str
    number: int
    url: str
    status: int | None
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether Cloud Scheduler counts it as done."""
        return self.status is not None and self.status < 300


@dataclass(order=True)
class _Due:
    at: datetime
    order: int
    job: Record
    number: int


def jobs_of(store: Store, urns: str = "") -> list[Record]:
    """The jobs in a store, or those that a stack made: `urns` is how its URNs begin."""
    return [record for record in store.resources(SCHEDULER_JOB) if record.urn.startswith(urns)]


def due(job: Record, start: datetime, end: datetime) -> Iterator[datetime]:
    """The instants in UTC, from `start` on and before `end`, at which a job runs."""
    if job.document.get("paused"):
        return
    zone = ZoneInfo(job.document.get("timeZone", "Etc/UTC"))
    for wall in CronSim(job.document["schedule"], (start - timedelta(seconds=1)).astimezone(zone)):
        instant = wall.astimezone(UTC)
        if instant >= end:
            return
        yield instant


def run(store: Store, jobs: Sequence[Record], address: tuple[str, int], clock: Clock, start: datetime, end: datetime) -> Iterator[Attempt]:
    """Advances the clock from `start` to `end` and does what comes due, retries included, in order.

    Args:
        store: For accounts and faults.
        jobs: The jobs to do.
        address: Host and port that stand for GKE's API.
        clock: Set to each call's time before it.
    """
    order = itertools.count()
    queue = [_Due(at, next(order), job, 1) for job in jobs for at in due(job, start, end)]
    heapq.heapify(queue)
    while queue:
        item = heapq.heappop(queue)
        if item.at >= end:
            break
        clock.now = item.at
        attempt = _call(store, item, address)
        yield attempt
        target = Call(attempt.url.rpartition(":")[2], NODE_POOL, attempt.url.rpartition("/")[2].partition(":")[0])
        if item.number == 1 and faults.meets(store, target, Kind.DOUBLED_CALL):
            heapq.heappush(queue, _Due(item.at + _SECOND_CALL, next(order), item.job, 1))
        retries = item.job.document.get("retryConfig", {})
        if not attempt.ok and item.number <= retries.get("retryCount", 0):
            heapq.heappush(queue, _Due(item.at + _pause(retries, item.number), next(order), item.job, item.number + 1))
    clock.now = end


def _pause(retries: Document, number: int) -> timedelta:
    least, most = (float(str(retries[key]).removesuffix("s")) for key in ("minBackoffDuration", "maxBackoffDuration"))
    return timedelta(seconds=min(most, least * 2 ** min(number - 1, retries["maxDoublings"])))


def _call(store: Store, item: _Due, address: tuple[str, int]) -> Attempt:
    target: dict[str, Any] = item.job.document["httpTarget"]
    url = target["uri"]
    parts = urlsplit(url)

    def attempt(status: int | None, message: str = "") -> Attempt:
        return Attempt(item.at, item.job.id, item.number, url, status, message)

    if parts.hostname != _CONTAINER_API:
        return attempt(None, f"nobody stands for {parts.hostname} here")
    email = first(target, "oauthToken.serviceAccountEmail")
    try:
        authorization = {"Authorization": token_of(store, email)} if email else {}
    except Refusal as refusal:
        return attempt(refusal.status, refusal.message)
    deadline = float(item.job.document["attemptDeadline"].removesuffix("s"))
    connection = http.client.HTTPConnection(*address, timeout=deadline)
    try:
        body = base64.b64decode(target.get("body", ""))
        connection.request(target.get("httpMethod", "POST"), parts.path, body, {**target.get("headers", {}), **authorization})
        answer = connection.getresponse()
        text = answer.read().decode()
        return attempt(answer.status, "" if answer.status < 300 else text)
    except (OSError, http.client.HTTPException) as error:
        return attempt(None, f"no answer: {error or type(error).__name__}")
    finally:
        connection.close()
