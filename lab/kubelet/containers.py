"""One container's attempts on disk: started through the shim, read by whichever kubelet serves the lab at the time."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from lab.cluster.process import Recorded, find
from lab.kubelet.mounts import Mount
from lab.kubelet.shim import now, write

KILLED: Final = 137
"""Exit code of a container that was killed, or of which nothing is known."""


@dataclass(frozen=True)
class ContainerSpec:
    """What a shim runs.

    Attributes:
        cwd: Working directory, as the container sees it.
        log: Where its output goes.
        kubelet: File that is locked while a kubelet lives.
        mounts: None where no mount namespace is to be had: then all paths are real ones already.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    log: str
    kubelet: str
    mounts: tuple[Mount, ...] | None

    def json(self) -> dict[str, Any]:
        """For `spec.json`."""
        mounts = None if self.mounts is None else [[mount.source, mount.target, mount.read_only] for mount in self.mounts]
        return {**vars(self), "argv": list(self.argv), "mounts": mounts}


@dataclass(frozen=True)
class Attempt:
    """One run of a container; times as Kubernetes writes them.

    Attributes:
        number: 0 for the first.
        started_at: "" while its shim is starting it.
        exit_code: None while it runs.
    """

    number: int
    started_at: str = ""
    exit_code: int | None = None
    reason: str = ""
    message: str = ""
    finished_at: str = ""


class Run:
    """An attempt as a process. Made with `spec` it starts it; without, it takes over what an earlier kubelet started."""

    def __init__(self, directory: Path, number: int, spec: ContainerSpec | None = None) -> None:
        self._directory = directory
        self._number = number
        self._shim: subprocess.Popen[bytes] | None = None
        self._read: Attempt | None = None
        self._started: dict[str, Any] | None = None
        if spec is not None:
            directory.mkdir(parents=True, mode=0o700)
            write(directory / "spec.json", spec.json())
            with (directory / "shim.log").open("wb") as log:
                command = [sys.executable, "-m", "lab.kubelet.shim", str(directory)]
                self._shim = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def attempt(self) -> Attempt:
        """How it stands."""
        if self._read is not None:
            return self._read
        shim_ended = self._shim_ended()
        ended = _json(self._directory / "exit.json")
        if ended is None and shim_ended:
            ended = self._give_up()
        started = self._start() or {}
        if ended is None:
            return Attempt(self._number, started.get("startedAt", ""))
        began = started.get("startedAt", ended["finishedAt"])
        self._read = Attempt(self._number, began, ended["exitCode"], ended["reason"], ended["message"], ended["finishedAt"])
        return self._read

    def terminate(self) -> bool:
        """Sends SIGTERM to the container's first process, as a runtime does. False while there is no such process yet."""
        process = self._process()
        if process is None:
            return self.attempt().exit_code is not None
        with suppress(psutil.NoSuchProcess):
            process.terminate()
        return True

    def kill(self) -> None:
        """Kills it at once. Its shim sees to what it started; one that has not started yet is killed at the next call."""
        process = self._process()
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def _process(self) -> psutil.Process | None:
        started = self._start()
        return None if started is None else find(Recorded(started["pid"], started["started"], ()))

    def _start(self) -> dict[str, Any] | None:
        if self._started is None:
            self._started = _json(self._directory / "started.json")
        return self._started

    def _shim_ended(self) -> bool:
        if self._shim is not None:
            return self._shim.poll() is not None
        with (self._directory / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            # A shim that comes late finds that it was given up: it looks for this file after it has the lock.
            if not (self._directory / "exit.json").exists():
                self._give_up()
        return True

    def _give_up(self) -> dict[str, Any]:
        self.kill()
        message = "The container could not be located: what ran it has ended without a word"
        ended = {"exitCode": KILLED, "reason": "ContainerStatusUnknown", "message": message, "finishedAt": now()}
        write(self._directory / "exit.json", ended)
        return ended


def runs_on_disk(directory: Path) -> list[Run]:
    """The attempts of a container that earlier kubelets left, oldest first."""
    numbers = sorted(int(path.name) for path in directory.glob("*") if path.name.isdigit()) if directory.exists() else []
    return [Run(directory / str(number), number) for number in numbers]


def kill_all(runs: Sequence[Run]) -> bool:
    """Kills whatever still runs; True once nothing does."""
    living = [run for run in runs if run.attempt().exit_code is None]
    for run in living:
        run.kill()
    return not living


def _json(path: Path) -> dict[str, Any] | None:
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return content
