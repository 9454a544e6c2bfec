"""Node pools of the stand-in become nodes of a real cluster, and its scheduler places pods on them."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from kubernetes.client import ApiClient, CoreV1Api

from hybrid_pools.blueprint.allocatable import allocatable
from hybrid_pools.blueprint.vocabulary import GPU_TAINT, NODE_POOL_LABEL, SPOT_KEY, SPOT_TAINT, Taint
from lab.cluster.apply import create, delete
from lab.cluster.control_plane import ControlPlane
from lab.google import functions
from lab.google.catalogue import load_catalogue
from lab.google.http import OPERATION, Clock, ContainerApi, token_of
from lab.google.store import Record, Store
from lab.kubelet.marks import HARD, PREEMPT, STOP_ANNOTATION
from lab.nodes import manifests
from lab.nodes.api import Api
from lab.nodes.objects import STOPPED_ANNOTATION, LabNode, condition, lab_node
from lab.nodes.pools import node_pool
from lab.nodes.settings import NodeSettings, write_settings
from lab.paths import Lab
from tests.cluster.conftest import MakeNamespace
from tests.cluster.waiting import eventually
from tests.lab.nodes.given import CLUSTER, record, stable_record

pytestmark = pytest.mark.cluster

IDLE = 3.0
GPU = "nvidia.com/gpu"
EMAIL = "schedule@acme.iam.gserviceaccount.com"
_OF_KUBERNETES = "node.kubernetes.io/"  # taints of nodes that are not ready, or closed
Node = dict[str, Any]


@dataclass
class Pools:
    """The node pools of one control plane, as tests change and see them."""

    store: Store
    admin: ApiClient
    api: Api
    google: ContainerApi
    made: list[str] = field(default_factory=list)

    def put(self, pool: Record) -> Record:
        self.made.append(pool.id)
        self.store.put(pool)
        return pool

    def nodes(self, pool: Record) -> list[Node]:
        found = CoreV1Api(self.admin).list_node(label_selector=f"{NODE_POOL_LABEL}={pool.name}")
        nodes: list[Node] = self.admin.sanitize_for_serialization(found)["items"]  # type: ignore[no-untyped-call]
        return nodes

    def ready(self, pool: Record, count: int, within: float = 30) -> list[Node]:
        """The pool's nodes as soon as there are so many, all of them ready and staying."""

        def look() -> list[Node]:
            nodes = self.nodes(pool)
            assert len(nodes) == count
            assert all(condition(node, "Ready").get("status") == "True" for node in nodes)
            assert not any(taint["key"].startswith(_OF_KUBERNETES) for node in nodes for taint in node["spec"].get("taints", []))
            return nodes

        if count == 0:
            eventually(lambda: not self.nodes(pool), within)
            return []
        return eventually(look, within)

    def call(self, pool: Record, method: str, content: dict[str, Any]) -> None:
        """What the schedule does: a call of GKE's API."""
        self.google.post(f"/v1/{pool.id}:{method}", token_of(self.store, EMAIL), json.dumps(content).encode())
        self.google.clock.now += OPERATION

    def stop(self, node: Node, how: str) -> None:
        found = lab_node(node)
        assert found is not None
        self.api.annotate(found, {STOP_ANNOTATION: how, STOPPED_ANNOTATION: f"{time.time():.3f}"})


@pytest.fixture
def pools(control_plane: ControlPlane, admin: ApiClient) -> Iterator[Pools]:
    lab = Lab(control_plane.files.lab)
    write_settings(lab.nodes, NodeSettings(process=(), idle_seconds=IDLE, repair_seconds=3))
    store = Store(lab.store)
    bought = (
        Record("gcp:container/cluster:Cluster", CLUSTER, {"project": "acme", "location": "us-central1"}),
        Record("gcp:serviceaccount/account:Account", f"projects/acme/serviceAccounts/{EMAIL}", {}),
        Record("gcp:projects/iAMCustomRole:IAMCustomRole", "projects/acme/roles/s", {"permissions": ["container.clusters.update"]}),
        Record(
            "gcp:projects/iAMMember:IAMMember",
            "g",
            {"role": "projects/acme/roles/s", "member": f"serviceAccount:{EMAIL}", "project": "acme"},
        ),
    )
    for one in bought:
        store.put(one)
    google = ContainerApi(load_catalogue(lab.directory, functions.TOKENS), store, Clock())
    api = Api(control_plane.kubeconfig)
    played = Pools(store, admin, api, google)
    yield played
    # The control plane is others' too: what stays in its store would be somebody's stack.
    for id_ in (*played.made, *(one.id for one in bought)):
        store.delete(id_)
    store.clear_faults()
    names = [id_.rpartition("/")[2] for id_ in played.made]
    left = f"{NODE_POOL_LABEL} in ({', '.join(names)})"
    eventually(lambda: not CoreV1Api(admin).list_node(label_selector=left).items, within=60)
    api.close()


@dataclass(frozen=True)
class Pods:
    """Pods of a namespace of the test."""

    admin: ApiClient
    namespace: str

    def make(self, name: str, *, gpus: int = 0, cpu: str = "1", tolerates: tuple[Taint, ...] = (), **spec: Any) -> None:
        wanted = {"cpu": cpu, **({GPU: gpus} if gpus else {})}
        container = {"name": "main", "image": "none", "resources": {"requests": wanted, "limits": wanted}}
        tolerations = [{"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect.value} for t in tolerates]
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"containers": [container], "tolerations": tolerations, "restartPolicy": "Never", **spec},
        }
        create(self.admin, pod)

    def get(self, name: str) -> Node:
        found: Node = self.admin.sanitize_for_serialization(  # type: ignore[no-untyped-call]
            CoreV1Api(self.admin).read_namespaced_pod(name, self.namespace)
        )
        return found

    def bound(self, name: str, within: float = 30) -> str:
        """The node that the scheduler has bound a pod to."""
        return str(eventually(lambda: self.get(name)["spec"].get("nodeName", ""), within))

    def waits(self, name: str) -> None:
        """Returns once the scheduler has found no place."""
        eventually(lambda: condition(self.get(name), "PodScheduled").get("reason") == "Unschedulable")

    def remove(self, name: str) -> None:
        delete(self.admin, [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace}}])


@pytest.fixture
def pods(admin: ApiClient, make_namespace: MakeNamespace) -> Pods:
    return Pods(admin, make_namespace("nodes"))


BOTH = (SPOT_TAINT, GPU_TAINT)


class TestNodesOfAPool:
    def test_are_as_the_pool_says_in_every_zone(self, pools: Pools):
        pool = pools.put(stable_record("services-1"))
        nodes = pools.ready(pool, 2)
        wanted = {manifests.node_name(pool.id, zone, 0): zone for zone in pool.document["nodeLocations"]}
        assert {node["metadata"]["name"] for node in nodes} == set(wanted)
        left = allocatable(node_pool(pool).shape)
        for node in nodes:
            name, labels = node["metadata"]["name"], node["metadata"]["labels"]
            assert manifests.labels(node_pool(pool), wanted[name], 0, process=False).items() <= labels.items()
            assert not node["spec"].get("taints")
            assert node["status"]["allocatable"]["cpu"] == f"{left.cpu}m"
            assert node["status"]["allocatable"]["memory"] == f"{left.memory}Mi"

    def test_of_spot_pools_carry_the_taints_and_the_label(self, pools: Pools):
        (node, *_) = pools.ready(pools.put(record("train-1", nodeCount=1)), 2)
        assert {(taint["key"], taint["value"], taint["effect"]) for taint in node["spec"]["taints"]} == {
            (taint.key, taint.value, taint.effect.value) for taint in BOTH
        }
        assert node["metadata"]["labels"][SPOT_KEY] == "true"
        assert node["status"]["allocatable"][GPU] == "2"

    def test_go_with_their_pool(self, pools: Pools):
        pool = pools.put(stable_record("services-2"))
        pools.ready(pool, 2)
        pools.store.delete(pool.id)
        pools.ready(pool, 0)

    def test_take_up_other_labels_and_taints_without_being_made_anew(self, pools: Pools):
        pool = pools.put(stable_record("services-3"))
        before = {node["metadata"]["uid"] for node in pools.ready(pool, 2)}
        taint = {"key": "acme.example/quiet", "value": "yes", "effect": "NO_SCHEDULE"}
        pools.store.put(stable_record("services-3", nodeConfig={"labels": {"acme.example/rack": "7"}, "effectiveTaints": [taint]}))

        def changed() -> bool:
            nodes = pools.nodes(pool)
            assert {node["metadata"]["uid"] for node in nodes} == before
            return all(node["metadata"]["labels"].get("acme.example/rack") == "7" and node["spec"].get("taints") for node in nodes)

        eventually(changed)


class TestTheScheduler:
    def test_binds_only_pods_that_tolerate_every_taint(self, pools: Pools, pods: Pods):
        pool = pools.put(record("train-2", nodeCount=1))
        names = {node["metadata"]["name"] for node in pools.ready(pool, 2)}
        pods.make("tolerant", tolerates=BOTH)
        pods.make("half", tolerates=(GPU_TAINT,))
        pods.make("plain")
        assert pods.bound("tolerant") in names
        for refused in ("half", "plain"):
            pods.waits(refused)


class TestTheAutoscaler:
    def test_brings_a_node_for_a_pod_that_needs_a_gpu_and_takes_it_away_afterwards(self, pools: Pools, pods: Pods):
        pool = pools.put(record("train-3"))
        pods.make("worker", gpus=2, tolerates=BOTH)
        name = pods.bound("worker")
        assert [node["metadata"]["name"] for node in pools.nodes(pool)] == [name]
        pods.remove("worker")
        pools.ready(pool, 0)

    def test_stops_at_the_limit(self, pools: Pools, pods: Pods):
        pool = pools.put(record("train-4", autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 2, "locationPolicy": "ANY"}))
        for number in range(4):
            pods.make(f"worker-{number}", gpus=2, tolerates=BOTH)
        pools.ready(pool, 2)
        bound = [name for number in range(4) if (name := pods.get(f"worker-{number}")["spec"].get("nodeName"))]
        eventually(lambda: sum("nodeName" in pods.get(f"worker-{number}")["spec"] for number in range(4)) == 2)
        assert len(bound) <= 2
        assert len(pools.nodes(pool)) == 2


class TestTheSchedulesCalls:
    def test_set_size_is_followed_up_and_down_and_pods_are_evicted(self, pools: Pools, pods: Pods):
        pool = pools.put(record("buffer-1", nodeConfig={"spot": False, "effectiveTaints": []}))
        pools.call(pool, "setSize", {"nodeCount": 2})
        nodes = pools.ready(pool, 4)
        for number, node in enumerate(nodes):
            pods.make(f"worker-{number}", nodeSelector={"kubernetes.io/hostname": node["metadata"]["name"]})
            pods.bound(f"worker-{number}")
        pools.call(pool, "setSize", {"nodeCount": 1})
        left = {node["metadata"]["name"] for node in pools.ready(pool, 2)}
        gone = [number for number, node in enumerate(nodes) if node["metadata"]["name"] not in left]
        listed = CoreV1Api(pods.admin).list_namespaced_pod(pods.namespace).items
        assert {pod.metadata.name for pod in listed if pod.metadata} >= {f"worker-{n}" for n in range(4) if n not in gone}
        assert len(gone) == 2

    def test_a_smaller_maximum_evicts_nobody_and_a_larger_one_lets_pods_in(self, pools: Pools, pods: Pods):
        pool = pools.put(record("buffer-2", autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 1, "locationPolicy": "ANY"}))
        for number in range(2):
            pods.make(f"worker-{number}", gpus=2, tolerates=BOTH)
        pools.ready(pool, 1)
        pools.call(pool, "setAutoscaling", {"autoscaling": {"enabled": True, "totalMaxNodeCount": 2, "locationPolicy": "ANY"}})
        names = {pods.bound(f"worker-{number}") for number in range(2)}
        assert len(names) == 2
        pools.call(pool, "setAutoscaling", {"autoscaling": {"enabled": True, "totalMaxNodeCount": 1, "locationPolicy": "ANY"}})
        time_over = time.monotonic() + 2 * IDLE
        eventually(lambda: time.monotonic() > time_over)
        assert {node["metadata"]["name"] for node in pools.nodes(pool)} == names


class TestAPreemption:
    def test_marks_pods_as_a_kubelet_does_and_the_node_comes_back(self, pools: Pools, pods: Pods):
        window = {"shutdownGracePeriodSeconds": 6, "shutdownGracePeriodCriticalPodsSeconds": 1}
        pool = pools.put(record("train-5", nodeConfig={"kubeletConfig": window}))
        pods.make("worker", gpus=2, tolerates=BOTH)
        name = pods.bound("worker")
        eventually(lambda: pods.get("worker")["status"]["phase"] == "Running")
        (node,) = pools.ready(pool, 1)
        pools.stop(node, PREEMPT)
        began = time.monotonic()
        (told,) = eventually(lambda: [one for one in pools.nodes(pool) if condition(one, "Ready")["status"] == "False"])
        assert condition(told, "Ready")["message"] == "node is shutting down"
        eventually(lambda: pods.get("worker")["status"]["phase"] == "Failed")
        assert time.monotonic() - began >= 4
        status = pods.get("worker")["status"]
        assert status["reason"] == "Terminated"
        assert condition(pods.get("worker"), "DisruptionTarget")["reason"] == "TerminationByKubelet"
        eventually(lambda: node["metadata"]["uid"] not in {one["metadata"]["uid"] for one in pools.nodes(pool)})
        pods.make("next", gpus=2, tolerates=BOTH)
        assert pods.bound("next") == name


class TestAMachineThatStops:
    def test_leaves_pods_to_kubernetes_and_is_made_anew_under_another_name(self, pools: Pools, pods: Pods):
        pool = pools.put(record("train-6"))
        pods.make("worker", gpus=2, tolerates=BOTH)
        name = pods.bound("worker")
        (node,) = pools.ready(pool, 1)
        pools.stop(node, HARD)
        eventually(lambda: node["metadata"]["uid"] not in {one["metadata"]["uid"] for one in pools.nodes(pool)})
        assert "reason" not in pods.get("worker")["status"]
        pods.make("next", gpus=2, tolerates=BOTH)
        assert pods.bound("next") != name


class TestCrashes:
    def test_the_part_goes_on_where_it_was_killed(self, control_plane: ControlPlane, pools: Pools, pods: Pods):
        pool = pools.put(record("train-7"))
        pods.make("before", gpus=2, tolerates=BOTH)
        first = pods.bound("before")
        control_plane.kill("nodes")
        pods.make("after", gpus=2, tolerates=BOTH)
        control_plane.start()
        assert pods.bound("after") != first
        assert len(pools.nodes(pool)) == 2

    def test_it_waits_for_an_api_server_that_is_away(self, control_plane: ControlPlane, pools: Pools, pods: Pods):
        control_plane.kill("kube-apiserver")
        pool = pools.put(record("train-8"))
        control_plane.start()
        pods.make("worker", gpus=2, tolerates=BOTH)
        pods.bound("worker", within=60)
        assert len(pools.nodes(pool)) == 1


@pytest.mark.sweep
def test_a_thousand_nodes_come_get_ready_and_go(pools: Pools):
    pool = pools.put(record("fleet", nodeCount=500, autoscaling=None))

    def there() -> list[LabNode]:
        # Without the client's models: to make them a thousand times takes longer than everything else.
        return [node for node in map(lab_node, pools.api.nodes()) if node is not None and node.pool == pool.id]

    eventually(lambda: sum(node.ready for node in there()) == 1000, within=240)
    pools.store.delete(pool.id)
    eventually(lambda: not there(), within=240)
