"""What is needed no more is deleted, and nothing else."""

import pytest

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import AddressError, DiskError
from hybrid_pools.training.checkpoints.layout import Name
from hybrid_pools.training.checkpoints.opening import bucket_of
from hybrid_pools.training.checkpoints.pruning import prune
from tests.hybrid_pools.training.checkpoints.double import MemoryBucket
from tests.hybrid_pools.training.checkpoints.saved import begun, damage_manifest, pieces, save


def test_keeps_the_newest_and_nothing_else(address, make):
    checkpoints = begun(address, keep=2)
    for step in range(1, 6):
        save(checkpoints, make(step), step)
    left = {name.split("/")[1].split(".")[0] for name in pieces(address) if "/" in name}
    assert left == {str(Name(1, 4)), str(Name(1, 5))}


def test_bad_ones_do_not_count_as_kept(address, make):
    checkpoints = begun(address, keep=2)
    for step in (1, 2):
        save(checkpoints, make(step), step)
    damage_manifest(address)
    save(checkpoints, make(3), 3)
    pruning = checkpoints.prune()
    assert pruning.kept == (Name(1, 3), Name(1, 1))
    assert pruning.quarantined == (Name(1, 2),)


def test_leaves_an_unfinished_save_of_the_running_attempt_until_it_is_old(address, make, monkeypatch):
    checkpoints = begun(address)
    save(checkpoints, make(1), 1)
    monkeypatch.setattr(module, "commit", lambda *_: (_ for _ in ()).throw(DiskError("killed here")))
    with pytest.raises(DiskError):
        save(checkpoints, make(2), 2)
    data = {name for name in pieces(address) if name.startswith(f"data/{Name(1, 2)}")}
    assert data
    assert checkpoints.prune().unfinished == ()
    assert data <= pieces(address).keys()
    bucket = bucket_of(checkpoints.layout)
    assert prune(bucket, checkpoints.layout, 3, unfinished_seconds=-60).unfinished == (Name(1, 2),)
    assert not data & pieces(address).keys()
    assert checkpoints.latest().step == 1


def test_what_an_ended_attempt_left_unfinished_goes_at_once(address, make, monkeypatch):
    checkpoints = begun(address)
    with monkeypatch.context() as patch, pytest.raises(DiskError):
        patch.setattr(module, "commit", lambda *_: (_ for _ in ()).throw(DiskError("killed here")))
        save(checkpoints, make(1), 1)
    assert begun(address).prune().unfinished == (Name(1, 1),)
    assert pieces(address).keys() == {"lease.json"}


def test_old_versions_go_only_where_asked(make):
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


def test_at_least_one_stays(address):
    with pytest.raises(AddressError, match="at least 1"):
        Checkpoints(address, keep=0)
