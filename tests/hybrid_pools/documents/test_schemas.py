"""The schemas take what the program takes, and mark what it refuses."""

import copy
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from hybrid_pools.blueprint.contract import contract
from hybrid_pools.blueprint.vocabulary import PROJECT
from hybrid_pools.documents.schemas import checkpoint_schema, contract_schema, stack_schema
from hybrid_pools.training.checkpoints.format import Manifest
from tests.environments import ENVIRONMENTS, STACKS, blueprint_of
from tests.strategies import blueprints, sections

STACK = Draft202012Validator(stack_schema())
CONTRACT = Draft202012Validator(contract_schema())
CHECKPOINT = Draft202012Validator(checkpoint_schema())


def stack_file(environment: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((STACKS / f"Pulumi.{environment}.yaml").read_text())
    return content


@pytest.mark.parametrize("schema", [stack_schema(), contract_schema(), checkpoint_schema()], ids=["stack", "contract", "checkpoint"])
def test_is_a_schema(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)


class TestStackSchema:
    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_takes_every_stack_file(self, environment):
        STACK.validate(stack_file(environment))

    @given(sections())
    @settings(max_examples=50)
    def test_takes_every_configuration_that_the_rules_accept(self, made):
        STACK.validate({"config": {f"{PROJECT}:{name}": section for name, section in made.items()}})

    def test_takes_the_settings_of_pulumi_and_of_other_namespaces(self):
        content = stack_file("prod") | {"secretsprovider": "gcpkms://key", "encryptedkey": "a2V5", "encryptionsalt": "v1:c2FsdA=="}
        content["config"]["gcp:project"] = "acme-ml-prod"
        STACK.validate(content)

    @pytest.mark.parametrize(
        ("path", "wrong", "value"),
        [
            ((), "confg", {}),
            (("config",), "hybrid-node-pools:pool", {}),
            (("config",), "pools", {}),
            (("config", "hybrid-node-pools:environment"), "reigon", "us-central1"),
            (("config", "hybrid-node-pools:network", "ranges"), "nodse", "10.0.0.0/20"),
            (("config", "hybrid-node-pools:cluster", "maintenanceWindow"), "begin", "2026-01-03T02:00:00Z"),
            (("config", "hybrid-node-pools:pools", "services"), "machine_type", "e2-standard-8"),
            (("config", "hybrid-node-pools:pools", "services"), "shutdownGrace", {"seconds": 120}),
            (("config", "hybrid-node-pools:pools", "train-a100", "limits", "total"), "maximun", 8),
            (("config", "hybrid-node-pools:pools"), "Name_That_GKE_Refuses", {}),
        ],
        ids=lambda part: part if isinstance(part, str) else None,
    )
    def test_marks_a_misspelt_or_misplaced_key(self, path, wrong, value):
        content = copy.deepcopy(stack_file("prod"))
        target = content
        for key in path:
            target = target[key]
        target[wrong] = value
        assert not STACK.is_valid(content)

    @pytest.mark.parametrize(
        ("key", "value"), [("role", "preemptible"), ("capacity", "on-demand"), ("zones", "us-central1-a"), ("zones", ["moon"])]
    )
    def test_marks_a_wrong_value_of_a_spot_pool(self, key, value):
        content = copy.deepcopy(stack_file("prod"))
        content["config"]["hybrid-node-pools:pools"]["train-a100"][key] = value
        assert not STACK.is_valid(content)


class TestContractSchema:
    @given(blueprints())
    @settings(max_examples=50)
    def test_takes_every_contract_as_the_stack_writes_it(self, blueprint):
        buckets = {bucket.kind: bucket.kind for bucket in blueprint.buckets}
        made = contract(blueprint, "cluster", "endpoint", {pool.name: pool.name for pool in blueprint.pools}, buckets=buckets)
        CONTRACT.validate(made.model_dump(mode="json", exclude_none=True))

    def test_marks_a_field_that_is_no_part_of_it(self):
        prod = blueprint_of("prod")
        buckets = {bucket.kind: bucket.kind for bucket in prod.buckets}
        made = contract(prod, "cluster", "endpoint", {pool.name: pool.name for pool in prod.pools}, buckets=buckets).model_dump(
            mode="json", exclude_none=True
        )
        assert not CONTRACT.is_valid(made | {"password": "x"})
        assert not CONTRACT.is_valid(made | {"contractVersion": 2})


class TestCheckpointSchema:
    def test_takes_a_published_manifest_and_marks_a_damaged_one(self):
        manifest = {
            "formatVersion": 1,
            "epoch": 2,
            "step": 100,
            "attempt": "a",
            "nonce": "n",
            "createdAt": "2026-01-01T00:00:00Z",
            "workers": 1,
            "position": {"sample": 25600},
            "shards": [{"name": "model", "object": "00000-n/model", "size": 1, "crc32c": "AAAAAA==", "generation": 5, "worker": 0}],
        }
        CHECKPOINT.validate(manifest)
        assert Manifest.model_validate(manifest)
        for key, value in (("epoch", 0), ("shards", []), ("extra", 1)):
            assert not CHECKPOINT.is_valid({**manifest, key: value})
