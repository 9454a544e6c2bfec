"""The project with stack files of a test's own: program and pack are the real ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.vocabulary import PROJECT
from lab.paths import CHECKOUT
from tests.environments import sections_of


def write_stack(folder: Path, name: str, sections: dict[str, Any]) -> None:
    """Write a stack file."""
    config = {f"{PROJECT}:{section}": value for section, value in sections.items()}
    (folder / "stacks" / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": config}, sort_keys=False))


def make_project(folder: Path) -> Path:
    """A folder that the engine takes for the project, with no stack file yet."""
    (folder / "stacks").mkdir(parents=True)
    for shared in ("Pulumi.yaml", "infra", "policies"):
        (folder / shared).symlink_to(CHECKOUT / shared)
    return folder


def changed(environment: str, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The sections of a checked-in stack file after a change."""
    sections = sections_of(environment)
    change(sections)
    return sections
