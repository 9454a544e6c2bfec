from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from lab.cluster import stacks
from lab.cluster.files import ClusterFiles
from lab.cluster.stacks import moved_clusters, needs_cluster, release, serve, serve_if_up
from lab.engine import Engine
from lab.errors import LabError
from lab.paths import Lab

CLUSTER = "gcp:container/cluster:Cluster"


def cluster(endpoint: str | None) -> dict[str, Any]:
    config = {"controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": endpoint}}} if endpoint else {}
    return {"urn": "urn:cluster", "type": CLUSTER, "outputs": config}


@dataclass
class FakeEngine:
    """An engine with stacks that have made something; it remembers what it was told to refresh."""

    project: Path
    lab: Lab
    made: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refreshed: list[tuple[str, ...]] = field(default_factory=list)
    project_name: str = "small"

    def exists(self, stack: str) -> bool:
        return stack in self.made

    def state(self, stack: str) -> dict[str, Any]:
        return {"deployment": {"resources": self.made[stack]}}

    def refresh(self, *arguments: str) -> None:
        self.refreshed.append(arguments)


@dataclass
class FakeControlPlane:
    calls: list[str]
    files: Any

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> None:
        self.calls.append("stop")


@dataclass(frozen=True)
class World:
    engine: FakeEngine
    calls: list[str]

    @property
    def real(self) -> Engine:
        return cast("Engine", self.engine)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Stacks `one` and `two` declare objects inside a cluster, `plain` does not."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    for name in ("one", "two"):
        (project / f"Pulumi.{name}.yaml").write_text("config:\n  small:kubernetes: {}\n")
    (project / "Pulumi.plain.yaml").write_text("config:\n  small:pools: {}\n")
    calls: list[str] = []
    monkeypatch.setattr(stacks, "ControlPlane", lambda directory: FakeControlPlane(calls, ClusterFiles(directory)))
    monkeypatch.setattr(stacks, "api_server", lambda _: "localhost:1")
    lab = Lab(tmp_path / "lab")
    (lab.directory / "cluster").mkdir(parents=True)
    return World(FakeEngine(project, lab), calls)


class TestTheControlPlane:
    def test_is_started_only_for_a_stack_that_declares_objects_inside_its_cluster(self, world: World):
        assert needs_cluster(world.real, "one")
        serve(world.real, "plain")
        assert world.calls == []
        serve(world.real, "one")
        assert world.calls == ["start"]

    def test_serves_one_stack_at_a_time(self, world: World):
        world.engine.made = {"one": [cluster("localhost:1")], "two": []}
        with pytest.raises(LabError, match="make down STACK=one"):
            serve(world.real, "two")
        serve(world.real, "one")
        assert world.calls == ["start"]

    def test_is_not_started_to_look_at_or_remove_a_stack_that_made_nothing(self, world: World):
        world.engine.made = {"one": [], "two": [cluster("localhost:1")]}
        serve_if_up(world.real, "one")
        assert world.calls == []
        serve_if_up(world.real, "two")
        assert world.calls == ["start"]

    def test_is_stopped_when_no_stack_has_anything_in_it(self, world: World):
        world.engine.made = {"one": [cluster("localhost:1")], "plain": [cluster(None)]}
        release(world.real)
        assert world.calls == []
        world.engine.made["one"] = []
        release(world.real)
        assert world.calls == ["stop"]


class TestAStackWhoseControlPlaneHasMoved:
    def test_learns_the_new_endpoint(self, world: World):
        world.engine.made = {"one": [cluster("localhost:2")]}
        serve(world.real, "one")
        assert world.engine.refreshed == [("one", "--target", "urn:cluster")]

    @pytest.mark.parametrize("endpoint", ["localhost:1", None])
    def test_is_left_alone_where_its_endpoint_is_right_or_unknown(self, endpoint: str | None):
        state = {"deployment": {"resources": [cluster(endpoint), {"urn": "urn:other", "type": "other"}]}}
        assert moved_clusters(state, "localhost:1") == ()

    def test_may_be_empty(self):
        assert moved_clusters({"deployment": {}}, "localhost:1") == ()
