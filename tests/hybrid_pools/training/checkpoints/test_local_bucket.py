"""What only a folder as a bucket must see to itself."""

import os
import threading
from pathlib import Path

import pytest

from hybrid_pools.training.checkpoints.bucket import ABSENT, ConditionError
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import DiskError, MissingBucketError
from hybrid_pools.training.checkpoints.local_bucket import LocalBucket
from hybrid_pools.training.checkpoints.progress import Progress
from tests.hybrid_pools.training.checkpoints.saved import at, begun, save

NO_BAR = Progress("", 0)
WRITERS, WRITES = 4, 25


@pytest.fixture
def bucket(tmp_path):
    return LocalBucket(tmp_path)


def test_of_writers_that_saw_the_same_only_one_writes(bucket, tmp_path):
    bucket.write("run/count", b"0", ABSENT)

    def count() -> None:
        bucket = LocalBucket(tmp_path)
        done = 0
        while done < WRITES:
            found = bucket.read("run/count")
            assert found
            try:
                bucket.write("run/count", str(int(found.data) + 1).encode(), found.generation)
            except ConditionError:
                continue
            done += 1

    writers = [threading.Thread(target=count) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert bucket.read("run/count").data == str(WRITERS * WRITES).encode()


def test_generations_grow_even_if_the_clock_goes_back(bucket, monkeypatch):
    first = bucket.write("run/a", b"1", ABSENT)
    monkeypatch.setattr("time.time_ns", lambda: first - 10**9)
    assert bucket.write("run/a", b"2", first) > first


def test_deletes_only_the_generation_that_it_was_asked_for(bucket):
    bucket.write("run/a", b"1", ABSENT)
    old = bucket.stat("run/a")
    bucket.write("run/a", b"2", old.generation)
    bucket.delete(old, forever=True)
    assert bucket.read("run/a").data == b"2"


def test_a_copy_that_fails_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "bucket").mkdir()
    bucket = LocalBucket(tmp_path / "bucket")
    with monkeypatch.context() as patch, pytest.raises(DiskError, match="No space left"):
        patch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        bucket.upload(tmp_path / "file", "run/a", NO_BAR)
    assert bucket.objects("run/") == []


def test_leaves_nothing_but_its_lock_when_all_is_deleted(bucket, tmp_path):
    bucket.write("run/deep/deeper/a", b"1", ABSENT)
    for stored in bucket.objects("run/"):
        bucket.delete(stored, forever=True)
    assert [file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file()] == [Path(".bucket/lock")]
    assert not (tmp_path / "run").exists()


def test_a_folder_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(MissingBucketError, match=r"no folder .*/not-mounted\. Make it, or mount the disk"):
        Checkpoints(f"file://{tmp_path}/not-mounted/runs/team/run").start()
    assert not (tmp_path / "not-mounted").exists()


def test_what_rots_on_the_disk_is_found(folder_address, make, tmp_path):
    """Bytes that change without the size or the time of the file."""
    checkpoints = begun(folder_address)
    for step in (1, 2):
        save(checkpoints, make(step), step)
    [shard] = Path(checkpoints.layout.bucket).glob("runs/team/run/data/*-000000000002/*/model")
    state = shard.stat()
    shard.write_bytes(b"0" * state.st_size)
    os.utime(shard, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert at(folder_address).latest().step == 1
