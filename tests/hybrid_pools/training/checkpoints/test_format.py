import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.training.checkpoints.errors import NewerFormatError
from hybrid_pools.training.checkpoints.format import Lease, MalformedError, Manifest, Shard, now, parse, text
from hybrid_pools.training.checkpoints.layout import Name

SHARD = Shard(name="model.npz", object="00000-a/model.npz", size=1, crc32c="AAAAAA==", generation=1, worker=0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


def manifest(**changes: Any) -> Manifest:
    fields = {"epoch": 1, "step": 2, "attempt": "a", "nonce": "n", "created_at": now(), "workers": 1, "shards": (SHARD,)}
    return Manifest.model_validate(fields | changes)


@given(JSON)
def test_a_position_comes_back_as_it_was(position):
    assert parse(Manifest, text(manifest(position=position)), "here").position == position


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda data: b"\xff\xfe" + data,
        lambda _: b"[1, 2]",
        lambda data: data.replace(b'"step":2', b'"step":-2'),
        lambda data: data.replace(b'"epoch":1', b'"era":1'),
        lambda data: data.replace(b"AAAAAA==", b"AAAA"),
        lambda data: data.replace(b'"model.npz"', b'"../model.npz"'),
        lambda data: data.replace(b'"model.npz"', b'"/etc/passwd"'),
        lambda data: data.replace(b'"formatVersion":1', b'"formatVersion":0'),
        lambda _: b"[" * 100_000,
    ],
)
def test_refuses_a_damaged_manifest(damage):
    data = text(manifest())
    assert parse(Manifest, data, "here")
    with pytest.raises(MalformedError, match="here"):
        parse(Manifest, damage(data), "here")


def test_a_newer_format_is_not_taken_for_damage():
    newer = json.dumps({**json.loads(text(manifest())), "formatVersion": 2, "somethingNew": True}).encode()
    with pytest.raises(NewerFormatError, match="Update hybrid-node-pools"):
        parse(Manifest, newer, "here")


def test_two_shards_of_one_name_are_no_checkpoint():
    with pytest.raises(ValueError, match="two shards"):
        manifest(shards=(SHARD, SHARD.model_copy(update={"object": "00001-b/model.npz"})))


def test_what_counts_is_what_was_sealed_and_what_the_holder_published():
    lease = Lease(epoch=5, attempt="a", nonce="n", taken_at=now(), sealed_epoch=4, sealed=(str(Name(3, 7)), str(Name(4, 8))))
    assert lease.settled
    assert [name for epoch in range(1, 8) for step in (7, 8) if lease.counts(name := Name(epoch, step))] == [
        Name(3, 7),
        Name(4, 8),
        Name(5, 7),
        Name(5, 8),
    ]


def test_until_a_take_over_is_settled_what_counted_goes_on_counting():
    lease = Lease(epoch=6, attempt="b", nonce="n", taken_at=now(), sealed_epoch=4, sealed=(str(Name(4, 8)),))
    assert not lease.settled
    assert lease.counts(Name(5, 9))
    assert not lease.counts(Name(4, 9))
