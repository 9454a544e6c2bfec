"""Monitoring on the real engine: made, settled, changed in place, and found again. That it leaves nothing is part of a stack's life."""

import json
from typing import Any

import pytest

from lab.google import faults
from lab.google.store import Record
from lab.recovery import recover
from tests.engine.conftest import World

pytestmark = pytest.mark.engine

ALERT = "gcp:monitoring/alertPolicy:AlertPolicy"
DASHBOARD = "gcp:monitoring/dashboard:Dashboard"


def named(world: World, type_: str, ending: str) -> Record:
    (found,) = [record for record in world.store.resources(type_) if record.urn.endswith(ending)]
    return found


def longer(sections: dict[str, Any]) -> None:
    sections["monitoring"]["thresholds"] = {"idleGpuMinutes": 40}


def test_monitoring_settles_names_what_was_made_and_changes_in_place(world: World) -> None:
    world.declare("local")
    made = world.up("local")
    assert made.ok, made.output
    alert, board = named(world, ALERT, "-alert-idle-gpu"), named(world, DASHBOARD, "-dashboard-overview")
    again = world.engine.preview("local", "--expect-no-changes")
    assert again.ok, again.output

    outputs = world.engine.outputs("local")
    content = board.document["dashboardJson"]
    assert f'cluster_name=\\"{outputs["clusterName"]}\\"' in content
    assert outputs["buckets"]["checkpoints"].removeprefix("gs://").split("/")[0] in content
    assert "$cluster" not in content and "$checkpoints" not in content
    assert json.loads(content)["displayName"] == "Hybrid node pools: local"
    assert outputs["contract"]["dashboards"] == [{"name": "overview", "url": outputs["dashboards"]["overview"]}]
    assert {quota["name"] for quota in outputs["quotas"]} >= {"PREEMPTIBLE_NVIDIA_L4_GPUS", "NVIDIA_L4_GPUS", "GPUS_ALL_REGIONS"}

    done = len(world.store.operations())
    world.declare("local", longer)
    changed = world.up("local")
    assert changed.ok, changed.output
    moves = {(op.method, op.id) for op in world.store.operations()[done:] if op.method != "read"}
    assert moves == {("update", alert.id), ("update", board.id)}
    (condition,) = named(world, ALERT, "-alert-idle-gpu").document["conditions"]
    assert "[40m]" in condition["conditionPrometheusQueryLanguage"]["query"]


def test_a_lost_answer_leaves_no_second_dashboard(world: World) -> None:
    """Google makes up its identifier, so the stand-in knows it by what people call it."""
    world.declare("local")
    world.store.add_fault(faults.lost_answer("Dashboard", "*"))
    assert not world.up("local").ok
    recover(world.engine, "local")
    again = world.up("local")
    assert again.ok, again.output
    assert len(world.store.resources(DASHBOARD)) == 1
    assert world.engine.preview("local", "--expect-no-changes").ok
