"""A double of Vertex AI's job service: real HTTP on 127.0.0.1, bodies judged by the discovery document, and faults on demand.

Its jobs live by the test's clock, so nothing waits.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hybrid_pools.training.vertex import State
from tests.hybrid_pools.training.vertex.discovery import faults


class FakeClock:
    """Stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 8, tzinfo=UTC)
        self.slept: list[timedelta] = []

    def now(self) -> datetime:
        return self.time

    def sleep(self, duration: timedelta) -> None:
        assert duration > timedelta(0)
        self.slept.append(duration)
        self.time += duration


@dataclass(frozen=True)
class Script:
    """The life of a job. Unit: seconds. `runs` None: it never gets a machine."""

    waits: float = 60
    runs: float | None = 3600
    ends: State = State.SUCCEEDED
    code: int = 0
    message: str = ""


TAKEN = Script(ends=State.FAILED, code=8, message="The job was restarted 6 times: STOCKOUT.")
NO_MACHINE = Script(waits=20, runs=None, ends=State.FAILED, code=8, message="Resources are insufficient in region: us-central1.")
BUG = Script(runs=30, ends=State.FAILED, code=3, message="The replica workerpool0-0 exited with a non-zero status of 1.")


@dataclass(frozen=True)
class Fault:
    """What goes wrong with the next request of a method.

    Attributes:
        status: Answered instead; 0 for an answer that is lost.
        done: Whether what was asked is done all the same.
    """

    method: str
    status: int = 0
    done: bool = False


@dataclass
class Job:
    """A job that was submitted."""

    name: str
    body: dict[str, Any]
    script: Script
    created: datetime
    cancelled: datetime | None = None

    def told(self, now: datetime) -> dict[str, Any]:
        """The job as the API tells of it at a time."""
        started, ended, state = self._times(now)
        told = {**self.body, "name": self.name, "state": state.value, "createTime": _text(self.created), "updateTime": _text(now)}
        if started and started <= now:
            told["startTime"] = _text(started)
        if state.has_ended:
            told["endTime"] = _text(ended)
        if state is State.FAILED:
            told["error"] = {"code": self.script.code, "message": self.script.message}
        return told

    def _times(self, now: datetime) -> tuple[datetime | None, datetime, State]:
        ready = self.created + timedelta(seconds=self.script.waits)
        started = None if self.script.runs is None else ready
        allowed = float(self.body["jobSpec"]["scheduling"]["timeout"].removesuffix("s"))
        ended = ready + timedelta(seconds=min(self.script.runs or 0, allowed))
        if self.cancelled and self.cancelled < ended:
            return (started if started and started < self.cancelled else None), self.cancelled, State.CANCELLED
        if now < ready:
            return None, ended, State.PENDING
        if now < ended:
            return started, ended, State.RUNNING
        return started, ended, self.script.ends


@dataclass
class Service:
    """The state of the double.

    Attributes:
        scripts: Lives of the jobs in the order of their submission; the last one is that of all later ones.
        lag: Seconds until a new job is listed.
        page: Jobs in one answer.
        execute: Lives a job by really running it, in place of the scripts.
    """

    clock: FakeClock
    scripts: list[Script]
    lag: float = 0
    page: int = 100
    execute: Callable[[dict[str, Any]], Script] | None = None
    faults: deque[Fault] = field(default_factory=deque)
    jobs: list[Job] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def handle(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        """The answer to a request."""
        parent, _, rest = path.removeprefix("/v1/").partition("/customJobs")
        if method == "POST" and not rest:
            wrong = list(faults(body, "CustomJob"))
            if wrong:
                self.refused += wrong
                return 400, _error(400, "; ".join(wrong))
            number = len(self.jobs)
            script = self.execute(body) if self.execute else self.scripts[min(number, len(self.scripts) - 1)]
            self.jobs.append(Job(f"{parent}/customJobs/{1000 + number}", body, script, self.clock.now()))
            return 200, self.jobs[-1].told(self.clock.now())
        if method == "POST" and rest.endswith(":cancel"):
            found = self._found(f"{parent}/customJobs{rest.removesuffix(':cancel')}")
            if found is None:
                return 404, _error(404, "no such job")
            found.cancelled = found.cancelled or self.clock.now()
            return 200, {}
        if method == "GET" and not rest:
            return 200, self._page(query)
        if method == "GET" and (one := self._found(f"{parent}/customJobs{rest}")):
            return 200, one.told(self.clock.now())
        return 404, _error(404, f"{method} {path} is unknown")

    def _found(self, name: str) -> Job | None:
        return next((job for job in self.jobs if job.name == name), None)

    def _page(self, query: dict[str, list[str]]) -> dict[str, Any]:
        wanted = dict(re.findall(r'labels\.([\w-]+)="([^"]*)"', query["filter"][0]))
        oldest = self.clock.now() - timedelta(seconds=self.lag)
        found = [job for job in self.jobs if wanted.items() <= job.body["labels"].items() and job.created <= oldest]
        first = int(query.get("pageToken", ["0"])[0])
        page: dict[str, Any] = {"customJobs": [job.told(self.clock.now()) for job in found[first : first + self.page]]}
        if len(found) > first + self.page:
            page["nextPageToken"] = str(first + self.page)
        return page


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """The address of a server that answers for the double."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet an answer

        def do_GET(self) -> None:
            self._do()

        def do_POST(self) -> None:
            self._do()

        def _do(self) -> None:
            split = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            with service.lock:
                service.requests.append(f"{self.command} {split.path.rpartition('/')[2]}")
                fault = service.faults.popleft() if service.faults and service.faults[0].method == self.command else None
                answer = None if fault and not fault.done else service.handle(self.command, split.path, parse_qs(split.query), body)
            if fault and fault.status == 0:
                # Closed without a word: what was done is not known to who asked.
                self.close_connection = True
                return
            status, content = (fault.status, _error(fault.status, "as told")) if fault else answer or (500, {})
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": "UNKNOWN"}}
