"""Two attempts at one run: only the later publishes."""

import pytest

from hybrid_pools.training.checkpoints import checkpoints as module
from hybrid_pools.training.checkpoints import saving
from hybrid_pools.training.checkpoints.errors import NotResumedError, StaleWriterError
from hybrid_pools.training.checkpoints.layout import Name
from tests.hybrid_pools.training.checkpoints.saved import at, begun, pieces, save


def test_an_earlier_attempt_publishes_nothing_more(address, make, tmp_path):
    first = begun(address)
    save(first, make(1), 1)
    second = begun(address)
    with pytest.raises(StaleWriterError, match="lost"):
        save(first, make(2), 2)
    second.restore(tmp_path / "restored")
    save(second, make(3), 2)
    assert second.latest().checkpoint == Name(2, 2)


def test_a_manifest_that_comes_too_late_never_counts_and_is_pruned(address, make, monkeypatch, tmp_path):
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
    assert f"manifests/{Name(1, 2)}.json" in pieces(address)
    assert second.latest().checkpoint == Name(1, 1)
    assert second.prune().deleted == (Name(1, 2),)
    assert not [name for name in pieces(address) if str(Name(1, 2)) in name]


def test_what_a_later_attempt_publishes_is_newer_even_at_an_earlier_step(address, make, tmp_path):
    first = begun(address)
    save(first, make(1), 50)
    save(first, make(2), 80)
    second = begun(address)
    assert second.restore(tmp_path / "restored", step=50).step == 50
    save(second, make(3), 60)
    assert second.latest().checkpoint == Name(2, 60)


def test_refuses_to_publish_beside_checkpoints_that_it_has_not_restored(address, make):
    save(begun(address), make(1), 100)
    with pytest.raises(NotResumedError, match="restore"):
        begun(address).publish(make(2), 1)


def test_a_lost_lease_gives_no_number_twice(address, make):
    first = begun(address)
    save(first, make(1), 1)
    pieces(address)["lease.json"].delete()
    second = begun(address)
    assert second.attempt.held.lease.epoch == 2
    assert second.latest().checkpoint == Name(1, 1)
