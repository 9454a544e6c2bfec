"""Processes that outlive the command that starts them, known again by their id and the time of their start."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_TOLERANCE = 1.0  # seconds between two readings of one start time: it is derived from the clock, which is adjusted

_PAUSE = 0.02  # seconds between two looks at a process that ends
_KILLED = 10.0  # seconds for the system to clear away a killed process


@dataclass(frozen=True)
class Recorded:
    """A process as it was when it was started.

    Attributes:
        pid: Its id, which the system may give to another process later.
        started: Its start, in seconds of the epoch, which another process does not share.
        command: What was run.
    """

    pid: int
    started: float
    command: tuple[str, ...]


def spawn(command: Sequence[str], log: Path, record: Path, environment: Mapping[str, str]) -> Recorded:
    """Starts a process apart from this one and its terminal, and records it."""
    for folder in (log.parent, record.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **environment}, start_new_session=True
        )
    started = psutil.Process(process.pid).create_time()
    recorded = Recorded(process.pid, started, tuple(command))
    part = record.with_suffix(".part")
    part.write_text(json.dumps({"pid": recorded.pid, "started": recorded.started, "command": list(recorded.command)}))
    part.replace(record)
    return recorded


def read_record(record: Path) -> Recorded | None:
    """The recorded process, running or not; None if there is no record."""
    try:
        content = json.loads(record.read_text())
    except FileNotFoundError:
        return None
    return Recorded(content["pid"], content["started"], tuple(content["command"]))


def find(recorded: Recorded) -> psutil.Process | None:
    """The recorded process if it still runs; None if it has ended, even where its id belongs to another process now."""
    try:
        process = psutil.Process(recorded.pid)
        if abs(process.create_time() - recorded.started) > _TOLERANCE:
            return None
        if process.status() == psutil.STATUS_ZOMBIE and _is_over(process):
            return None
    except psutil.NoSuchProcess:
        return None
    return process


def end(recorded: Sequence[Recorded], grace: float) -> None:
    """Asks processes to end, and kills those that have not after `grace` seconds. Those that have ended already are passed over."""
    for one in recorded:
        _send(one, signal.SIGTERM)
    for one in _left(recorded, grace):
        _send(one, signal.SIGKILL)
    _left(recorded, grace)


def kill(recorded: Recorded) -> bool:
    """Kills a process at once, as a crash would end it. False if it does not run."""
    sent = _send(recorded, signal.SIGKILL)
    _left([recorded], _KILLED)
    return sent


def _left(recorded: Sequence[Recorded], within: float) -> list[Recorded]:
    """Those that still run after that many seconds, or none as soon as all have ended."""
    give_up = time.monotonic() + within
    while (left := [one for one in recorded if find(one)]) and time.monotonic() < give_up:
        time.sleep(_PAUSE)
    return left


def _send(recorded: Recorded, number: signal.Signals) -> bool:
    process = find(recorded)
    if process is None:
        return False
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True


def _is_over(zombie: psutil.Process) -> bool:
    """Whether a process that has ended holds nothing any more. Its ports stay taken until the last of its threads is gone."""
    try:
        ended, _ = os.waitpid(zombie.pid, os.WNOHANG)  # where this very process has started it, nobody else clears it away
    except ChildProcessError:
        try:
            return zombie.num_threads() <= 1
        except psutil.ZombieProcess:
            return True
    return bool(ended)
