"""Several workers save one checkpoint."""

from contextlib import suppress

import pytest

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints.checkpoints import Checkpoints
from hybrid_pools.training.checkpoints.errors import AddressError, IncompleteError
from hybrid_pools.training.checkpoints.layout import Layout
from hybrid_pools.training.checkpoints.taking_over import join, require, take_over
from tests.hybrid_pools.training.checkpoints.double import Fate, MemoryBucket
from tests.hybrid_pools.training.checkpoints.saved import at, begun, contents, save


def test_all_shards_are_one_checkpoint_for_any_number_of_workers(address, make, tmp_path):
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


def test_nothing_is_published_while_a_worker_is_missing(address, make, monkeypatch):
    monkeypatch.setattr(module, "WORKERS_SECONDS", 0.1)
    checkpoints = begun(address, attempt="start-1", rank=0, workers=2)
    with pytest.raises(IncompleteError, match="worker 1 of 2 did not save step 7"):
        save(checkpoints, make(1), 7)
    assert checkpoints.latest() is None


def test_two_workers_may_not_save_files_of_one_name(address, make):
    workers = [Checkpoints(address, attempt="start-1", rank=rank, workers=2) for rank in range(2)]
    for checkpoints in workers:
        checkpoints.start()
    save(workers[1], make(1), 7)
    with pytest.raises(IncompleteError, match="workers 0 and 1 both saved a file"):
        save(workers[0], make(2), 7)


def test_a_worker_waits_for_the_coordinator_of_its_own_attempt(address, monkeypatch):
    monkeypatch.setattr(module, "WORKERS_SECONDS", 0.1)
    begun(address, attempt="start-1", rank=0, workers=2)
    begun(address, attempt="start-1", rank=1, workers=2)
    with pytest.raises(IncompleteError, match="attempt 'start-1' holds it"):
        begun(address, attempt="start-2", rank=1, workers=2)


def test_a_worker_does_not_join_a_start_that_has_ended_and_whose_id_is_used_again(address, make, monkeypatch):
    first = begun(address, attempt="job-1", rank=0, workers=2)
    first.close()
    with monkeypatch.context() as hurried:
        hurried.setattr(module, "WORKERS_SECONDS", 0.1)
        with pytest.raises(IncompleteError, match="attempt 'job-1' held it"):
            begun(address, attempt="job-1", rank=1, workers=2)
    again = [begun(address, attempt="job-1", rank=rank, workers=2) for rank in range(2)]
    for rank in (1, 0):
        again[rank].publish(make(rank, f"rank{rank}-"), 7)
    for checkpoints in again:
        checkpoints.wait()
    assert at(address).latest().step == 7


def test_several_workers_must_share_an_id():
    with pytest.raises(AddressError, match="HYBRID_POOLS_ATTEMPT"):
        Checkpoints("gs://bucket/runs/team/run", workers=2)


@pytest.mark.parametrize("before", [0, 1, 2], ids=["the first attempt", "the second", "the third"])
def test_a_worker_that_joins_at_any_moment_of_a_take_over_may_save(before):
    layout = Layout.parse("gs://bucket/runs/team/run")
    bucket = MemoryBucket()
    for number in range(before):
        take_over(bucket, layout, f"before-{number}")
    seen, joined = MemoryBucket(live=bucket.live), []

    def look(_: str) -> Fate:
        with suppress(IncompleteError):
            joined.append(join(seen, layout, "start", timeout=-1))
        return Fate.DONE

    bucket.turn = look
    take_over(bucket, layout, "start")
    look("")
    assert joined
    for held in joined:
        require(seen, layout, held)
