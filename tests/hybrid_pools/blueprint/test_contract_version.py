"""A change of the contract is a decision about its version, never an accident."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract
from tests.hybrid_pools.blueprint.contract_changes import additions, breaking_changes

STORED = Path(__file__).parents[3] / "docs" / "schema" / f"contract.v{CONTRACT_VERSION}.schema.json"


def schema_of_the_model() -> dict[str, Any]:
    return Contract.model_json_schema(by_alias=True, mode="serialization")


def stored_schema() -> dict[str, Any]:
    assert STORED.exists(), f"{STORED.name} is not there. Run `make docs` and commit it with the new version."
    schema: dict[str, Any] = json.loads(STORED.read_text())
    return schema


class TestTheContract:
    def test_breaks_nobody_without_a_new_version(self):
        broken = breaking_changes(stored_schema(), schema_of_the_model())
        assert not broken, (
            f"The contract of version {CONTRACT_VERSION} changed for its readers: {'; '.join(broken)}. "
            "Take the change back or add a new optional property beside the old one; if it must be, raise CONTRACT_VERSION in "
            "hybrid_pools/blueprint/contract.py, run `make docs` and keep the schema of the old version."
        )

    def test_is_documented_as_it_is(self):
        added = additions(stored_schema(), schema_of_the_model())
        assert not added, f"{', '.join(added)} is not in {STORED.name} yet. Run `make docs`."


OLD: dict[str, Any] = {
    "type": "object",
    "required": ["name", "pools"],
    "additionalProperties": False,
    "properties": {
        "contractVersion": {"const": 1, "default": 1, "type": "integer"},
        "name": {"type": "string", "description": "Name."},
        "seconds": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "pools": {"type": "array", "items": {"$ref": "#/$defs/Pool"}},
        "selector": {"type": "object", "additionalProperties": {"type": "string"}},
        "limits": {"anyOf": [{"$ref": "#/$defs/Limits"}, {"type": "null"}], "default": None},
    },
    "$defs": {
        "Pool": {"type": "object", "required": ["role"], "properties": {"role": {"$ref": "#/$defs/Role"}}},
        "Role": {"enum": ["spot", "stable"], "type": "string"},
        "Limits": {"type": "object", "required": [], "properties": {"maximum": {"type": "integer", "minimum": 0}}},
    },
}


def changed(*path: str, to: Any = None) -> dict[str, Any]:
    """The old schema with one thing replaced, or removed where `to` is None."""
    new = copy.deepcopy(OLD)
    inner: Any = new
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return new


class TestABreakingChange:
    @pytest.mark.parametrize(
        ("new", "said"),
        [
            (changed("properties", "name"), "contract.name was removed or renamed"),
            (changed("properties", "seconds"), "contract.seconds was removed or renamed"),
            (changed("properties", "name", to={"type": "integer"}), "contract.name was of type string and is of type integer"),
            (changed("properties", "seconds", "anyOf", to=[{"type": "integer"}]), "contract.seconds was"),
            (changed("properties", "seconds", to={"type": "integer"}), "contract.seconds was"),
            (changed("properties", "contractVersion", "const", to=2), "contract.contractVersion was of const 1"),
            (changed("required", to=["name", "pools", "seconds"]), "contract.seconds is newly required"),
            (changed("required", to=["name"]), "contract.pools is no longer always there"),
            (changed("$defs", "Role", "enum", to=["spot"]), "contract.pools[].role can no longer be stable"),
            (changed("$defs", "Pool", "properties", "role"), "contract.pools[].role was removed or renamed"),
            (changed("$defs", "Pool", "required", to=["role", "zone"]), "contract.pools[].zone is newly required"),
            (changed("$defs", "Limits", "properties", "maximum", "minimum", to=1), "contract.limits.maximum was of minimum 0"),
            (changed("$defs", "Limits", "properties", "maximum"), "contract.limits.maximum was removed or renamed"),
            (changed("properties", "pools", "items"), "contract.pools[] was"),
            (changed("properties", "selector", "additionalProperties", to={"type": "integer"}), "contract.selector.* was of type string"),
        ],
    )
    def test_is_found_wherever_it_hides(self, new: dict[str, Any], said: str):
        assert any(said in change for change in breaking_changes(OLD, new))

    def test_is_a_new_property_that_older_contracts_lack(self):
        new = changed("properties", "region", to={"type": "string"}) | {"required": ["name", "pools", "region"]}
        assert breaking_changes(OLD, new) == ["contract.region is newly required: contracts written before do not have it"]
        assert additions(OLD, new) == []


class TestAMinorChange:
    @pytest.mark.parametrize(
        ("new", "added"),
        [
            (changed("properties", "region", to={"type": "string"}), ["contract.region"]),
            (changed("$defs", "Pool", "properties", "zone", to={"type": "string"}), ["contract.pools[].zone"]),
            (changed("$defs", "Limits", "properties", "minimum", to={"type": "integer"}), ["contract.limits.minimum"]),
            (changed("$defs", "Role", "enum", to=["spot", "stable", "buffer"]), []),
            (changed("properties", "name", "description", to="Other words."), []),
            (changed("properties", "contractVersion", "default", to=2), []),
            (OLD, []),
        ],
    )
    def test_breaks_nobody_and_is_told(self, new: dict[str, Any], added: list[str]):
        assert breaking_changes(OLD, new) == []
        assert additions(OLD, new) == added
