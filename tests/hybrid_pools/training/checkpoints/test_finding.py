"""The newest whole checkpoint is found, and bad ones are put aside."""

import pytest

from hybrid_pools.training.checkpoints.errors import CheckpointError, NewerFormatError, NoValidCheckpointError
from hybrid_pools.training.checkpoints.layout import Mark, Name
from tests.hybrid_pools.training.checkpoints.saved import at, begun, contents, damage_manifest, pieces, save


def damage_shard(address: str) -> None:
    blob = next(blob for name, blob in pieces(address).items() if name.startswith(f"data/{Name(1, 2)}") and name.endswith("model"))
    blob.write(blob.read()[:-1])


def remove_shard(address: str) -> None:
    next(blob for name, blob in pieces(address).items() if name.startswith(f"data/{Name(1, 2)}") and name.endswith("optimizer")).delete()


def swap_manifest(address: str) -> None:
    there = pieces(address)
    there[f"manifests/{Name(1, 2)}.json"].write(there[f"manifests/{Name(1, 1)}.json"].read())


@pytest.mark.parametrize("harm", [damage_shard, remove_shard, damage_manifest, swap_manifest])
def test_a_bad_one_is_put_aside_and_the_one_before_is_used(address, make, tmp_path, caplog, harm):
    checkpoints = begun(address)
    saved = make(1)
    save(checkpoints, saved, 1)
    save(checkpoints, make(2), 2)
    before = {name for name in pieces(address) if str(Name(1, 2)) in name}
    harm(address)
    restored = at(address).restore(tmp_path / "restored")
    assert restored.step == 1
    assert contents(tmp_path / "restored") == contents(saved)
    assert "is bad and put aside" in caplog.text
    there = pieces(address)
    assert f"manifests/{Name(1, 2)}.json.{Mark.QUARANTINED}" in there
    assert len(before - there.keys()) <= 1, "something of the bad one was deleted"
    assert checkpoints.prune().quarantined == (Name(1, 2),)
    assert checkpoints.latest().step == 1


def test_a_mended_one_is_used_again(address, make):
    checkpoints = begun(address)
    for step in (1, 2):
        save(checkpoints, make(step), step)
    manifest = pieces(address)[f"manifests/{Name(1, 2)}.json"].read()
    damage_manifest(address)
    assert checkpoints.latest().step == 1
    there = pieces(address)
    there[f"manifests/{Name(1, 2)}.json"].write(manifest)
    there[f"manifests/{Name(1, 2)}.json.{Mark.QUARANTINED}"].delete()
    assert checkpoints.latest().step == 2


def test_only_bad_ones_are_for_a_person_to_decide(address, make):
    checkpoints = begun(address)
    save(checkpoints, make(1), 2)
    damage_manifest(address)
    for _ in range(2):
        with pytest.raises(NoValidCheckpointError, match=str(Name(1, 2))):
            checkpoints.latest()


def test_one_of_a_newer_release_is_neither_skipped_nor_pruned(address, make):
    checkpoints = begun(address)
    for step in (1, 2):
        save(checkpoints, make(step), step)
    pieces(address)[f"manifests/{Name(1, 2)}.json"].write(b'{"formatVersion":2}')
    for act in (checkpoints.latest, checkpoints.prune):
        with pytest.raises(NewerFormatError, match="format version 2"):
            act()
    assert not [name for name in pieces(address) if name.endswith(Mark.QUARANTINED)]


def test_names_the_step_that_is_not_there(address, make, tmp_path):
    checkpoints = begun(address)
    save(checkpoints, make(1), 1)
    with pytest.raises(CheckpointError, match="no checkpoint of step 9"):
        checkpoints.restore(tmp_path / "restored", step=9)
