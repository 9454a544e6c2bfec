"""Containers as real processes under real shims."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lab.kubelet.containers import Attempt, ContainerSpec, Run, runs_on_disk
from tests.cluster.waiting import eventually

_PATH = "/usr/local/bin:/usr/bin:/bin"


class Containers:
    """A folder for the attempts of one container, and a kubelet that lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.kubelet = folder / "kubelet"

    def spec(self, script: str) -> ContainerSpec:
        return ContainerSpec(("sh", "-c", script), {"PATH": _PATH}, str(self.folder), str(self.log), str(self.kubelet), None)

    def run(self, script: str, number: int = 0) -> Run:
        return Run(self.folder / str(number), number, self.spec(script))

    def says(self, text: str) -> str:
        """All that was written once the text was."""
        return eventually(lambda: text in self._written() and self._written())  # type: ignore[return-value]

    def _written(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def process(self) -> int:
        return int(self.says("up").split()[0])


@pytest.fixture
def containers(tmp_path: Path) -> Iterator[Containers]:
    made = Containers(tmp_path)
    with made.kubelet.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield made
    for run in runs_on_disk(tmp_path):
        run.kill()
        _end(run)


def _end(run: Run) -> Attempt:
    return eventually(lambda: run.attempt().exit_code is not None and run.attempt())  # type: ignore[return-value]


def _gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


_UP = "echo $$; echo up"


class TestAnExit:
    @pytest.mark.parametrize(
        ("script", "code", "reason"), [("exit 0", 0, "Completed"), ("exit 42", 42, "Error"), ("kill -9 $$", 137, "Error")]
    )
    def test_is_reported_as_a_container_runtime_does(self, containers: Containers, script: str, code: int, reason: str):
        attempt = _end(containers.run(script))
        assert (attempt.exit_code, attempt.reason) == (code, reason)

    def test_of_a_program_that_is_not_there_is_128(self, containers: Containers):
        spec = ContainerSpec(("absent",), {"PATH": _PATH}, "/", str(containers.log), str(containers.kubelet), None)
        attempt = _end(Run(containers.folder / "0", 0, spec))
        assert (attempt.exit_code, attempt.reason) == (128, "StartError")
        assert attempt.started_at == attempt.finished_at

    def test_takes_along_what_the_container_started(self, containers: Containers):
        run = containers.run("setsid sh -c 'echo $$; echo up; sleep 300' & until grep -q up log; do sleep 0.05; done")
        escaped = containers.process()
        assert _end(run).exit_code == 0
        eventually(lambda: _gone(escaped))


class TestSigterm:
    def test_reaches_the_first_process_only(self, containers: Containers):
        run = containers.run(
            f"sh -c 'trap \"echo child told\" TERM; {_UP}; sleep 0.5; echo done' & trap 'echo told' TERM; wait; wait; exit 5"
        )
        containers.says("up")
        assert run.terminate()
        assert _end(run).exit_code == 5
        assert containers.log.read_text().split("\n")[2:] == ["told", "done", ""]

    def test_is_kept_until_there_is_a_process(self, containers: Containers):
        run = containers.run("sleep 300")
        eventually(run.terminate)
        assert _end(run).exit_code == 143

    def test_does_nothing_to_what_has_ended(self, containers: Containers):
        run = containers.run("exit 3")
        _end(run)
        assert run.terminate()
        assert run.attempt().exit_code == 3


class TestAnotherKubelet:
    def test_takes_over_what_runs(self, containers: Containers):
        containers.run(f"{_UP}; trap 'exit 7' TERM; while :; do sleep 0.05; done")
        containers.says("up")
        (found,) = runs_on_disk(containers.folder)
        assert found.attempt().exit_code is None
        found.terminate()
        assert _end(found).exit_code == 7

    def test_finds_attempts_in_their_order(self, containers: Containers):
        for number in range(11):
            _end(containers.run(f"exit {number}", number))
        assert [run.attempt().exit_code for run in runs_on_disk(containers.folder)] == list(range(11))

    def test_kills_a_container_whose_shim_is_gone(self, containers: Containers):
        run = containers.run(f"{_UP}; sleep 300")
        process = containers.process()
        shim = psutil.Process(process).parent()
        assert shim is not None
        shim.kill()
        for view in (run, *runs_on_disk(containers.folder)):
            assert (_end(view).exit_code, _end(view).reason) == (137, "ContainerStatusUnknown")
        eventually(lambda: _gone(process))

    def test_gives_up_what_never_began_and_a_late_shim_lets_it_be(self, containers: Containers):
        folder = containers.folder / "0"
        folder.mkdir()
        (folder / "spec.json").write_text(json.dumps(containers.spec("echo late").json()))
        (found,) = runs_on_disk(containers.folder)
        assert found.attempt().exit_code == 137
        subprocess.run([sys.executable, "-m", "lab.kubelet.shim", str(folder)], check=True)
        assert not containers.log.exists()


_IMPATIENT = "import sys, pathlib, lab.kubelet.shim as shim; shim.ORPHAN_SECONDS = 0.5; shim.main(pathlib.Path(sys.argv[1]))"


class TestWithoutAKubelet:
    @pytest.mark.parametrize("removed", [False, True])
    def test_a_container_ends_after_a_while(self, tmp_path: Path, removed: bool):
        alone = Containers(tmp_path)
        alone.kubelet.touch()
        folder = tmp_path / "0"
        folder.mkdir()
        (folder / "spec.json").write_text(json.dumps(alone.spec(f"{_UP}; sleep 300").json()))
        with subprocess.Popen([sys.executable, "-c", _IMPATIENT, str(folder)]) as shim:
            process = alone.process()
            if removed:
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()
            assert shim.wait(timeout=20) == 0
        assert _gone(process)

    def test_one_that_lives_is_left_alone(self, containers: Containers):
        folder = containers.folder / "0"
        folder.mkdir()
        (folder / "spec.json").write_text(json.dumps(containers.spec(f"{_UP}; sleep 3; exit 4").json()))
        subprocess.run([sys.executable, "-c", _IMPATIENT, str(folder)], check=True, timeout=20)
        assert json.loads((folder / "exit.json").read_text())["exitCode"] == 4


def test_a_process_id_that_another_process_has_now_is_not_touched(containers: Containers):
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as stranger:
        folder = containers.folder / "0"
        folder.mkdir()
        (folder / "started.json").write_text(json.dumps({"pid": stranger.pid, "started": 1.0, "startedAt": "2026-12-01T00:00:00Z"}))
        (found,) = runs_on_disk(containers.folder)
        found.kill()
        assert found.attempt().exit_code == 137
        assert stranger.poll() is None
        os.kill(stranger.pid, signal.SIGKILL)
