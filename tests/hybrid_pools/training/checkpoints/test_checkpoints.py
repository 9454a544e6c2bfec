"""Saving, finding, restoring and pruning against a real API of Cloud Storage."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy
import pytest
from google.cloud.storage import Client

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints import saving
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import (
    AddressError,
    CheckpointError,
    DirectoryError,
    DiskError,
    IncompleteError,
    NewerFormatError,
    NotResumedError,
    NoValidCheckpointError,
    StaleWriterError,
)
from hybrid_pools.training.checkpoints.format import OWN_FOLDER
from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket
from hybrid_pools.training.checkpoints.layout import Mark, Name
from hybrid_pools.training.checkpoints.pruning import prune
from tests.hybrid_pools.training.checkpoints.double import MemoryBucket


@pytest.fixture
def make(tmp_path):
    """Writes a directory to save: some files, one of them in a folder, one empty."""
    numbers = iter(range(1000))

    def make(seed, prefix=""):
        directory = tmp_path / f"saved-{next(numbers)}"
        (directory / "deep").mkdir(parents=True)
        (directory / f"{prefix}model").write_bytes(random.Random(seed).randbytes(30_000))
        (directory / "deep" / f"{prefix}optimizer").write_bytes(random.Random(-seed - 1).randbytes(100))
        (directory / f"{prefix}empty").touch()
        return directory

    return make


def contents(directory: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(directory)): file.read_bytes()
        for file in directory.rglob("*")
        if file.is_file() and OWN_FOLDER not in file.parts
    }


def at(address: str, **arguments: Any) -> Any:
    """The run as somebody sees it who comes later. Not narrowed, so that a test may take for granted what it has saved."""
    return Checkpoints(address, **arguments)


def begun(address: str, **arguments: Any) -> Any:
    checkpoints = Checkpoints(address, **arguments)
    checkpoints.start()
    return checkpoints


def save(checkpoints: Checkpoints, directory: Path, step: int, **arguments: Any) -> None:
    checkpoints.publish(directory, step, **arguments)
    checkpoints.wait()


def blobs(address: str) -> dict[str, Any]:
    bucket, _, folder = address.removeprefix("gs://").partition("/")
    return {blob.name.removeprefix(folder + "/"): blob for blob in Client(project="tests").list_blobs(bucket, prefix=folder)}


class TestSaving:
    def test_what_was_saved_comes_back_bit_for_bit(self, address, make, tmp_path):
        first = begun(address)
        saved = make(1)
        save(first, saved, 10, position={"shard": 3, "offset": None})
        restored = at(address).restore(tmp_path / "restored")
        assert contents(tmp_path / "restored") == contents(saved)
        assert (restored.step, restored.position) == (10, {"shard": 3, "offset": None})

    def test_a_run_without_checkpoints_restores_nothing(self, address, tmp_path):
        checkpoints = begun(address)
        assert checkpoints.latest() is None
        assert checkpoints.restore(tmp_path / "restored") is None

    def test_the_random_state_comes_back(self, address, make, tmp_path):
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

    def test_a_step_is_published_once_and_steps_grow(self, address, make):
        checkpoints = begun(address)
        save(checkpoints, make(1), 5)
        before = blobs(address).keys()
        save(checkpoints, make(2), 5)
        assert blobs(address).keys() == before
        with pytest.raises(AddressError, match="steps grow"):
            checkpoints.publish(make(3), 4)

    def test_the_next_save_waits_for_the_one_on_its_way(self, address, make, monkeypatch):
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

    def test_an_error_in_the_background_is_raised_by_the_next_call(self, address, make, monkeypatch):
        checkpoints = begun(address)
        saved = make(1)
        monkeypatch.setattr(module, "save_shards", lambda *_: (_ for _ in ()).throw(DiskError("the disk is full")))
        checkpoints.publish(saved, 1)
        with pytest.raises(DiskError, match="full"):
            checkpoints.publish(make(2), 2)

    def test_refuses_a_directory_without_files(self, address, tmp_path):
        checkpoints = begun(address)
        (tmp_path / "nothing").mkdir()
        with pytest.raises(DirectoryError, match="holds no file"):
            save(checkpoints, tmp_path / "nothing", 1)

    def test_notices_a_file_that_changes_while_it_is_copied(self, address, make, monkeypatch):
        checkpoints = begun(address)
        real = GoogleBucket.upload

        def upload(self, file, name, progress):
            stored = real(self, file, name, progress)
            file.write_bytes(b"the next step")
            return stored

        monkeypatch.setattr(GoogleBucket, "upload", upload)
        with pytest.raises(DirectoryError, match="was changed while it was copied"):
            save(checkpoints, make(1), 1)
        assert checkpoints.latest() is None

    def test_nothing_is_published_before_the_run_is_started(self, address, make):
        with pytest.raises(CheckpointError, match=r"start\(\)"):
            Checkpoints(address).publish(make(1), 1)


class TestTwoWriters:
    def test_an_earlier_attempt_publishes_nothing_more(self, address, make, tmp_path):
        first = begun(address)
        save(first, make(1), 1)
        second = begun(address)
        with pytest.raises(StaleWriterError, match="lost"):
            save(first, make(2), 2)
        second.restore(tmp_path / "restored")
        save(second, make(3), 2)
        assert second.latest().checkpoint == Name(2, 2)

    def test_a_manifest_that_comes_too_late_never_counts_and_is_pruned(self, address, make, monkeypatch, tmp_path):
        """The worst moment: the old attempt has looked at the lease, and is stopped just before it writes its manifest."""
        first = begun(address)
        save(first, make(1), 1)
        real, second = saving.commit, at(address)

        def commit(attempt, report, step, position, timeout):
            write = attempt.bucket.write

            def late(name, data, generation):
                if name.startswith(attempt.layout.manifests):
                    second.start()
                return write(name, data, generation)

            monkeypatch.setattr(attempt.bucket, "write", late)
            return real(attempt, report, step, position, timeout)

        monkeypatch.setattr(module, "commit", commit)
        with pytest.raises(StaleWriterError):
            save(first, make(2), 2)
        assert f"manifests/{Name(1, 2)}.json" in blobs(address)
        assert second.latest().checkpoint == Name(1, 1)
        assert second.prune().deleted == (Name(1, 2),)
        assert not [name for name in blobs(address) if str(Name(1, 2)) in name]

    def test_what_a_later_attempt_publishes_is_newer_even_at_an_earlier_step(self, address, make, tmp_path):
        first = begun(address)
        save(first, make(1), 50)
        save(first, make(2), 80)
        second = begun(address)
        assert second.restore(tmp_path / "restored", step=50).step == 50
        save(second, make(3), 60)
        assert second.latest().checkpoint == Name(2, 60)

    def test_refuses_to_publish_beside_checkpoints_that_it_has_not_restored(self, address, make):
        save(begun(address), make(1), 100)
        with pytest.raises(NotResumedError, match="restore"):
            begun(address).publish(make(2), 1)

    def test_a_lost_lease_gives_no_number_twice(self, address, make):
        first = begun(address)
        save(first, make(1), 1)
        blobs(address)["lease.json"].delete()
        second = begun(address)
        assert second.attempt.held.lease.epoch == 2
        assert second.latest().checkpoint == Name(1, 1)


class TestSeveralWorkers:
    def test_all_shards_are_one_checkpoint_for_any_number_of_workers(self, address, make, tmp_path):
        workers = [Checkpoints(address, attempt="start-1", rank=rank, workers=3) for rank in range(3)]
        directories = [make(rank, f"rank{rank}-") for rank in range(3)]
        for checkpoints in workers:
            checkpoints.start()
        for rank, checkpoints in enumerate(workers):
            checkpoints.publish(directories[rank], 7, position=rank)
        for checkpoints in workers:
            checkpoints.wait()
        expected = {name: data for directory in directories for name, data in contents(directory).items()}
        alone = at(address).restore(tmp_path / "alone")
        assert contents(tmp_path / "alone") == expected
        assert (alone.manifest.workers, alone.position) == (3, 0)
        many = at(address, attempt="start-2", rank=4, workers=5).restore(tmp_path / "many", shards={"rank1-model"})
        assert contents(tmp_path / "many") == {"rank1-model": expected["rank1-model"]}
        assert (many.state, many.position) == (None, 0)
        assert at(address, attempt="start-2", rank=2, workers=5).restore(tmp_path / "third").position == 2

    def test_nothing_is_published_while_a_worker_is_missing(self, address, make, monkeypatch):
        monkeypatch.setattr(module, "WORKERS_SECONDS", 0.1)
        checkpoints = begun(address, attempt="start-1", rank=0, workers=2)
        with pytest.raises(IncompleteError, match="worker 1 of 2 did not save step 7"):
            save(checkpoints, make(1), 7)
        assert checkpoints.latest() is None

    def test_two_workers_may_not_save_files_of_one_name(self, address, make):
        workers = [Checkpoints(address, attempt="start-1", rank=rank, workers=2) for rank in range(2)]
        for checkpoints in workers:
            checkpoints.start()
        save(workers[1], make(1), 7)
        with pytest.raises(IncompleteError, match="workers 0 and 1 both saved a file"):
            save(workers[0], make(2), 7)

    def test_a_worker_waits_for_the_coordinator_of_its_own_attempt(self, address, monkeypatch):
        monkeypatch.setattr(module, "WORKERS_SECONDS", 0.1)
        begun(address, attempt="start-1", rank=0, workers=2)
        begun(address, attempt="start-1", rank=1, workers=2)
        with pytest.raises(IncompleteError, match="attempt 'start-1' holds it"):
            begun(address, attempt="start-2", rank=1, workers=2)

    def test_several_workers_must_share_an_id(self):
        with pytest.raises(AddressError, match="HYBRID_POOLS_ATTEMPT"):
            Checkpoints("gs://bucket/runs/team/run", workers=2)


def damage_shard(address: str) -> None:
    blob = next(blob for name, blob in blobs(address).items() if name.startswith(f"data/{Name(1, 2)}") and name.endswith("model"))
    blob.upload_from_string(blob.download_as_bytes()[:-1])


def remove_shard(address: str) -> None:
    next(blob for name, blob in blobs(address).items() if name.startswith(f"data/{Name(1, 2)}") and name.endswith("optimizer")).delete()


def damage_manifest(address: str) -> None:
    blobs(address)[f"manifests/{Name(1, 2)}.json"].upload_from_string('{"formatVersion":1,"epo')


def swap_manifest(address: str) -> None:
    there = blobs(address)
    there[f"manifests/{Name(1, 2)}.json"].upload_from_string(there[f"manifests/{Name(1, 1)}.json"].download_as_bytes())


class TestFinding:
    @pytest.mark.parametrize("harm", [damage_shard, remove_shard, damage_manifest, swap_manifest])
    def test_a_bad_one_is_put_aside_and_the_one_before_is_used(self, address, make, tmp_path, caplog, harm):
        checkpoints = begun(address)
        saved = make(1)
        save(checkpoints, saved, 1)
        save(checkpoints, make(2), 2)
        before = {name for name in blobs(address) if str(Name(1, 2)) in name}
        harm(address)
        restored = at(address).restore(tmp_path / "restored")
        assert restored.step == 1
        assert contents(tmp_path / "restored") == contents(saved)
        assert "is bad and put aside" in caplog.text
        there = blobs(address)
        assert f"manifests/{Name(1, 2)}.json.{Mark.QUARANTINED}" in there
        assert len(before - there.keys()) <= 1, "something of the bad one was deleted"
        assert checkpoints.prune().quarantined == (Name(1, 2),)
        assert checkpoints.latest().step == 1

    def test_a_mended_one_is_used_again(self, address, make):
        checkpoints = begun(address)
        for step in (1, 2):
            save(checkpoints, make(step), step)
        manifest = blobs(address)[f"manifests/{Name(1, 2)}.json"].download_as_bytes()
        damage_manifest(address)
        assert checkpoints.latest().step == 1
        there = blobs(address)
        there[f"manifests/{Name(1, 2)}.json"].upload_from_string(manifest)
        there[f"manifests/{Name(1, 2)}.json.{Mark.QUARANTINED}"].delete()
        assert checkpoints.latest().step == 2

    def test_only_bad_ones_are_for_a_person_to_decide(self, address, make):
        checkpoints = begun(address)
        save(checkpoints, make(1), 2)
        damage_manifest(address)
        for _ in range(2):
            with pytest.raises(NoValidCheckpointError, match=str(Name(1, 2))):
                checkpoints.latest()

    def test_one_of_a_newer_release_is_neither_skipped_nor_pruned(self, address, make):
        checkpoints = begun(address)
        for step in (1, 2):
            save(checkpoints, make(step), step)
        blobs(address)[f"manifests/{Name(1, 2)}.json"].upload_from_string('{"formatVersion":2}')
        for act in (checkpoints.latest, checkpoints.prune):
            with pytest.raises(NewerFormatError, match="format version 2"):
                act()
        assert not [name for name in blobs(address) if name.endswith(Mark.QUARANTINED)]

    def test_names_the_step_that_is_not_there(self, address, make, tmp_path):
        checkpoints = begun(address)
        save(checkpoints, make(1), 1)
        with pytest.raises(CheckpointError, match="no checkpoint of step 9"):
            checkpoints.restore(tmp_path / "restored", step=9)


class TestRestoring:
    def test_leaves_a_directory_with_other_files_alone(self, address, make, tmp_path):
        checkpoints = begun(address)
        save(checkpoints, make(1), 1)
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.tex").write_text("years of work")
        with pytest.raises(DirectoryError, match="empty directory"):
            checkpoints.restore(tmp_path / "mine")
        assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"

    def test_makes_a_half_restored_directory_whole_and_copies_only_what_is_missing(self, address, make, tmp_path, monkeypatch):
        checkpoints = begun(address)
        saved = make(1)
        save(checkpoints, saved, 1)
        directory = tmp_path / "restored"
        checkpoints.restore(directory)
        (directory / "deep" / "optimizer").write_bytes(b"half")
        (directory / "model.part").write_bytes(b"half")
        (directory / "of another step").write_bytes(b"old")
        copied: list[str] = []
        real = GoogleBucket.download

        def download(self, stored, file, progress):
            copied.append(stored.name)
            real(self, stored, file, progress)

        monkeypatch.setattr(GoogleBucket, "download", download)
        checkpoints.restore(directory)
        assert contents(directory) == contents(saved)
        assert [name.rsplit("/", 1)[1] for name in copied] == ["optimizer"]

    def test_reads_again_what_arrives_with_wrong_bytes(self, address, make, tmp_path, monkeypatch):
        checkpoints = begun(address)
        saved = make(1)
        save(checkpoints, saved, 1)
        seen = set()
        real = GoogleBucket.download

        def download(self, stored, file, progress):
            real(self, stored, file, progress)
            if stored.name not in seen and stored.size:
                file.write_bytes(b"\0" * stored.size)
            seen.add(stored.name)

        monkeypatch.setattr(GoogleBucket, "download", download)
        checkpoints.restore(tmp_path / "restored")
        assert contents(tmp_path / "restored") == contents(saved)
        assert checkpoints.latest().step == 1


class TestPruning:
    def test_keeps_the_newest_and_nothing_else(self, address, make):
        checkpoints = begun(address, keep=2)
        for step in range(1, 6):
            save(checkpoints, make(step), step)
        left = {name.split("/")[1].split(".")[0] for name in blobs(address) if "/" in name}
        assert left == {str(Name(1, 4)), str(Name(1, 5))}

    def test_bad_ones_do_not_count_as_kept(self, address, make):
        checkpoints = begun(address, keep=2)
        for step in (1, 2):
            save(checkpoints, make(step), step)
        damage_manifest(address)
        save(checkpoints, make(3), 3)
        pruning = checkpoints.prune()
        assert pruning.kept == (Name(1, 3), Name(1, 1))
        assert pruning.quarantined == (Name(1, 2),)

    def test_leaves_an_unfinished_save_of_the_running_attempt_until_it_is_old(self, address, make, monkeypatch):
        checkpoints = begun(address)
        save(checkpoints, make(1), 1)
        monkeypatch.setattr(module, "commit", lambda *_: (_ for _ in ()).throw(DiskError("killed here")))
        with pytest.raises(DiskError):
            save(checkpoints, make(2), 2)
        data = {name for name in blobs(address) if name.startswith(f"data/{Name(1, 2)}")}
        assert data
        assert checkpoints.prune().unfinished == ()
        assert data <= blobs(address).keys()
        bucket = GoogleBucket(checkpoints.layout.bucket)
        assert prune(bucket, checkpoints.layout, 3, unfinished_seconds=-60).unfinished == (Name(1, 2),)
        assert not data & blobs(address).keys()
        assert checkpoints.latest().step == 1

    def test_what_an_ended_attempt_left_unfinished_goes_at_once(self, address, make, monkeypatch):
        checkpoints = begun(address)
        with monkeypatch.context() as patch, pytest.raises(DiskError):
            patch.setattr(module, "commit", lambda *_: (_ for _ in ()).throw(DiskError("killed here")))
            save(checkpoints, make(1), 1)
        assert begun(address).prune().unfinished == (Name(1, 1),)
        assert blobs(address).keys() == {"lease.json"}

    def test_old_versions_go_only_where_asked(self, make):
        bucket = MemoryBucket(versioned=True)
        address = "gs://bucket/runs/team/run"
        checkpoints = begun(address, keep=1, bucket=bucket)
        for step in (1, 2, 3):
            save(checkpoints, make(step), step)

        def versions() -> set[str]:
            return {stored.name.split("/")[4] for stored in bucket.objects("runs/team/run/data/", versions=True)}

        assert versions() == {str(Name(1, step)) for step in (1, 2, 3)}
        assert {stored.name.split("/")[4] for stored in bucket.objects("runs/team/run/data/")} == {str(Name(1, 3))}
        begun(address, bucket=bucket).prune(all_versions=True)
        assert versions() == {str(Name(1, 3))}

    def test_at_least_one_stays(self, address):
        with pytest.raises(AddressError, match="at least 1"):
            Checkpoints(address, keep=0)


def test_needs_no_google_client_before_a_bucket_is_used():
    code = (
        "import sys, hybrid_pools.training.checkpoints; sys.exit(any(name.startswith('google') or name == 'numpy' for name in sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False).returncode
        == 0
    )
