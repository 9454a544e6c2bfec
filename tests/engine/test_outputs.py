"""What a stack tells its users."""

import json

import jsonschema
import pytest

from hybrid_pools.blueprint.contract import Contract
from lab.paths import CHECKOUT
from tests.engine.conftest import World

pytestmark = pytest.mark.engine


def test_the_contract_of_an_up_stack_fits_its_schema_and_names_what_was_made(world: World) -> None:
    world.declare("local")
    assert world.up("local").ok
    promised = world.engine.outputs("local")["contract"]
    jsonschema.validate(promised, json.loads((CHECKOUT / "docs/schema/contract.v1.schema.json").read_text()))
    contract = Contract.model_validate(promised)
    assert {pool.name: pool.node_pool for pool in contract.pools} == {name: made["name"] for name, made in world.pools().items()}
    for pool in contract.pools:
        effective = world.pools()[pool.name]["nodeConfig"]["effectiveTaints"]
        assert {(t["key"], t["value"]) for t in effective} == {(t.key, t.value) for t in pool.tolerations}
