"""What the network does to requests, and what people are told."""

import errno
import random

import pytest

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints.bucket import ABSENT, GoneError, write_once
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import DeniedError, DiskError, MissingBucketError, UnreachableError
from hybrid_pools.training.checkpoints.google_bucket import GoogleBucket
from hybrid_pools.training.checkpoints.progress import Progress

NO_BAR = Progress("", 0)


@pytest.fixture
def bucket(google_address, faults):
    return GoogleBucket(google_address.split("/")[2])


def test_a_write_whose_answer_is_lost_is_known_as_done(bucket, faults):
    faults.lost_answer = 0.5
    generations = [write_once(bucket, f"object-{number}", f"{number}".encode()) for number in range(12)]
    assert faults.seen["lost_answer"]
    faults.lost_answer = 0
    assert generations == [bucket.stat(f"object-{number}").generation for number in range(12)]
    assert write_once(bucket, "object-0", b"of somebody else") is None


@pytest.mark.parametrize("size", [100, 9 << 20], ids=["in one request", "in a session"])
def test_a_file_arrives_whole_whatever_is_lost(bucket, faults, tmp_path, size):
    data = random.Random(size).randbytes(size)
    (tmp_path / "file").write_bytes(data)
    faults.refused, faults.lost_request, faults.lost_answer = 0.15, 0.15, 0.15
    for number in range(4):
        stored = bucket.upload(tmp_path / "file", f"object-{number}", NO_BAR)
        bucket.download(stored, tmp_path / "back", NO_BAR)
        assert (tmp_path / "back").read_bytes() == data
    assert faults.seen


def test_what_is_gone_is_gone(bucket, faults, tmp_path):
    bucket.write("object", b"1", ABSENT)
    stored = bucket.stat("object")
    bucket.delete(stored, forever=False)
    bucket.delete(stored, forever=True)
    keeping, forever = [line for line in faults.lines if line.startswith("DELETE")]
    # What the stand-in does not know: with `generation` the object is gone for good, with the condition alone it becomes an old version.
    assert f"ifGenerationMatch={stored.generation}" in keeping
    assert "generation=" not in keeping
    assert f"generation={stored.generation}" in forever
    assert bucket.read("object") is None
    with pytest.raises(GoneError):
        bucket.download(stored, tmp_path / "file", NO_BAR)


@pytest.mark.parametrize("status", [429, 503])
def test_gives_up_at_the_deadline_and_says_what_it_wanted(google_address, faults, status):
    faults.always = status
    with pytest.raises(UnreachableError, match=r"could not read gs://.* within 1 s"):
        GoogleBucket(google_address.split("/")[2], deadline=1).stat("object")


def test_a_missing_right_is_explained(google_address, faults, monkeypatch):
    monkeypatch.setattr(module, "_GRANT_SECONDS", 0)
    faults.always = 403
    with pytest.raises(DeniedError, match=r"service account training [^\n]*\n[^\n]*some minutes after"):
        Checkpoints(google_address).start()


def test_waits_for_a_fresh_grant(google_address, faults, monkeypatch):
    faults.always = 403
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        faults.always = None

    monkeypatch.setattr("time.sleep", sleep)
    checkpoints = Checkpoints(google_address)
    checkpoints.start()
    assert waited
    assert checkpoints.latest() is None


def test_a_missing_bucket_is_named(google_address, faults):
    with pytest.raises(MissingBucketError, match="no bucket not-there"):
        Checkpoints("gs://not-there/runs/team/run").start()


def test_a_full_disk_is_named(bucket, tmp_path, monkeypatch):
    bucket.write("object", b"1", ABSENT)
    stored = bucket.stat("object")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "file"))

    monkeypatch.setattr("google.cloud.storage.blob.Blob.download_to_file", full)
    with pytest.raises(DiskError, match="No space left on device"):
        bucket.download(stored, tmp_path / "file", NO_BAR)
