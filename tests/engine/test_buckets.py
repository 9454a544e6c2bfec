"""Buckets on the real engine: as declared, settled, kept where they must be kept."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.lifecycle import Action, rendered
from hybrid_pools.blueprint.vocabulary import BucketKind
from lab.google import faults
from lab.google.store import Record
from tests.engine.conftest import World
from tests.environments import blueprint_of

pytestmark = pytest.mark.engine

BUCKET = "gcp:storage/bucket:Bucket"
FOLDER = "gcp:storage/managedFolder:ManagedFolder"
NEEDED = ("environment", "network", "cluster", "pools", "teams", "buckets")


def only_buckets(change: Callable[[dict[str, Any]], None] = lambda _: None) -> Callable[[dict[str, Any]], None]:
    """Leaves out what buckets do not need, so that a stack is up in a moment."""

    def reduce(sections: dict[str, Any]) -> None:
        for name in set(sections) - set(NEEDED):
            del sections[name]
        change(sections)

    return reduce


def buckets(world: World) -> dict[str, Record]:
    """Buckets in the stand-in by kind."""
    return {record.urn.rpartition("-")[2]: record for record in world.store.resources(BUCKET)}


def assert_ok(result: Any) -> None:
    assert result.ok, result.output


def test_production_has_the_declared_buckets_and_folders_settles_and_cannot_be_destroyed(world: World) -> None:
    world.declare("prod", only_buckets())
    assert_ok(world.up("prod"))
    made = buckets(world)
    for bucket in blueprint_of("prod").buckets:
        document = made[bucket.kind].document
        assert document["location"] == bucket.location
        assert tuple(document["customPlacementConfig"]["dataLocations"]) == bucket.data_locations
        assert document["rpo"] == "ASYNC_TURBO"
        assert document["encryption"]["defaultKmsKeyName"] == bucket.key
        assert document["softDeletePolicy"]["retentionDurationSeconds"] == bucket.soft_delete_seconds
        kept = [rule for rule in document["lifecycleRules"] if rule["action"]["type"] != Action.ABORT_UPLOAD]
        assert kept == [rendered(rule) for rule in bucket.lifecycle if rule.action is not Action.ABORT_UPLOAD]
    folders = {(record.document["bucket"], record.document["name"]) for record in world.store.resources(FOLDER)}
    assert folders == {(made[bucket.kind].id, name) for bucket in blueprint_of("prod").buckets for name in bucket.folders.values()}
    assert_ok(world.engine.preview("prod", "--expect-no-changes"))
    assert_ok(world.engine.refresh("prod", "--expect-no-changes"))

    refused = world.engine.destroy("prod")
    assert not refused.ok
    assert "protected" in refused.output
    assert buckets(world).keys() == made.keys()


def test_the_contract_names_the_buckets_that_were_made_and_every_team_s_place_in_them(world: World) -> None:
    world.declare("staging", only_buckets())
    assert_ok(world.up("staging"))
    promised = Contract.model_validate(world.engine.outputs("staging")["contract"])
    assert {bucket.kind: bucket.url for bucket in promised.buckets} == {
        BucketKind(kind): record.document["url"] for kind, record in buckets(world).items()
    }
    made = {f"gs://{record.document['bucket']}/{record.document['name']}" for record in world.store.resources(FOLDER)}
    assert {prefix for team in promised.teams for prefix in team.prefixes.values()} == made


def test_a_longer_history_is_set_in_place_and_an_unprotected_stack_leaves_no_bucket(world: World) -> None:
    world.declare("local", only_buckets())
    assert_ok(world.up("local"))
    before = {kind: record.id for kind, record in buckets(world).items()}

    def longer(sections: dict[str, Any]) -> None:
        sections["buckets"] = {"checkpoints": {"versioning": {"keepVersions": 9, "keepDays": 99}, "softDeleteDays": 7}}

    world.declare("local", only_buckets(longer))
    assert_ok(world.up("local"))
    after = buckets(world)
    assert {kind: record.id for kind, record in after.items()} == before
    condition = after["checkpoints"].document["lifecycleRules"][0]["condition"]
    assert (condition["numNewerVersions"], condition["daysSinceNoncurrentTime"]) == (9, 99)
    assert_ok(world.engine.preview("local", "--expect-no-changes"))
    assert_ok(world.engine.destroy("local"))
    assert world.store.resources() == []


def test_a_bucket_that_is_taken_out_of_production_is_left_where_it_is(world: World) -> None:
    world.declare("prod", only_buckets())
    assert_ok(world.up("prod"))
    kept = {record.id for record in buckets(world).values()}

    def without(sections: dict[str, Any]) -> None:
        del sections["buckets"]

    world.declare("prod", only_buckets(without))
    refused = world.up("prod")
    assert not refused.ok
    assert "protected" in refused.output

    for name in BucketKind:
        urn = next(r["urn"] for r in world.engine.state("prod")["deployment"]["resources"] if r["urn"].endswith(f"::prod-{name}"))
        assert_ok(world.engine.run("state", "unprotect", urn, "--stack", "prod", "--yes"))
    assert_ok(replace(world.engine, policy_pack=None).up("prod"))
    assert {record.id for record in buckets(world).values()} == kept


def test_a_lost_answer_leaves_no_second_bucket(world: World) -> None:
    world.declare("local", only_buckets())
    world.store.add_fault(faults.lost_answer("Bucket", "*checkpoints*"))
    assert not world.up("local").ok
    assert_ok(world.up("local"))
    assert len(world.store.resources(BUCKET)) == len(BucketKind)
    assert_ok(world.engine.preview("local", "--expect-no-changes"))
