"""The protocol under every order of operations that hypothesis thinks of, with processes killed and answers lost anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.training.checkpoints.layout import Mark, Name
from tests.hybrid_pools.training.checkpoints.double import Actor, Fate
from tests.hybrid_pools.training.checkpoints.world import LAYOUT, World, pruner, reader, worker, writer

_OPERATIONS = 4000

CASTS = {
    "two writers, a pruner, a reader": {"a": writer("a"), "b": writer("b"), "pruner": pruner(1), "reader": reader()},
    "three writers in a row": {"a": writer("a", 3), "b": writer("b", 3), "c": writer("c", 1), "pruner": pruner(2)},
    "two pruners": {"a": writer("a", 4), "pruner": pruner(1, 3), "other pruner": pruner(1, 3), "reader": reader(2)},
    "a hasty pruner": {"a": writer("a", 3), "b": writer("b"), "pruner": pruner(1, 3, unfinished_seconds=-1), "reader": reader(2)},
    "a gang": {"a0": writer("a", 2, workers=2), "a1": worker("a", 1, range(1, 3), 2), "reader": reader(2)},
    "a gang and its successor": {
        "a0": writer("a", 2, workers=2),
        "a1": worker("a", 1, range(1, 3), 2),
        "b": writer("b"),
        "pruner": pruner(1),
    },
}


@pytest.mark.parametrize("cast", CASTS.values(), ids=CASTS)
@given(data=st.data())
def test_what_is_published_is_whole_and_never_lost(cast, data):
    with World() as world:
        for name, work in cast.items():
            world.add(name, work)
        run(world, data)
        world.check_errors()
        world.check_end()


def run(world: World, data: st.DataObject) -> None:
    """Bursts of operations of one actor, so that another stands still for long in the middle of what it does."""
    left = _OPERATIONS
    while left and (waiting := [actor for actor in world.actors if not actor.ended]):
        asleep = [actor for actor in waiting if actor.waits]
        if asleep == waiting and not any(wakes(actor) for actor in asleep):
            return  # they wait for one that was killed
        actor = data.draw(st.sampled_from([actor for actor in waiting if actor not in asleep] + asleep))
        burst = data.draw(st.sampled_from([60, 20, 8, 5, 3, 2, 1, 1]))
        fate = data.draw(st.sampled_from([Fate.DONE] * 12 + [Fate.LOST] * 2 + [Fate.KILLED_BEFORE, Fate.KILLED_AFTER]))
        left -= step(actor, min(burst, left), fate)
    assert left, "it never comes to an end"


def wakes(actor: Actor) -> bool:
    """Whether an actor that waits for others finds what it waits for."""
    for _ in range(6):
        if not actor.ended:
            actor.step()
    return actor.ended or not actor.waits


def step(actor: Actor, burst: int, fate: Fate) -> int:
    for count in range(burst):
        if actor.ended:
            return count
        actor.step(fate if count == burst - 1 else Fate.DONE)
    return burst


def until(actor: Actor, operation: str) -> None:
    """Up to an operation that begins like that, which is not done yet."""
    while not actor.operation.startswith(operation):
        assert not actor.ended, f"there was no {operation}"
        actor.step()


def test_a_gang_publishes_only_what_all_its_workers_have_saved():
    with World() as world:
        coordinator, other = world.add("a0", writer("a", 2, workers=2)), world.add("a1", worker("a", 1, range(1, 3), 2))
        until(coordinator, "sleep")
        until(other, f"upload {LAYOUT.folder_of(Name(1, 1))}")
        step(coordinator, 20, Fate.DONE)
        assert not world.published
        step(other, _OPERATIONS, Fate.DONE)
        step(coordinator, _OPERATIONS, Fate.DONE)
        assert world.published.keys() == {Name(1, 1), Name(1, 2)}
        world.check_errors()
        world.check_end()


def test_a_late_manifest_is_not_taken_for_the_one_to_keep():
    """It comes between the list and the seal of a take-over, and somebody prunes before the seal."""
    with World() as world:
        old, new = world.add("old", writer("a", 2)), world.add("new", writer("b", 0))
        until(old, f"write {LAYOUT.manifest(Name(1, 2))}")
        until(new, f"write {LAYOUT.lease}")
        new.step()
        until(new, f"write {LAYOUT.lease}")
        old.step()
        step(world.add("pruner", pruner(1, 1)), _OPERATIONS, Fate.DONE)
        for actor in (new, old):
            step(actor, _OPERATIONS, Fate.DONE)
        world.check_errors()
        world.check_end()
        assert world.newest_published() == Name(1, 1)


def test_what_is_published_while_somebody_marks_it_as_abandoned_stays():
    with World() as world:
        saving, pruning = world.add("writer", writer("a", 1)), world.add("pruner", pruner(1, 1, unfinished_seconds=-1))
        until(saving, f"write {LAYOUT.manifest(Name(1, 1))}")
        until(pruning, f"write {LAYOUT.mark(Name(1, 1), Mark.ABANDONED)}")
        step(saving, _OPERATIONS, Fate.DONE)
        step(pruning, _OPERATIONS, Fate.DONE)
        assert world.newest_published() == Name(1, 1)
        world.check_end()


def test_what_is_pruned_while_somebody_looks_at_it_is_not_taken_for_bad():
    with World() as world:
        writing, reading = world.add("writer", writer("a", 2)), world.add("reader", reader(1))
        until(writing, f"upload {LAYOUT.folder_of(Name(1, 2))}")
        until(reading, f"list {LAYOUT.folder_of(Name(1, 1))}")
        step(writing, _OPERATIONS, Fate.DONE)
        step(world.add("pruner", pruner(1, 1)), _OPERATIONS, Fate.DONE)
        step(reading, _OPERATIONS, Fate.DONE)
        world.check_errors()
        world.check_end()


@pytest.mark.parametrize("fate", [Fate.KILLED_BEFORE, Fate.KILLED_AFTER, Fate.LOST])
def test_a_run_survives_one_fault_at_any_operation_of_saving_and_pruning(fate):
    """Every single operation in turn, from the first to the one where nothing is left to hit."""
    cast = {"a": writer("a", 3), "pruner": pruner(1, 1, -1), "b": writer("b", 2), "other pruner": pruner(1, 1)}
    fault, operations = 0, 1
    while fault < operations:
        with World() as world:
            operations = 0
            for name, work in cast.items():
                actor = world.add(name, work)
                while not actor.ended:
                    actor.step(fate if operations == fault else Fate.DONE)
                    operations += 1
                assert actor.error is None or fate is not Fate.LOST, "a lost answer was taken for somebody else's write"
                world.check_errors()
                world.check_end()
        fault += 1
    assert fault >= 80
