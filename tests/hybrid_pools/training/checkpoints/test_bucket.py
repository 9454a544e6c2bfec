"""What the protocol relies on, of each kind of bucket."""

import random

import pytest

from hybrid_pools.training.checkpoints.bucket import ABSENT, ConditionError, GoneError
from hybrid_pools.training.checkpoints.layout import Layout
from hybrid_pools.training.checkpoints.opening import bucket_of
from hybrid_pools.training.checkpoints.progress import Progress

NO_BAR = Progress("", 0)


@pytest.fixture
def bucket(address):
    return bucket_of(Layout.parse(address))


def test_writes_only_under_the_condition(bucket):
    first = bucket.write("a", b"1", ABSENT)
    with pytest.raises(ConditionError):
        bucket.write("a", b"2", ABSENT)
    second = bucket.write("a", b"2", first)
    with pytest.raises(ConditionError):
        bucket.write("a", b"3", first)
    with pytest.raises(ConditionError):
        bucket.write("b", b"3", second)
    assert bucket.read("a").data == b"2"


def test_a_file_is_not_written_over_that_of_somebody_else(bucket, tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    bucket.write("object", b"theirs", ABSENT)
    with pytest.raises(ConditionError):
        bucket.upload(tmp_path / "file", "object", NO_BAR)


def test_lists_objects_and_the_folders_right_below(bucket):
    for name in ("run/b/deep/x", "run/a/x", "run/a/y", "run/lease", "runs/other"):
        bucket.write(name, b"", ABSENT)
    assert [stored.name for stored in bucket.objects("run/")] == ["run/a/x", "run/a/y", "run/b/deep/x", "run/lease"]
    assert bucket.folders("run/") == ["a", "b"]


def test_what_was_deleted_or_replaced_is_not_read_for_what_it_was(bucket, tmp_path):
    bucket.write("run/a/object", b"1", ABSENT)
    first = bucket.stat("run/a/object")
    bucket.write("run/a/object", b"2", first.generation)
    second = bucket.stat("run/a/object")
    with pytest.raises(GoneError):
        bucket.download(first, tmp_path / "file", NO_BAR)
    bucket.delete(second, forever=True)
    bucket.delete(second, forever=True)
    assert bucket.read("run/a/object") is None
    assert bucket.folders("run/") == []
    bucket.write("run/a/object", b"3", ABSENT)
    with pytest.raises(ConditionError):
        bucket.write("run/a/object", b"4", second.generation)


def test_knows_size_and_checksum_of_what_it_holds(bucket, tmp_path):
    data = random.Random(1).randbytes(100_000)
    (tmp_path / "file").write_bytes(data)
    stored = bucket.upload(tmp_path / "file", "run/a/object", NO_BAR)
    assert bucket.stat("run/a/object") == bucket.objects("run/a/ob")[0] == stored
    assert (stored.size, stored.crc32c) == (len(data), bucket.upload(tmp_path / "file", "run/b/object", NO_BAR).crc32c)
    bucket.download(stored, tmp_path / "back", NO_BAR)
    assert (tmp_path / "back").read_bytes() == data
