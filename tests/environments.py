"""The checked-in stack files, read as the program reads them."""

from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import PROJECT

STACKS = Path(__file__).parents[1] / "stacks"
ENVIRONMENTS = ("local", "dev", "staging", "prod")


def sections_of(environment: str) -> dict[str, Any]:
    """The raw sections of a stack file, free to be changed by a test."""
    config = yaml.safe_load((STACKS / f"Pulumi.{environment}.yaml").read_text())["config"]
    return {key.removeprefix(f"{PROJECT}:"): value for key, value in config.items()}


def blueprint_of(environment: str) -> Blueprint:
    """The blueprint of a checked-in environment."""
    return derive(check(f"stacks/Pulumi.{environment}.yaml", sections_of(environment)))
