"""The stack's configuration as Pulumi hands it to the program."""

import json
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.blueprint.vocabulary import PROJECT


def blueprint_of_stack() -> Blueprint:
    """Read, check and derive.

    Raises:
        pulumi.RunError: With every problem of the configuration; nothing has been registered then.
    """
    prefix = f"{PROJECT}:"
    given = {**get_config_env(), **CONFIG.get()}
    names = [key.removeprefix(prefix) for key in given if key.startswith(prefix)]
    secrets = [name for name in names if pulumi.runtime.is_config_secret(f"{prefix}{name}")]
    sections = {name: _parsed(str(given[f"{prefix}{name}"])) for name in names}
    try:
        return derive(check(f"stacks/Pulumi.{pulumi.get_stack()}.yaml", sections, secrets))
    except ConfigurationError as error:
        raise pulumi.RunError(error.text()) from None


def _parsed(text: str) -> Any:
    """Structured values come as JSON; anything else is a plain string and is judged as one."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
