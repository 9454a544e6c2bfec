"""A real Kubernetes control plane as plain processes: start, stop, status, and what tests do to it.

There is no supervisor. The processes stand by themselves, each recorded by its id and the time of its start; `start` starts what does not
run, so it is also what repairs after a crash.
"""

import fcntl
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kubernetes.client import ApiClient
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from lab.cluster import process
from lab.cluster.access import ADMIN
from lab.cluster.files import ClusterFiles
from lab.cluster.parts import Part, Surroundings, levels
from lab.cluster.ports import choose_ports, is_free, read_ports, write_ports
from lab.cluster.registry import CLUSTER
from lab.errors import LabError

_PATIENCE = 120.0  # seconds until a part is given up; a busy machine takes long
_PAUSE = 0.05  # seconds between two looks at a part that starts
_GRACE = 15.0  # seconds between the request to end and the kill
_TAIL = 12  # lines of a log shown after a failure
_ATTEMPTS = 3  # starts, each with other ports, when another program takes one at the wrong moment


@dataclass(frozen=True)
class Status:
    """How a part is.

    Attributes:
        state: `running`, `not ready`, `ended` without having been told to, or `stopped`.
        pid: Of its process; None if there is none.
    """

    name: str
    state: str
    pid: int | None
    ports: tuple[int, ...]
    log: Path


class ControlPlane:
    """The control plane of one lab.

    Args:
        directory: The lab's directory; everything lies under its `cluster/`.
        parts: What it is made of, each behind what it needs.
        emulated_version: Version of Kubernetes that the cluster behaves as, such as `1.34`; None for its own.
    """

    def __init__(self, directory: Path, parts: Sequence[Part] = CLUSTER, emulated_version: str | None = None) -> None:
        self.files = ClusterFiles(directory)
        self.parts = tuple(parts)
        self._emulated_version = emulated_version

    @property
    def kubeconfig(self) -> Path:
        """Of the administrator."""
        return self.files.kubeconfig

    @property
    def ca(self) -> Path:
        """Certificate of the authority that everything here trusts."""
        return self.files.ca

    @property
    def url(self) -> str:
        """Address of the API server."""
        return self._surroundings().access.url

    def client(self, user: str = ADMIN, groups: Sequence[str] = ()) -> ApiClient:
        """The official client, acting as the administrator or as any user, such as `system:serviceaccount:team-a:training`.

        Service accounts and nodes are in their own groups besides the given ones, as in every cluster.
        """
        return self._surroundings().access.client(user, groups)

    def start(self) -> tuple[str, ...]:
        """Starts what does not run, or runs with another command than it should, and waits until everything is ready.

        Returns:
            Names of the parts that were started; none if everything ran.

        Raises:
            LabError: A part ended or did not become ready.
        """
        with self._alone():
            for attempt in range(_ATTEMPTS):
                surroundings = self._settle_ports()
                try:
                    return self._start_missing(surroundings)
                except LabError:
                    # A port may have been taken between the choice and its use.
                    if attempt + 1 == _ATTEMPTS or not self._stolen(surroundings):
                        raise
        raise AssertionError

    def stop(self) -> None:
        """Ends everything that runs, what needs others first. The cluster's objects stay for the next start."""
        with self._alone():
            self._stop()

    def status(self) -> tuple[Status, ...]:
        """How each part is, in the order in which they are started."""
        return tuple(self._status(part) for part in self.parts)

    def kill(self, name: str) -> None:
        """Ends a part as a crash would.

        Raises:
            LabError: It does not run.
        """
        recorded = process.read_record(self.files.record(name))
        if recorded is None or not process.kill(recorded):
            raise LabError(f"{name} does not run, so it cannot be killed.")

    def restart(self, name: str) -> None:
        """Ends a part as a rollout would, and starts it again."""
        recorded = process.read_record(self.files.record(name))
        process.end([recorded] if recorded else [], _GRACE)
        self.start()

    def _surroundings(self) -> Surroundings:
        ports = read_ports(self.files.ports)
        if not ports:
            raise LabError("The lab's control plane has never been started. Start it: python -m lab start")
        return Surroundings(self.files, ports, self._emulated_version)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.files.directory.mkdir(parents=True, exist_ok=True)
        with self.files.lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _running(self, name: str) -> process.Recorded | None:
        recorded = process.read_record(self.files.record(name))
        return recorded if recorded and process.find(recorded) else None

    def _settle_ports(self) -> Surroundings:
        kept = read_ports(self.files.ports)
        taken = self._taken(kept)
        if taken:
            # Every part that runs has been told the old ports.
            self._stop()
        ports = choose_ports([port for part in self.parts for port in part.ports], {name: kept[name] for name in kept if name not in taken})
        if ports != kept:
            write_ports(self.files.ports, ports)
        surroundings = Surroundings(self.files, ports, self._emulated_version)
        surroundings.access.prepare()
        return surroundings

    def _taken(self, ports: dict[str, int]) -> set[str]:
        """Names of ports that another program has."""
        return {
            port
            for part in self.parts
            if self._running(part.name) is None
            for port in part.ports
            if port in ports and not is_free(ports[port])
        }

    def _stolen(self, surroundings: Surroundings) -> bool:
        return bool(self._taken(dict(surroundings.ports)))

    def _start_missing(self, surroundings: Surroundings) -> tuple[str, ...]:
        started: list[str] = []
        failed = threading.Event()
        ready: dict[str, Future[None]] = {}

        def bring_up(part: Part) -> None:
            try:
                for name in part.after:
                    if name in ready:
                        ready[name].result()
                if self._bring_up(part, surroundings, failed):
                    started.append(part.name)
            except BaseException:
                failed.set()
                raise

        with ThreadPoolExecutor(len(self.parts)) as pool:
            for part in self.parts:
                ready[part.name] = pool.submit(bring_up, part)
            try:
                wait(ready.values())
            except BaseException:
                failed.set()  # interrupted: nobody waits any longer
                raise
        for part in self.parts:
            ready[part.name].result()
        return tuple(part.name for part in self.parts if part.name in started)

    def _bring_up(self, part: Part, surroundings: Surroundings, failed: threading.Event) -> bool:
        command = tuple(part.command(surroundings))
        recorded = self._running(part.name)
        if recorded is not None and recorded.command != command:
            process.end([recorded], _GRACE)
            recorded = None
        begin = recorded is None
        if recorded is None:
            self._prepare(part, surroundings)
            environment = part.environment(surroundings) if part.environment else {}
            recorded = process.spawn(command, self.files.log(part.name), self.files.record(part.name), environment)
        give_up = time.monotonic() + _PATIENCE
        while part.ready is not None and not part.ready(surroundings):
            if failed.is_set():
                break  # another part tells why
            if process.find(recorded) is None:
                raise LabError(self._failure(part, "ended before it was ready"))
            if time.monotonic() > give_up:
                raise LabError(self._failure(part, f"is not ready after {_PATIENCE:.0f} seconds"))
            time.sleep(_PAUSE)
        return begin

    def _prepare(self, part: Part, surroundings: Surroundings) -> None:
        try:
            if part.prepare is not None:
                part.prepare(surroundings)
        except (ApiException, HTTPError) as error:
            raise LabError(f"{part.name} cannot be started, because the API server does not take what it needs: {error}") from error

    def _failure(self, part: Part, what: str) -> str:
        log = self.files.log(part.name)
        tail = "\n".join(f"  {line}" for line in log.read_text(errors="replace").splitlines()[-_TAIL:])
        return f"{part.name} {what}. Its log, {log}, ends with:\n{tail}"

    def _stop(self) -> None:
        level = levels(self.parts)
        records = sorted(self.files.record("*").parent.glob("*.json"))
        # A part that is not among these parts any more needs them, not the reverse.
        names = {record.stem: level.get(record.stem, len(self.parts) + 1) for record in records}
        for height in sorted(set(names.values()), reverse=True):
            ending = [record for record in records if names[record.stem] == height]
            process.end([recorded for record in ending if (recorded := process.read_record(record))], _GRACE)
            for record in ending:
                record.unlink()

    def _status(self, part: Part) -> Status:
        ports = read_ports(self.files.ports)
        recorded = process.read_record(self.files.record(part.name))
        running = process.find(recorded) if recorded else None
        state: str
        if recorded is None:
            state = "stopped"
        elif running is None:
            state = "ended"
        else:
            ready = part.ready is None or part.ready(Surroundings(self.files, ports, self._emulated_version))
            state = "running" if ready else "not ready"
        own = tuple(ports[name] for name in part.ports if name in ports)
        return Status(part.name, state, running.pid if running else None, own, self.files.log(part.name))
