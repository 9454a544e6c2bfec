"""The whole program on the real engine and the real control plane: what is inside the cluster comes, settles, changes and goes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiClient, CustomObjectsApi

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.vocabulary import CLASS_LABEL, GPU_KEY, QUEUE_LABEL, SPOT_TAINT, WorkloadClass
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.queues import buffer_groups
from hybrid_pools.manifests.whole import manifests
from lab.cluster.apply import apply, create, read
from lab.cluster.control_plane import ControlPlane
from lab.engine import Engine
from lab.google.computed import NODE_POOL
from lab.google.store import Store
from lab.paths import Lab
from lab.pulumi_cli import PulumiCli
from tests.cluster.waiting import eventually
from tests.engine.conftest import World
from tests.engine.project import changed, make_project
from tests.engine.slow_pack import slow_pack

pytestmark = pytest.mark.cluster

KUEUE = ("kueue.x-k8s.io", "v1beta2")
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-vision"}}
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "team-vision"}}
"""Pods are refused until a controller has made it."""

VISION = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "vision-training"}}
BUFFER = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "hybrid-pools-buffer"}}


@pytest.fixture
def inside(tmp_path: Path, control_plane: ControlPlane, engine_binary: PulumiCli) -> Iterator[World]:
    """An engine whose clusters are the running control plane. What a failed test leaves is taken away."""
    project = make_project(tmp_path / "project")
    engine = Engine(Lab(control_plane.files.lab), project, engine_binary, project / "policies")
    engine.lab.store.parent.mkdir(parents=True, exist_ok=True)
    store = Store(engine.lab.store)
    yield World(project, engine, store, control_plane=True)
    if engine.exists("local") and store.resources():
        engine.destroy("local")
    store.close()


def assert_ok(result: Any) -> None:
    assert result.ok, result.output


def only_inside(sections: dict[str, Any]) -> None:
    """Leaves out what takes time and has nothing to do with the cluster."""
    del sections["monitoring"]


def objects(world: World, change: Any = lambda _: None) -> tuple[Manifest, ...]:
    """What the blueprint says is inside the cluster."""
    return manifests(derive(check("stacks/Pulumi.local.yaml", changed("local", change))))


def missing(admin: ApiClient, expected: tuple[Manifest, ...]) -> list[str]:
    return [f"{one['kind']} {one['metadata']['name']}" for one in expected if read(admin, one) is None]


def left(admin: ApiClient, gone: tuple[Manifest, ...]) -> list[str]:
    return [f"{one['kind']} {one['metadata']['name']}" for one in gone if read(admin, one) is not None]


def live(admin: ApiClient, one: Manifest) -> dict[str, Any]:
    found = read(admin, one)
    assert found is not None
    return found


def job(name: str) -> Manifest:
    container = {"name": "train", "image": "train", "resources": {"requests": {"cpu": "1"}}}
    return manifest(
        "batch/v1",
        "Job",
        name,
        namespace="team-vision",
        labels={QUEUE_LABEL: "interactive"},
        spec={
            "template": {
                "metadata": {"labels": {CLASS_LABEL: WorkloadClass.INTERACTIVE.value}},
                "spec": {"containers": [container], "restartPolicy": "Never"},
            }
        },
    )


def holding(admin: ApiClient) -> bool:
    """Whether a workload of the team holds quota."""
    listed: Any = CustomObjectsApi(admin).list_namespaced_custom_object(*KUEUE, "team-vision", "workloads")
    return any("admission" in one.get("status", {}) for one in listed["items"])


def test_local_comes_up_settles_and_leaves_nothing_behind_even_while_jobs_run(inside: World, admin: ApiClient) -> None:
    inside.declare("local")
    assert_ok(inside.up("local"))
    assert missing(admin, objects(inside)) == []
    assert_ok(inside.engine.preview("local", "--expect-no-changes"))
    assert_ok(inside.engine.refresh("local", "--expect-no-changes"))

    eventually(lambda: read(admin, ACCOUNT))
    create(admin, job("runs"))
    eventually(lambda: holding(admin))
    assert_ok(inside.engine.destroy("local"))
    assert left(admin, objects(inside)) == []
    assert inside.store.resources() == []


def test_changes_reach_the_cluster_in_place_and_what_others_own_stays(inside: World, admin: ApiClient) -> None:
    def audited(sections: dict[str, Any]) -> None:
        only_inside(sections)
        sections["kubernetes"]["admission"] = "audit"

    def denied(sections: dict[str, Any]) -> None:
        only_inside(sections)
        sections["kubernetes"]["admission"] = "deny"
        sections["queues"]["teams"]["vision"]["quotas"]["training"]["spot-l4"]["nominal"] = 3

    inside.declare("local", audited)
    assert_ok(inside.up("local"))
    before = live(admin, VISION)
    assert asks_for_spot(admin) is True
    buffer = derive(check("stacks/Pulumi.local.yaml", changed("local", only_inside))).kubernetes
    assert buffer is not None
    assert buffer.queues.buffer is not None
    opened = buffer_groups(buffer.queues.buffer, opened=True)
    CustomObjectsApi(admin).patch_cluster_custom_object(*KUEUE, "cohorts", "hybrid-pools-buffer", {"spec": {"resourceGroups": opened}})

    inside.declare("local", denied)
    assert_ok(inside.up("local"))
    after = live(admin, VISION)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert gpus(after) == ["3", "0", "0"]
    eventually(lambda: asks_for_spot(admin) is False)
    assert live(admin, BUFFER)["spec"]["resourceGroups"] == opened
    assert_ok(inside.engine.preview("local", "--expect-no-changes"))


def test_a_team_that_leaves_takes_its_namespace_and_queues_with_it_and_no_other_s(inside: World, admin: ApiClient) -> None:
    def alone(sections: dict[str, Any]) -> None:
        only_inside(sections)
        del sections["teams"]["vision"]
        del sections["queues"]["teams"]["vision"]

    inside.declare("local", only_inside)
    assert_ok(inside.up("local"))
    eventually(lambda: read(admin, ACCOUNT))
    create(admin, job("runs"))
    eventually(lambda: holding(admin))
    inside.declare("local", alone)
    assert_ok(inside.up("local"))
    assert (read(admin, NAMESPACE), read(admin, VISION)) == (None, None)
    assert missing(admin, objects(inside, alone)) == []


def test_a_cluster_that_does_not_answer_is_said_once_with_the_way_on_and_holds_up_no_pool(tmp_path: Path, engine_binary: PulumiCli) -> None:
    project = make_project(tmp_path / "project")
    # Pools are registered late, so the cluster has refused by then.
    pack = slow_pack(tmp_path / "slow", NODE_POOL, seconds=1)
    engine = Engine(Lab(tmp_path / "lab"), project, engine_binary, pack)
    engine.lab.directory.mkdir(parents=True)
    store = Store(engine.lab.store)
    world = World(project, engine, store, control_plane=True)
    world.declare("local", only_inside)
    failed = world.up("local")
    assert not failed.ok
    # For one object, not for each: the engine prints every error a second time at its end.
    assert failed.output.count("the cluster does not answer at") <= 2
    assert "the cluster does not answer at" in failed.output
    assert "run the same command again" in failed.output
    assert "Traceback" not in failed.output
    assert world.pools().keys() == {"services", "train-l4", "buffer-l4"}
    store.close()


def gpus(queue: dict[str, Any]) -> list[str]:
    flavors = queue["spec"]["resourceGroups"][0]["flavors"]
    return [one["nominalQuota"] for flavor in flavors for one in flavor["resources"] if one["name"] == GPU_KEY]


def asks_for_spot(admin: ApiClient) -> bool:
    """Whether a plain pod that tolerates spot would be taken."""
    toleration = {"key": SPOT_TAINT.key, "operator": "Exists"}
    spec = {"containers": [{"name": "one", "image": "one"}], "tolerations": [toleration]}
    pod = manifest("v1", "Pod", "asks", namespace="team-vision", spec=spec)
    try:
        apply(admin, [pod], dry_run=True)
    except Exception as error:
        assert "hybrid-pools" in str(error) or "WORK-" in str(error), error
        return False
    return True
