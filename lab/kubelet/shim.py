"""Runs one container and outlives the kubelet: `python -m lab.kubelet.shim DIRECTORY`.

It is the parent of the container's process, so its exit code is known whatever becomes of the kubelet; a kubelet that comes back reads
it in the directory. It ends everything that the container started, and ends the container when no kubelet has come back for a while.

Files of the directory: `spec.json` (what to run), `lock` (held while the shim lives), `started.json`, `exit.json`.
"""

import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

import psutil

from lab.kubelet.mounts import Mount, new_root

ORPHAN_SECONDS: Final = 60.0
"""How long a container goes on without a kubelet. A kubelet that crashed is back in a few seconds."""

START_ERROR: Final = 128
"""Exit code of a container whose program could not be started, as container runtimes report it."""

_PERIOD: Final = 1.0
_BECOME_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER


def main(directory: Path) -> None:
    """Runs what `spec.json` says, unless a kubelet has given this container up already."""
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "exit.json").exists():
            code, reason, message = _run(directory, json.loads((directory / "spec.json").read_text()))
            write(directory / "exit.json", {"exitCode": code, "reason": reason, "message": message, "finishedAt": now()})


def now() -> str:
    """The time as Kubernetes writes it, in UTC and full seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(path: Path, content: Any) -> None:
    """Writes a file as a whole: a reader finds all of it or none. Nothing happens where the lab itself is gone."""
    with suppress(FileNotFoundError):
        part = path.with_suffix(".part")
        part.write_text(json.dumps(content))
        part.replace(path)


def _run(directory: Path, spec: dict[str, Any]) -> tuple[int, str, str]:
    _adopt_orphans()
    try:
        enter = _root(directory, spec)
        with Path(spec["log"]).open("ab") as log:
            child = _start(spec, log, enter)
    except (OSError, subprocess.SubprocessError) as error:
        return START_ERROR, "StartError", f"exec {spec['argv'][0]!r}: {error}"
    write(directory / "started.json", {"pid": child, "started": psutil.Process(child).create_time(), "startedAt": now()})
    threading.Thread(target=_watch, args=(child, directory, Path(spec["kubelet"])), daemon=True).start()
    code = _wait_for(child)
    _end_the_rest(child)
    return code, "Completed" if code == 0 else "Error", ""


def _root(directory: Path, spec: dict[str, Any]) -> Callable[[], None]:
    working_directory = spec["cwd"]
    if spec["mounts"] is None:
        return lambda: os.chdir(working_directory)
    root = directory / "root"
    new_root(root, [Mount(*mount) for mount in spec["mounts"]])

    def enter() -> None:
        os.chroot(root)
        os.chdir(working_directory)

    return enter


def _start(spec: dict[str, Any], log: IO[bytes], enter: Callable[[], None]) -> int:
    # Waited for below together with what it leaves behind, which `subprocess` cannot do.
    child = subprocess.Popen(
        spec["argv"],
        env=spec["env"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=enter,  # noqa: PLW1509 - the shim has no second thread yet
    )
    child.returncode = 0
    return child.pid


def _wait_for(child: int) -> int:
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _end_the_rest(child: int) -> None:
    """A container ends with its first process: what that one started is killed, also what left its process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            for left in psutil.Process().children():
                with suppress(psutil.NoSuchProcess):
                    left.kill()
            os.waitpid(-1, 0)


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)


def _watch(child: int, directory: Path, kubelet: Path) -> None:
    alone_since = time.monotonic()
    while True:
        if held(kubelet):
            alone_since = time.monotonic()
        if not directory.exists() or time.monotonic() - alone_since > ORPHAN_SECONDS:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
        time.sleep(_PERIOD)


def held(kubelet: Path) -> bool:
    """Whether a kubelet lives: it holds this lock."""
    try:
        with kubelet.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


if __name__ == "__main__":
    main(Path(sys.argv[1]))
