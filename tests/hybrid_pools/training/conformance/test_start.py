"""Processes are started, watched and ended, all of them."""

import os
import sys
import time
from pathlib import Path

import pytest

from hybrid_pools.training.conformance.start import CommandError, started

_LIMIT = 60.0  # seconds for a process to get anywhere


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def runs(number: int) -> bool:
    """Also after it has ended, as long as nobody has asked for its exit code."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("command", [["/not/there"], [str(Path(__file__))], [str(Path(__file__).parent)]])
def test_a_command_that_cannot_be_started_is_named(command, tmp_path):
    with pytest.raises(CommandError, match=rf"'{command[0]}' cannot be started: "), started(command, {}, tmp_path / "steps"):
        pass


def test_ends_what_was_started_wherever_it_has_gone(tmp_path):
    program = (
        "import subprocess, sys, time, pathlib\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"pathlib.Path({str(tmp_path / 'new')!r}).write_text(str(child.pid))\n"
        f"pathlib.Path({str(tmp_path / 'new')!r}).rename({str(tmp_path / 'child')!r})\n"
        "time.sleep(600)"
    )
    with started(python(program), {}, tmp_path / "steps") as start:
        assert start.wait((tmp_path / "child").exists, _LIMIT)
        child = int((tmp_path / "child").read_text())
        assert runs(child)
    assert start.exit_code is not None
    assert not runs(child)


def test_ends_what_is_left_of_one_that_has_ended(tmp_path):
    program = (
        f"import subprocess, pathlib; pathlib.Path({str(tmp_path / 'child')!r}).write_text(str(subprocess.Popen(['sleep', '600']).pid))"
    )
    with started(python(program), {}, tmp_path / "steps") as start:
        assert start.wait(lambda: start.exit_code == 0, _LIMIT)
    assert not runs(int((tmp_path / "child").read_text()))


def test_reaches_the_first_process_only(tmp_path):
    """As in Kubernetes: a shell that does not pass the signal on leaves the trainer without it."""
    trainer = "import signal,time; signal.signal(15, lambda *_: print('told', flush=True)); print('ready', flush=True); time.sleep(600)"
    command = ["sh", "-c", f'trap : TERM; "{sys.executable}" -c "{trainer}" & wait; sleep 0.2; echo over']
    with started(command, {}, tmp_path / "steps") as start:
        assert start.wait(lambda: "ready" in start.output, _LIMIT)
        start.stop()
        assert start.wait(lambda: "over" in start.output, _LIMIT)
        assert "told" not in start.output


def test_steps_are_whole_lines_of_its_file(tmp_path):
    with started(python("import time; time.sleep(600)"), {}, tmp_path / "steps") as start:
        assert start.steps == []
        (tmp_path / "steps").write_text("1\n2\n3")
        assert start.steps == [1, 2]


def test_keeps_the_end_of_what_is_printed_and_no_more(tmp_path):
    program = "import sys; sys.stdout.write('x' * 10_000_000 + '\\n'); [print(n) for n in range(100)]; print(sys.stdin.read() == '')"
    with started(python(program), {}, tmp_path / "steps") as start:
        assert start.wait(lambda: start.exit_code == 0, _LIMIT)
    assert start.output == "\n".join([*(str(number) for number in range(86, 100)), "True"])
    assert len(start._tail) <= 64 << 10


def test_waits_as_long_as_there_are_steps(tmp_path):
    with started(python("import time; time.sleep(600)"), {}, tmp_path / "steps") as start:
        begin = time.monotonic()

        def step() -> bool:
            if time.monotonic() - begin < 0.5:
                with (tmp_path / "steps").open("a") as lines:
                    lines.write("1\n")
            return False

        assert not start.wait(step, 0.2, while_it_steps=True)
        assert time.monotonic() - begin >= 0.6


def test_passes_the_environment_on(tmp_path):
    with started(python("import os; print(os.environ['X'], os.environ['PATH'] != '')"), {"X": "told"}, tmp_path / "steps") as start:
        assert start.wait(lambda: start.exit_code == 0, _LIMIT)
    assert start.output == "told True"
    assert "X" not in os.environ
