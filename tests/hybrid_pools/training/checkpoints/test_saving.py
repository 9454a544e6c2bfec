"""What `publish` does, to a bucket of Cloud Storage and to a folder."""

import os
import random
import subprocess
import sys
import threading

import numpy
import pytest

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints import saving
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import AddressError, CheckpointError, DirectoryError, DiskError
from tests.hybrid_pools.training.checkpoints.saved import at, begun, contents, kind, pieces, save


def test_what_was_saved_comes_back_bit_for_bit(address, make, tmp_path):
    first = begun(address)
    saved = make(1)
    save(first, saved, 10, position={"shard": 3, "offset": None})
    restored = at(address).restore(tmp_path / "restored")
    assert contents(tmp_path / "restored") == contents(saved)
    assert (restored.step, restored.position) == (10, {"shard": 3, "offset": None})


def test_a_run_without_checkpoints_restores_nothing(address, tmp_path):
    checkpoints = begun(address)
    assert checkpoints.latest() is None
    assert checkpoints.restore(tmp_path / "restored") is None


def test_the_random_state_comes_back(address, make, tmp_path):
    def seed(number: int) -> None:
        numpy.random.seed(number)
        random.seed(number)
        random.gauss(0, 1)  # keeps the second number of a pair for the next call

    def draw() -> tuple[list[float], float, float]:
        return numpy.random.random(5).tolist(), random.gauss(0, 1), random.random()

    checkpoints = begun(address)
    seed(3)
    checkpoints.publish(make(1), 1)
    checkpoints.wait()
    restored = at(address).restore(tmp_path / "restored")
    seed(3)
    expected = draw()
    restored.set_random()
    assert draw() == expected
    seed(0)
    assert draw() != expected


def test_a_step_is_published_once_and_steps_grow(address, make):
    checkpoints = begun(address)
    save(checkpoints, make(1), 5)
    before = pieces(address).keys()
    save(checkpoints, make(2), 5)
    assert pieces(address).keys() == before
    with pytest.raises(AddressError, match="steps grow"):
        checkpoints.publish(make(3), 4)


def test_the_next_save_waits_for_the_one_on_its_way(address, make, monkeypatch):
    checkpoints = begun(address)
    going, go = threading.Event(), threading.Event()
    real = saving.save_shards

    def slow(*arguments):
        going.set()
        assert go.wait(20)
        return real(*arguments)

    monkeypatch.setattr(module, "save_shards", slow)
    checkpoints.publish(make(1), 1)
    assert going.wait(20)
    second = threading.Thread(target=checkpoints.publish, args=(make(2), 2))
    second.start()
    second.join(0.2)
    assert second.is_alive()
    assert not checkpoints.published
    go.set()
    second.join(20)
    checkpoints.wait()
    assert checkpoints.published.step == 2


def test_an_error_in_the_background_is_raised_by_the_next_call(address, make, monkeypatch):
    checkpoints = begun(address)
    saved = make(1)
    monkeypatch.setattr(module, "save_shards", lambda *_: (_ for _ in ()).throw(DiskError("the disk is full")))
    checkpoints.publish(saved, 1)
    with pytest.raises(DiskError, match="full"):
        checkpoints.publish(make(2), 2)


def test_refuses_a_directory_without_files(address, tmp_path):
    checkpoints = begun(address)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DirectoryError, match="holds no file"):
        save(checkpoints, tmp_path / "nothing", 1)


def test_notices_a_file_that_changes_while_it_is_copied(address, make, monkeypatch):
    checkpoints = begun(address)
    real = kind(address).upload

    def upload(self, file, name, progress):
        stored = real(self, file, name, progress)
        file.write_bytes(b"the next step")
        return stored

    monkeypatch.setattr(kind(address), "upload", upload)
    with pytest.raises(DirectoryError, match="was changed while it was copied"):
        save(checkpoints, make(1), 1)
    assert checkpoints.latest() is None


def test_nothing_is_published_before_the_run_is_started(address, make):
    with pytest.raises(CheckpointError, match=r"start\(\)"):
        Checkpoints(address).publish(make(1), 1)


def test_needs_no_google_client_before_a_bucket_is_used():
    code = (
        "import sys, hybrid_pools.training.checkpoints; sys.exit(any(name.startswith('google') or name == 'numpy' for name in sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False).returncode
        == 0
    )
