"""The life of every checked-in stack on the real engine: up, settled, refreshed, changed, replaced, gone."""

from dataclasses import replace
from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import SPOT_TAINT, Role
from tests.engine.conftest import World
from tests.environments import ENVIRONMENTS, sections_of

pytestmark = pytest.mark.engine

NODE_POOL = "gcp:container/nodePool:NodePool"


def unprotected(sections: dict[str, Any]) -> None:
    sections["environment"]["protected"] = False


def first_pool(environment: str, role: Role) -> str:
    return next(str(name) for name, pool in sections_of(environment)["pools"].items() if pool["role"] == role)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_stack_settles_changes_in_place_replaces_new_before_old_and_leaves_nothing(world: World, environment: str) -> None:
    world.declare(environment)
    assert_ok(world.up(environment))
    made = len(world.store.operations())
    assert_ok(world.engine.preview(environment, "--expect-no-changes"))
    assert_ok(world.engine.refresh(environment, "--expect-no-changes"))
    assert_ok(world.up(environment, "--expect-no-changes"))
    assert [op.method for op in world.store.operations()[made:] if op.method != "read"] == []

    changes_in_place(world, environment)
    replaces_new_before_old(world, environment)

    # The pack keeps production protected, so taking the protection away is done without it, on purpose and in a run of its own.
    world.declare(environment, unprotected)
    assert_ok(replace(world.engine, policy_pack=None).up(environment, "--skip-preview"))
    assert_ok(world.engine.destroy(environment))
    assert world.store.resources() == []


def changes_in_place(world: World, environment: str) -> None:
    spot = first_pool(environment, Role.SPOT)

    def change(sections: dict[str, Any]) -> None:
        pool = sections["pools"][spot]
        pool["limits"]["total"]["maximum"] += 1
        pool["labels"] = {"acme.example/wave": "2"}
        pool["taints"] = {"acme.example/only": {"value": "wave", "effect": "NoSchedule"}}

    before = world.pools()[spot]
    world.declare(environment, change)
    assert_ok(world.up(environment))
    after = world.pools()[spot]
    assert after["name"] == before["name"]
    assert after["autoscaling"]["totalMaxNodeCount"] == before["autoscaling"]["totalMaxNodeCount"] + 1
    assert after["nodeConfig"]["labels"]["acme.example/wave"] == "2"
    assert {taint["key"] for taint in after["nodeConfig"]["taints"]} >= {"acme.example/only"}
    assert_ok(world.engine.preview(environment, "--expect-no-changes"))


def replaces_new_before_old(world: World, environment: str) -> None:
    spot = next(
        name for name, pool in sections_of(environment)["pools"].items() if pool["machineType"] in MOVES and pool["role"] == Role.SPOT
    )

    def change(sections: dict[str, Any]) -> None:
        pool = sections["pools"][spot]
        pool["machineType"] = MOVES[pool["machineType"]]
        pool.pop("localSsd", None)
        pool.get("accelerator", {}).pop("partition", None)
        if not pool.get("accelerator", True):
            del pool["accelerator"]

    before = world.pools()[spot]
    done = len(world.store.operations())
    world.declare(environment, change)
    assert_ok(world.up(environment))
    moves = [(op.method, op.id.rpartition("/")[2]) for op in world.store.operations()[done:] if op.type == NODE_POOL and spot in op.urn]
    assert [method for method, _ in moves if method in ("create", "delete")] == ["create", "delete"]
    assert moves[-1] == ("delete", before["name"])
    assert world.pools()[spot]["name"] != before["name"]


MOVES = {
    "g2-standard-24": "g2-standard-48",
    "g2-standard-8": "g2-standard-12",
    "a2-highgpu-1g": "a2-highgpu-2g",
    "a2-highgpu-8g": "a2-highgpu-4g",
}
"""Spot machines to move from and to; all within the zones of the stack files."""


def test_a_spot_pool_carries_its_taint_from_the_first_moment(world: World) -> None:
    world.declare("local")
    assert_ok(world.up("local"))
    taints = world.pools()[first_pool("local", Role.SPOT)]["nodeConfig"]["taints"]
    assert taints == [{"key": SPOT_TAINT.key, "value": SPOT_TAINT.value, "effect": SPOT_TAINT.effect.google}]


def test_a_change_that_would_replace_a_protected_stable_pool_is_refused_at_preview(world: World) -> None:
    world.declare("prod")
    assert_ok(world.up("prod"))
    stable = first_pool("prod", Role.STABLE)
    done = len(world.store.operations())

    def change(sections: dict[str, Any]) -> None:
        sections["pools"][stable]["machineType"] = "e2-standard-16"

    world.declare("prod", change)
    refused = world.engine.preview("prod")
    assert not refused.ok
    assert "marked for protection" in refused.output
    assert f"{stable}-pool" in refused.output
    assert [op for op in world.store.operations()[done:] if op.method != "read"] == []


def test_what_the_schedule_changed_on_a_buffer_survives_an_up_and_a_refresh(world: World) -> None:
    world.declare("local")
    assert_ok(world.up("local"))
    buffer = first_pool("local", Role.BUFFER)
    record = next(r for r in world.store.resources(NODE_POOL) if r.urn.endswith(f"::{buffer}-pool"))
    world.store.change(record.id, "autoscaling.totalMinNodeCount", 3)
    world.store.change(record.id, "autoscaling.totalMaxNodeCount", 9)
    world.store.change(record.id, "nodeCount", 2)

    def change(sections: dict[str, Any]) -> None:
        sections["pools"][buffer]["labels"] = {"acme.example/wave": "2"}

    world.declare("local", change)
    assert_ok(world.engine.refresh("local"))
    assert_ok(world.up("local"))
    after = world.pools()[buffer]
    assert after["nodeConfig"]["labels"]["acme.example/wave"] == "2"
    assert (after["autoscaling"]["totalMinNodeCount"], after["autoscaling"]["totalMaxNodeCount"], after["nodeCount"]) == (3, 9, 2)


def assert_ok(result: Any) -> None:
    assert result.ok, result.output
