"""What is refused before anything is made."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.google import faults
from lab.google.store import Record, Store
from tests.engine.conftest import World

pytestmark = pytest.mark.engine

CLUSTER = "gcp:container/cluster:Cluster"


class TestAWrongConfiguration:
    def test_is_told_with_every_problem_and_registers_nothing(self, world: World) -> None:
        def break_it(sections: dict[str, Any]) -> None:
            sections["pools"]["train-l4"]["zones"] = ["us-central1-a", "europe-west4-a"]
            sections["pools"]["buffer-l4"]["machinType"] = sections["pools"]["buffer-l4"].pop("machineType")

        world.declare("local", break_it)
        refused = world.engine.up("local")
        assert not refused.ok
        for part in (
            "stacks/Pulumi.local.yaml",
            "pools.train-l4.zones[1] = europe-west4-a",
            "did you mean machineType",
            "allowed:",
            "fix:",
        ):
            assert part in refused.output
        assert "Traceback" not in refused.output
        assert world.store.resources() == []
        assert only_the_stack(world)

    def test_with_an_encrypted_value_is_refused_without_showing_it(self, world: World) -> None:
        world.declare("local")
        world.engine.select_or_init("local")
        assert world.engine.run("config", "set", "--secret", "--path", "environment.team", "hush-hush", "--stack", "local").ok
        copy = world.engine.lab.workspace / "stacks" / "Pulumi.local.yaml"
        (world.project / "stacks" / "Pulumi.local.yaml").write_text(copy.read_text())
        refused = world.engine.up("local")
        assert not refused.ok
        assert "encrypted value" in refused.output
        assert "hush-hush" not in refused.output
        assert world.store.resources() == []


class TestAMandatoryViolation:
    def test_stops_an_up_before_anything_is_created(self, world: World, tmp_path: Path) -> None:
        world.declare("local")
        settings = tmp_path / "policies.json"
        settings.write_text('{"POOL-008": {"enforcementLevel": "mandatory", "maxNodes": 1}}')
        refused = world.engine.up("local", "--policy-pack-config", str(settings))
        assert not refused.ok
        assert "POOL-008" in refused.output
        assert world.store.resources() == []

    def test_is_found_in_a_state_file_as_well(self, world: World, tmp_path: Path) -> None:
        world.declare("local")
        assert replace(world.engine, policy_pack=None).up("local").ok
        state = tmp_path / "state.json"
        exported = world.engine.run("stack", "export", "--stack", "local", "--file", str(state))
        assert exported.ok, exported.output
        pack = str(world.project / "policies")
        fine = world.engine.run("policy", "analyze", "--policy-pack", pack, "--file", str(state))
        assert fine.ok, fine.output
        state.write_text(state.read_text().replace("GKE_METADATA", "GCE_METADATA"))
        found = world.engine.run("policy", "analyze", "--policy-pack", pack, "--file", str(state))
        assert not found.ok
        assert "GKE_METADATA" in found.output


class TestAnExistingCluster:
    def test_is_extended_with_pools_and_left_alone(self, world: World) -> None:
        self.make_cluster(world)
        before = world.store.resources(CLUSTER)
        self.declare_adoption(world, "1.35.1")
        done = world.engine.up("local")
        assert done.ok, done.output
        assert {pool["cluster"] for pool in world.pools().values()} == {"shared"}
        assert world.engine.outputs("local")["contract"]["cluster"]["name"] == "shared"
        assert world.engine.preview("local", "--expect-no-changes").ok
        assert world.engine.destroy("local").ok
        assert [r.id for r in world.store.resources(CLUSTER)] == [r.id for r in before]

    def test_that_is_too_old_is_refused_at_preview_with_the_reason(self, world: World) -> None:
        self.make_cluster(world)
        self.declare_adoption(world, "1.99.1")
        refused = world.engine.preview("local")
        assert not refused.ok
        assert "minimumVersion says 1.99.1" in refused.output
        assert "Traceback" not in refused.output

    def test_that_is_not_there_is_told_in_one_message(self, world: World) -> None:
        self.declare_adoption(world, "1.35.1")
        refused = world.engine.up("local")
        assert not refused.ok
        assert "hybrid-node-pools:cluster.existing.name = shared" in refused.output
        assert "Traceback" not in refused.output
        assert world.store.resources() == []

    def declare_adoption(self, world: World, version: str) -> None:
        def adopt(sections: dict[str, Any]) -> None:
            sections["cluster"] = {"existing": {"name": "shared", "minimumVersion": version}}
            del sections["network"]

        world.declare("local", adopt)

    def make_cluster(self, world: World) -> None:
        """Somebody else's cluster: made by a stack of its own, then renamed as if Pulumi had never seen it."""
        world.declare("local")
        done = replace(world.engine, policy_pack=None).up("local")
        assert done.ok, done.output
        (made,) = world.store.resources(CLUSTER)
        document = {**made.document, "name": "shared"}
        assert world.engine.destroy("local").ok
        world.store.put(Record(CLUSTER, made.id.rpartition("/")[0] + "/shared", document))


def only_the_stack(world: World) -> bool:
    resources = world.engine.state("local")["deployment"].get("resources") or []
    return {resource["type"] for resource in resources} <= {"pulumi:pulumi:Stack"}


def test_a_second_engine_on_one_stack_is_told_that_the_first_one_works(world: World) -> None:
    world.declare("local")
    world.engine.select_or_init("local")
    world.store.add_fault(faults.slow(0.3, method="create"))
    first = world.engine.start("up", "--yes", "--skip-preview", "--stack", "local")
    store = Store(world.engine.lab.store)
    while not store.operations() and first.poll() is None:
        pass
    second = world.engine.run("up", "--yes", "--skip-preview", "--stack", "local")
    assert not second.ok
    assert "currently locked" in second.output
    store.clear_faults()
    first.communicate(timeout=120)
    assert first.returncode == 0
