"""One start of a trainer as a process: what it is told, how far it is, how it ends. Whatever it leaves running is ended with it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hybrid_pools.blueprint.vocabulary import STEPS_FILE_VARIABLE

_POLL = 0.02  # seconds
_ENDING = 10.0  # seconds for killed processes to go away
_TAIL = 64 << 10  # bytes of output that are kept
_LINES = 15  # of it that are shown
_CHUNK = 64 << 10


class CommandError(Exception):
    """The command cannot be started at all."""


class Start:
    """A running trainer, or one that has ended."""

    def __init__(self, process: "subprocess.Popen[bytes]", steps_file: Path) -> None:
        self._process, self._steps_file = process, steps_file
        self._tail = bytearray()
        self._looks: list[tuple[float, int]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative if a signal ended it."""
        return self._process.poll()

    @property
    def steps(self) -> list[int]:
        """Steps that it says it has done, in order."""
        lines = self._steps_file.read_text().split("\n")[:-1] if self._steps_file.exists() else []
        return [int(line) for line in lines if line.isdecimal()]

    @property
    def step_seconds(self) -> float | None:
        """How long a step took while it was waited for; None where too few were seen."""
        if len(self._looks) < 2:
            return None
        (begin, first), (end, last) = self._looks[0], self._looks[-1]
        return (end - begin) / (last - first)

    @property
    def output(self) -> str:
        """The end of what it has printed."""
        return "\n".join(bytes(self._tail).decode(errors="replace").splitlines()[-_LINES:])

    def stop(self) -> None:
        """SIGTERM to the first process and no other, as the kubelet sends it."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self, for_what: Callable[[], object], seconds: float, *, while_it_steps: bool = False) -> bool:
        """Whether something came to be within some seconds, and before the process ended.

        Args:
            for_what: Says whether it is there.
            seconds: How long to wait.
            while_it_steps: Count anew from each step.
        """
        give_up = time.monotonic() + seconds
        while True:
            if for_what():
                return True
            if self.exit_code is not None:
                return bool(for_what())
            if self._has_stepped() and while_it_steps:
                give_up = time.monotonic() + seconds
            if time.monotonic() > give_up:
                return False
            time.sleep(_POLL)

    def end(self) -> None:
        """Kills it, and all that it has started."""
        give_up = time.monotonic() + _ENDING
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        while (left := self._family()) and time.monotonic() < give_up:
            for number in left:
                _kill(os.kill, number)
            time.sleep(_POLL)
        # Where there is no /proc, at least those that have not left the group.
        _kill(os.killpg, self._process.pid)
        self._reader.join(_ENDING)

    def _has_stepped(self) -> bool:
        """Whether there are more steps than at the last look."""
        made = len(self.steps)
        if made <= (self._looks[-1][1] if self._looks else 0):
            return False
        self._looks.append((time.monotonic(), made))
        return True

    def _family(self) -> list[int]:
        """Processes that have inherited this start's environment, wherever they have gone: torchrun's workers lead groups of their own."""
        mark = f"{STEPS_FILE_VARIABLE}={self._steps_file}\0".encode()
        return [int(file.parent.name) for file in Path("/proc").glob("[0-9]*/environ") if mark in _content(file)]

    def _read(self) -> None:
        stream = self._process.stdout
        while stream and (chunk := os.read(stream.fileno(), _CHUNK)):
            self._tail += chunk
            del self._tail[:-_TAIL]


@contextmanager
def started(command: Sequence[str], variables: Mapping[str, str], steps_file: Path) -> Iterator[Start]:
    """Runs a trainer for as long as the context lasts. Raises `CommandError`."""
    try:
        process = subprocess.Popen(
            command,
            env={**os.environ, **variables, STEPS_FILE_VARIABLE: str(steps_file)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandError(
            f"{command[0]!r} cannot be started: {error.strerror}. Give the command that starts one worker, as it stands in the image."
        ) from error
    start = Start(process, steps_file)
    try:
        yield start
    finally:
        start.end()
        if process.stdout:
            process.stdout.close()


def _kill(kill: Callable[[int, int], None], number: int) -> None:
    try:
        kill(number, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # gone already


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""  # ended meanwhile, or somebody else's
