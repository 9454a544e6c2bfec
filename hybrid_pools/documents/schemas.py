"""JSON Schemas: of a stack file for editors, of the contract for its users, of job descriptions for editors, and of a published checkpoint
for other tools."""

import json
from collections.abc import Mapping
from typing import Any

from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.stack_file import TOP_LEVEL_KEYS
from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract
from hybrid_pools.blueprint.vocabulary import PROJECT
from hybrid_pools.training.audit import Workload
from hybrid_pools.training.checkpoints.format import FORMAT_VERSION, Manifest
from hybrid_pools.training.description.model import VERSION, Job

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def stack_schema() -> dict[str, Any]:
    """The schema of a whole stack file.

    Keys are closed, so that an editor marks a misspelt one. What stands under Pulumi's own keys beside `config`, and configuration of other
    namespaces such as `gcp:project`, is Pulumi's business and may be anything.
    """
    sections = _tidy(StackConfiguration.model_json_schema(by_alias=True))
    return {
        "$schema": _DIALECT,
        "title": "Stack file of hybrid-node-pools",
        "description": "One environment: stacks/Pulumi.NAME.yaml. Every key is explained in docs/configuration.md.",
        "type": "object",
        "required": ["config"],
        "properties": {
            **{key: {} for key in TOP_LEVEL_KEYS},
            "config": {
                "type": "object",
                "required": [f"{PROJECT}:{name}" for name in sections["required"]],
                "properties": {f"{PROJECT}:{name}": section for name, section in sections["properties"].items()},
                "patternProperties": {rf"^(?!{PROJECT}:)[^:]+:.+$": {}},
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
        "$defs": sections["$defs"],
    }


def contract_schema() -> dict[str, Any]:
    """The schema of the stack output `contract`. Fields without a value are left out of the output."""
    schema = _tidy(Contract.model_json_schema(by_alias=True, mode="serialization"))
    return {"$schema": _DIALECT, **schema, "title": f"Contract, version {CONTRACT_VERSION}"}


def checkpoint_schema() -> dict[str, Any]:
    """The schema of the manifest that publishes a checkpoint. Fields without a value are left out of it."""
    schema = _tidy(Manifest.model_json_schema(by_alias=True, mode="serialization"))
    return {"$schema": _DIALECT, **schema, "title": f"Manifest of a checkpoint, format version {FORMAT_VERSION}"}


def job_schema() -> dict[str, Any]:
    """The schema of a job description, for editors."""
    return {"$schema": _DIALECT, **_tidy(Job.model_json_schema(by_alias=True)), "title": f"Job description, version {VERSION}"}


def audit_schema() -> dict[str, Any]:
    """The schema of a workload's segments, for editors."""
    return {"$schema": _DIALECT, **_tidy(Workload.model_json_schema(by_alias=True)), "title": "Segments of a workload, version 1"}


def schema_text(schema: Mapping[str, Any]) -> str:
    """A schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _tidy(value: Any) -> Any:
    """Without what only repeats the key or says nothing, and with mappings closed to keys that their pattern does not take."""
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {
        key: {name: _tidy(inner) for name, inner in item.items()} if key in ("properties", "$defs", "patternProperties") else _tidy(item)
        for key, item in value.items()
        if key != "title" and not (key == "default" and item is None)
    }
    if "description" in kept:
        kept["description"] = " ".join(kept["description"].split())
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    return kept
