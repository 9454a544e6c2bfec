"""What happens when Google does not do what it is asked."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.google import faults
from lab.google.store import Fault
from lab.recovery import recover
from tests.engine.conftest import World
from tests.engine.slow_pack import slow_pack

pytestmark = pytest.mark.engine

NODE_POOL = "gcp:container/nodePool:NodePool"


def test_one_pool_of_three_out_of_stock_holds_no_other_up_and_a_rerun_completes(world: World) -> None:
    world.declare("local")
    world.store.add_fault(faults.stock_out("train-*"))
    failed = world.up("local")
    assert not failed.ok
    assert "ZONE_RESOURCE_POOL_EXHAUSTED" in failed.output
    assert "train-l4-pool: Google has no such machines" in failed.output
    assert "run the same command again" in failed.output
    assert "Traceback" not in failed.output
    states = {record.urn.rpartition("::")[2]: record.status for record in world.store.resources(NODE_POOL)}
    assert states == {"services-pool": "RUNNING", "train-l4-pool": "ERROR", "buffer-l4-pool": "RUNNING"}

    world.store.clear_faults()
    assert world.up("local").ok
    assert [record.status for record in world.store.resources(NODE_POOL)] == ["RUNNING"] * 3
    assert world.engine.preview("local", "--expect-no-changes").ok


def test_a_refusal_that_comes_before_the_next_pool_is_registered_does_not_hold_it_up(world: World, tmp_path: Path) -> None:
    world.declare("local")
    world.store.add_fault(faults.stock_out("train-*"))
    # The engine asks the pack about one resource after the other, before it begins each.
    slow = replace(world.engine, policy_pack=slow_pack(tmp_path / "slow", NODE_POOL, seconds=1))
    assert not slow.up("local", "--skip-preview").ok
    assert world.pools().keys() == {"services", "train-l4", "buffer-l4"}


@pytest.mark.parametrize(
    ("fault", "way_on"),
    [
        (faults.quota_exceeded("NVIDIA_L4_GPUS", name="train-*"), "Ask for the quota"),
        (faults.permission_denied("NodePool", "train-*"), "Grant it"),
    ],
)
def test_a_refusal_names_the_pool_and_the_way_on_and_a_rerun_completes(world: World, fault: Fault, way_on: str) -> None:
    world.declare("local")
    world.store.add_fault(fault)
    failed = world.up("local")
    assert not failed.ok
    assert "train-l4-pool" in failed.output
    assert way_on in failed.output
    world.store.clear_faults()
    assert world.up("local").ok
    assert_state_and_store_agree(world)


def test_an_operation_of_somebody_else_on_the_cluster_is_waited_for(world: World) -> None:
    world.declare("local")
    world.store.add_fault(faults.busy(times=2))
    done = world.up("local")
    assert done.ok, done.output
    assert_state_and_store_agree(world)


def test_a_lost_answer_leaves_no_duplicate(world: World) -> None:
    world.declare("local")
    world.store.add_fault(faults.lost_answer("NodePool", "train-*"))
    first = world.up("local")
    if not first.ok:
        recover(world.engine, "local")
        assert world.up("local").ok
    assert_state_and_store_agree(world)
    assert len(world.store.resources(NODE_POOL)) == 3


def test_an_account_that_google_does_not_see_yet_is_waited_for(world: World) -> None:
    world.declare("local")
    world.store.add_fault(faults.account_unseen(times=1))
    done = world.up("local")
    assert done.ok, done.output
    assert "does not see the account yet" in done.output


@pytest.mark.parametrize("nth", [1, 4, 8, 11, 14, 17, 19, 20, 21, 22])
def test_an_engine_killed_at_any_point_is_recovered_with_nothing_made_twice(world: World, nth: int) -> None:
    """Killed while the nth creation is under way: sent off, and held up at Google for longer than the engine lives."""
    world.declare("local")
    world.store.add_fault(faults.slow(0.15, method="create"))
    world.engine.select_or_init("local")
    process = world.engine.start("up", "--yes", "--skip-preview", "--stack", "local")
    deadline = time.monotonic() + 60
    while creations(world) < nth and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert creations(world) >= nth
    world.store.clear_faults()

    recover(world.engine, "local")
    assert_state_and_store_agree(world)
    done = world.up("local")
    assert done.ok, done.output
    assert_state_and_store_agree(world)
    urns = [record.urn for record in world.store.resources()]
    assert len(urns) == len(set(urns))
    assert world.engine.preview("local", "--expect-no-changes").ok


def creations(world: World) -> int:
    return sum(op.method == "create" for op in world.store.operations())


def assert_state_and_store_agree(world: World) -> None:
    resources: list[dict[str, Any]] = world.engine.state("local")["deployment"].get("resources", [])
    in_state = {r["urn"] for r in resources if r["type"].startswith("gcp:")}
    assert in_state == {record.urn for record in world.store.resources()}


def test_a_lost_answer_of_a_plain_pulumi_up_is_refused_a_second_time_and_adopted_by_recovery(world: World) -> None:
    """Outside the lab nobody reads the engine's events: the state has forgotten the pool, and only its name keeps it from a twin."""
    world.declare("local")
    world.engine.select_or_init("local")
    world.store.add_fault(faults.lost_answer("NodePool", "train-*"))
    plain = ("up", "--yes", "--skip-preview", "--stack", "local")
    assert not world.engine.run(*plain).ok
    again = world.engine.run(*plain)
    assert not again.ok
    assert "Google has it already" in again.output
    recover(world.engine, "local")
    done = world.engine.run(*plain)
    assert done.ok, done.output
    assert_state_and_store_agree(world)
    assert len(world.store.resources(NODE_POOL)) == 3
