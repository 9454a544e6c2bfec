"""`docs/contract.md`: what a stack promises to the teams that use it."""

import json

from hybrid_pools.blueprint.contract import CONTRACT_VERSION, Contract, contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.documents.keys import keys, keys_table
from hybrid_pools.documents.markdown import document
from hybrid_pools.documents.schemas import contract_schema


def render(example: Blueprint) -> str:
    """The document.

    Args:
        example: Environment to show. Physical names and the endpoint, which only a real stack has, are made up.
    """
    schema = contract_schema()
    return document(
        "Contract",
        "`hybrid_pools/blueprint/contract.py`",
        f"The stack output `contract`, version {CONTRACT_VERSION}, tells training teams where a job may run and within which limits. "
        "It holds no secret. Read it with `pulumi stack output contract --json --stack NAME`, or its pools as a table with "
        "`hybrid-pools pools --stack NAME`. Every command that needs one takes `--stack NAME` or `--contract FILE`.",
        "Its [schema](schema/contract.v1.schema.json) is part of the promise: a new field is a minor change, while a field that is "
        "removed, renamed or changes its meaning raises `contractVersion`. What has no value is left out.",
        "## Fields",
        keys_table(keys(schema, schema["$defs"])),
        f"## Example: {example.environment.name}",
        "Physical names end in digits that Pulumi chooses, so never write one down: read the contract.",
        f"```json\n{json.dumps(shown_contract(example).model_dump(mode='json', exclude_none=True), indent=2)}\n```",
    )


def shown_contract(example: Blueprint) -> Contract:
    """The contract of an environment with made-up physical names."""
    name = example.environment.name
    return contract(
        example,
        cluster=f"{name}-cluster-0a1b2c3",
        endpoint=f"gke-0a1b2c3d4e5f-{example.environment.region}.gke.example",
        node_pools={pool.name: f"{pool.name}-pool-0a1b2c3" for pool in example.pools},
        buckets={bucket.kind: f"{bucket.name_stem}-0a1b2c3" for bucket in example.buckets},
    )
