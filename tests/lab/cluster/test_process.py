import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.cluster import process
from lab.cluster.process import Recorded

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def sleeper(tmp_path: Path):
    recorded = process.spawn(["sleep", "60"], tmp_path / "logs" / "log", tmp_path / "processes" / "record.json", {})
    yield recorded
    process.kill(recorded)


class TestAStartedProcess:
    def test_is_found_again_by_its_record(self, sleeper: Recorded, tmp_path: Path):
        assert process.read_record(tmp_path / "processes" / "record.json") == sleeper
        found = process.find(sleeper)
        assert found is not None
        assert found.pid == sleeper.pid

    def test_gets_its_variables_and_prints_into_its_log(self, tmp_path: Path):
        recorded = process.spawn(
            ["sh", "-c", "echo $GREETING; echo to err >&2"], tmp_path / "log", tmp_path / "record", {"GREETING": "hello"}
        )
        while process.find(recorded):
            time.sleep(0.01)
        assert (tmp_path / "log").read_text() == "hello\nto err\n"

    def test_outlives_the_one_that_started_it(self, tmp_path: Path):
        code = f"""
from pathlib import Path
from lab.cluster.process import spawn
spawn(["sleep", "60"], Path({str(tmp_path / "log")!r}), Path({str(tmp_path / "record")!r}), {{}})
"""
        subprocess.run([sys.executable, "-c", code], check=True)
        recorded = process.read_record(tmp_path / "record")
        assert recorded is not None
        assert process.find(recorded)
        assert os.getsid(recorded.pid) == recorded.pid  # an interrupt at the terminal does not reach it
        assert process.kill(recorded)

    def test_that_was_never_recorded_is_none(self, tmp_path: Path):
        assert process.read_record(tmp_path / "record") is None


class TestTheEndOfProcesses:
    def test_is_asked_for(self, sleeper: Recorded):
        process.end([sleeper], grace=10)
        assert process.find(sleeper) is None

    def test_is_forced_on_those_that_do_not_listen(self, tmp_path: Path):
        recorded = process.spawn([sys.executable, "-c", STUBBORN], tmp_path / "log", tmp_path / "record", {})
        while "ready" not in (tmp_path / "log").read_text():
            assert process.find(recorded)
        process.end([recorded], grace=0.2)
        assert process.find(recorded) is None

    def test_passes_over_those_that_have_ended(self, sleeper: Recorded):
        assert process.kill(sleeper)
        assert not process.kill(sleeper)
        process.end([sleeper], grace=10)

    def test_never_reaches_a_process_that_has_got_the_id_of_another(self, sleeper: Recorded):
        other = Recorded(sleeper.pid, sleeper.started - 100, sleeper.command)
        assert process.find(other) is None
        process.end([other], grace=0.1)
        assert not process.kill(other)
        assert process.find(sleeper)
