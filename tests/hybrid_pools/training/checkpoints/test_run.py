"""A trainer as a process: stopped, killed, started again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    EVENT_FIELD,
    RANK_VARIABLE,
    RECOVERED_EVENT,
    RECOVERY_SECONDS_FIELD,
    RESUME_EXIT_CODE,
    STOP_STEP_VARIABLE,
    WORKERS_VARIABLE,
)
from hybrid_pools.training.checkpoints import Checkpoints, Manifest, TrainingRun
from hybrid_pools.training.checkpoints.errors import AddressError, CheckpointError, StaleWriterError, UnreachableError
from hybrid_pools.training.checkpoints.run import Decision
from hybrid_pools.training.checkpoints.watch import Watch
from tests.hybrid_pools.training.checkpoints.double import MemoryBucket

TRAINER = Path(__file__).with_name("trainer.py")
URI = "gs://bucket/runs/team/run"
_LIMIT = 150.0  # seconds for a trainer to get anywhere


@pytest.fixture
def start(google_address, tmp_path):
    """Starts the trainer; several at once share the run, each start has its own folder."""
    processes = []

    def start(steps=200, pause=0.02, interval=1000, name="steps", **environment):
        variables = {
            CHECKPOINT_URI_VARIABLE: google_address,
            CHECKPOINT_INTERVAL_VARIABLE: str(interval),
            CHECKPOINT_LOCAL_VARIABLE: str(tmp_path / "local"),
            "PYTHONPATH": os.pathsep.join(sys.path),
            **environment,
        }
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", TRAINER, str(steps), str(pause), str(tmp_path / name)],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def done(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


def wait_for(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + _LIMIT
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def newest(address: str, bucket: MemoryBucket | None = None) -> Manifest:
    found = Checkpoints(address, bucket=bucket).latest()
    assert found
    return found


def events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


class TestATrainer:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_goes_on_after_a_stop_as_if_there_had_been_none(self, start, google_address, tmp_path, number):
        whole = start(steps=30, pause=0, name="whole", **{CHECKPOINT_URI_VARIABLE: f"{google_address}-whole"})
        assert whole.wait(_LIMIT) == 0, whole.stderr.read()
        stopped = start(steps=30, pause=0.05)
        wait_for(lambda: done(tmp_path / "steps") >= 3)
        stopped.send_signal(number)
        output, errors = stopped.communicate(timeout=_LIMIT)
        assert stopped.returncode == RESUME_EXIT_CODE, errors
        assert output == ""
        made = done(tmp_path / "steps")
        assert newest(google_address).step == made
        resumed = start(steps=30, pause=0)
        output, errors = resumed.communicate(timeout=_LIMIT)
        assert resumed.returncode == 0, errors
        assert done(tmp_path / "steps") == 30, "steps were done twice or left out"
        assert (tmp_path / "steps.sum").read_text() == (tmp_path / "whole.sum").read_text()
        [event] = events(output)
        assert (event[EVENT_FIELD], event["step"]) == (RECOVERED_EVENT, made)
        assert 0 <= event[RECOVERY_SECONDS_FIELD] < _LIMIT
        assert newest(google_address).step == 30

    def test_killed_at_once_it_goes_on_from_the_last_interval(self, start, google_address, tmp_path):
        killed = start(pause=0.05, interval=1)
        wait_for(lambda: done(tmp_path / "steps") and Checkpoints(google_address).latest())
        killed.kill()
        killed.wait()
        last = newest(google_address)
        resumed = start(steps=last.step + 2, pause=0)
        output, errors = resumed.communicate(timeout=_LIMIT)
        assert resumed.returncode == 0, errors
        [event] = events(output)
        # The killed one could not say when it ended: counted from its last checkpoint, so never too good.
        assert event[RECOVERY_SECONDS_FIELD] > 0
        assert event["step"] == last.step

    def test_is_told_in_one_line_what_is_missing(self, start):
        process = start(**{CHECKPOINT_URI_VARIABLE: ""})
        _, errors = process.communicate(timeout=_LIMIT)
        assert process.returncode == 1
        assert f"{CHECKPOINT_URI_VARIABLE} is not set" in errors.splitlines()[-1]


@pytest.fixture
def bucket():
    return MemoryBucket()


@pytest.fixture
def run(bucket, tmp_path):
    def make(interval=1000.0, save=lambda directory: (directory / "state").write_text("1"), **arguments):
        checkpoints = Checkpoints(URI, bucket=bucket, **{key: arguments.pop(key) for key in ("attempt", "workers") if key in arguments})
        return TrainingRun(checkpoints, save, lambda _: None, interval, local=tmp_path / "local", **arguments)

    return make


class TestTheLoop:
    def test_saves_when_the_interval_is_over_and_not_before(self, run):
        with run(interval=1000) as rare:
            rare.after_step(1)
            rare.checkpoints.wait()
            assert rare.checkpoints.published is None
        with run(interval=0) as often:
            often.after_step(2)
            often.checkpoints.wait()
            assert often.checkpoints.published.step == 2

    def test_saves_at_its_end_what_is_not_saved_yet(self, run, bucket):
        with run() as training:
            training.after_step(7, position="seven")
        assert newest(URI, bucket).position == "seven"

    def test_a_failed_run_ends_with_its_own_error(self, run, bucket):
        with pytest.raises(ZeroDivisionError), run() as training:
            training.after_step(7)
            raise ZeroDivisionError
        assert Checkpoints(URI, bucket=bucket).latest() is None

    def test_handlers_are_given_back(self, run):
        before = signal.getsignal(signal.SIGTERM)
        with run() as training:
            assert signal.getsignal(signal.SIGTERM) != before
            training.after_step(1)
        assert signal.getsignal(signal.SIGTERM) == before

    def test_two_failed_saves_do_not_end_it_and_a_third_does(self, run, monkeypatch):
        with pytest.raises(UnreachableError), run(interval=0) as training:
            monkeypatch.setattr(training.checkpoints, "publish", lambda *_, **__: (_ for _ in ()).throw(UnreachableError("no network")))
            training.after_step(1)
            training.after_step(2)
            training.after_step(3)
        assert training.step == 3

    def test_ends_with_the_reserved_code_even_if_the_last_save_fails(self, run, monkeypatch):
        with pytest.raises(SystemExit) as ended, run() as training:
            monkeypatch.setattr(training.checkpoints, "publish", lambda *_, **__: (_ for _ in ()).throw(CheckpointError("disk full")))
            os.kill(os.getpid(), signal.SIGTERM)
            assert training.stopping
            training.after_step(1)
        assert ended.value.code == RESUME_EXIT_CODE

    def test_one_that_has_lost_the_run_does_not_ask_for_a_restart(self, run, bucket):
        with pytest.raises(StaleWriterError), run() as training:
            Checkpoints(URI, bucket=bucket).start()
            os.kill(os.getpid(), signal.SIGTERM)
            training.after_step(1)

    def test_the_fast_tier_holds_two_checkpoints_at_most(self, run, tmp_path):
        with run(interval=0) as training:
            for step in range(1, 6):
                training.after_step(step)
                assert len(list((tmp_path / "local" / "rank-00000").iterdir())) <= 2

    def test_all_workers_do_what_one_of_them_must(self, run):
        others = 0
        with pytest.raises(SystemExit) as ended, run(agree=lambda wish: max(wish, others)) as training:
            training.after_step(1)
            others = Decision.STOP
            training.after_step(2)
        assert ended.value.code == RESUME_EXIT_CODE
        assert training.step == 2

    def test_whoever_watches_is_told_each_step_and_may_name_the_last(self, run, bucket, tmp_path):
        with pytest.raises(SystemExit) as ended, run(watch=Watch(tmp_path / "steps", stop_step=2)) as training:
            for step in (1, 2, 3):
                training.after_step(step)
        assert ended.value.code == RESUME_EXIT_CODE
        assert (tmp_path / "steps").read_text() == "1\n2\n"
        assert newest(URI, bucket).step == 2

    def test_workers_that_restored_different_steps_do_not_begin(self, run):
        with pytest.raises(CheckpointError, match="different steps"), run(agree=lambda wish: wish + 1):
            pass

    def test_several_workers_must_agree(self, run):
        with pytest.raises(AddressError, match="agree="):
            run(workers=2, attempt="a")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, f"{CHECKPOINT_URI_VARIABLE} is not set"),
        ({CHECKPOINT_URI_VARIABLE: "s3://x", CHECKPOINT_INTERVAL_VARIABLE: "60"}, "gs://BUCKET/runs/TEAM/RUN"),
        ({CHECKPOINT_URI_VARIABLE: URI}, f"{CHECKPOINT_INTERVAL_VARIABLE} is not set"),
        ({CHECKPOINT_URI_VARIABLE: URI, CHECKPOINT_INTERVAL_VARIABLE: "often"}, "'often': it is a whole number"),
        ({CHECKPOINT_URI_VARIABLE: URI, CHECKPOINT_INTERVAL_VARIABLE: "60", RANK_VARIABLE: "2", WORKERS_VARIABLE: "2"}, "from 0 to 1"),
        ({CHECKPOINT_URI_VARIABLE: URI, CHECKPOINT_INTERVAL_VARIABLE: "60", WORKERS_VARIABLE: "2"}, "share the id"),
        ({CHECKPOINT_URI_VARIABLE: URI, CHECKPOINT_INTERVAL_VARIABLE: "60", STOP_STEP_VARIABLE: "0"}, "at least 1"),
    ],
)
def test_an_environment_that_is_wrong_is_explained(variables, message):
    with pytest.raises(AddressError, match=message):
        TrainingRun.from_environment(lambda _: None, lambda _: None, environment=variables)
