"""Runs a plugin so that it ends with the process that started it: `python -m lab.parent MODULE [ARGUMENT...]`.

An engine that is killed cannot tell its plugins. Without this they would stay behind, one set for each killed engine, and go on changing
what the next engine works on.
"""

import os
import runpy
import signal
import sys
import threading
import time
from contextlib import suppress

_PERIOD = 0.2  # seconds by which a plugin may outlive its engine


def end_with_parent() -> None:
    """Kills this process as soon as its parent has ended, however that happened."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True, name="parent-watch").start()


def _watch(parent: int) -> None:
    # Asking the kernel for a signal (PR_SET_PDEATHSIG) would fire when the thread of the engine that forked ends, and Go ends threads.
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(_PERIOD)
    os.kill(os.getpid(), signal.SIGKILL)


def end_program_with_parent() -> None:
    """Does the same for the program that this process is about to become: a second process watches over it."""
    parent, program = os.getppid(), os.getpid()
    if os.fork():
        return
    import psutil  # noqa: PLC0415 - every other plugin would wait for it at its start

    # The engine waits for the end of what the program prints, so nobody else may hold its output.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.setsid()
    watched = psutil.Process(program)
    while os.getppid() == program:
        time.sleep(_PERIOD)
        with suppress(psutil.NoSuchProcess):
            if watched.ppid() != parent:
                watched.kill()
    os._exit(0)


if __name__ == "__main__":
    end_with_parent()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
