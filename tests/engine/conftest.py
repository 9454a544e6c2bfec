"""Fixtures of tests on the real engine with the stand-in for Google's API."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab.engine import Engine, Result
from lab.google.store import Store
from tests.conftest import MakeEngine
from tests.engine.project import changed, make_project, write_stack

INSIDE_THE_CLUSTER = ("kubernetes", "queues")
"""Sections of a stack file on what is inside the cluster."""


@dataclass(frozen=True)
class World:
    """One project, one engine, one stand-in.

    Attributes:
        control_plane: Whether a Kubernetes control plane runs behind the stand-in's clusters. Without one nothing inside them is declared.
    """

    project: Path
    engine: Engine
    store: Store
    control_plane: bool = False

    def declare(self, environment: str, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
        """Write the stack file of a checked-in environment, changed."""
        sections = changed(environment, change)
        if not self.control_plane:
            for name in INSIDE_THE_CLUSTER:
                sections.pop(name, None)
        write_stack(self.project, environment, sections)

    def up(self, environment: str, *arguments: str) -> Result:
        """Bring the stack up without a preview first, which takes as long again; `test_refusals` looks at previews."""
        return self.engine.up(environment, "--skip-preview", *arguments)

    def pools(self) -> dict[str, dict[str, Any]]:
        """Node pools in the stand-in by the name of their pool."""
        found = self.store.resources("gcp:container/nodePool:NodePool")
        return {record.urn.rpartition("::")[2].removesuffix("-pool"): record.document for record in found}


@pytest.fixture
def world(tmp_path: Path, lab_engine: MakeEngine) -> Iterator[World]:
    """An engine on an empty stand-in, guarded by the pack."""
    project = make_project(tmp_path / "project")
    engine = lab_engine(project, policy_pack=project / "policies")
    engine.lab.store.parent.mkdir(parents=True, exist_ok=True)
    store = Store(engine.lab.store)
    yield World(project, engine, store)
    store.close()
