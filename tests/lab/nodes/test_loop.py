"""One look at a cluster does what the plan says, and one refusal keeps nobody else waiting."""

from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException

from lab.google.store import Store
from lab.nodes import manifests
from lab.nodes.loop import Nodes
from lab.nodes.objects import DRAIN_ANNOTATION, Pod
from lab.nodes.settings import NodeSettings, write_settings
from lab.paths import Lab
from tests.lab.nodes.given import START, pool, record, stable_record


class Cluster:
    """An API server in memory; evictions of pods named `held` are refused."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.running: list[Any] = []
        self.known: dict[str, Any] = {}
        self.evicted: list[str] = []

    def nodes(self) -> list[Any]:
        return list(self.found.values())

    def pods(self):
        return self.running

    def sizes(self):
        return self.known

    def remember(self, sizes):
        self.known = dict(sizes)

    def create(self, node):
        name = node["metadata"]["name"]
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        self.found[name] = {
            **node,
            "metadata": {**node["metadata"], "uid": name, "creationTimestamp": START},
            "status": {**node["status"], **ready},
        }

    def drain(self, node, now):
        self.found[node.name]["metadata"]["annotations"] = {**self.found[node.name]["metadata"]["annotations"], DRAIN_ANNOTATION: str(now)}

    def remove(self, node):
        del self.found[node.name]

    def evict(self, pod: Pod):
        if pod.name == "held":
            raise ApiException(status=500, reason="no")
        self.evicted.append(pod.name)

    def run(self, name: str, node: str):
        meta = {"name": name, "namespace": "n", "uid": name, "creationTimestamp": START}
        self.running.append({"metadata": meta, "spec": {"nodeName": node, "containers": []}, "status": {"phase": "Running"}})


@pytest.fixture
def nodes(tmp_path) -> Nodes:
    lab = Lab(tmp_path)
    return Nodes(lab, Store(lab.store))


def kinds(cluster: Cluster) -> set[str]:
    return {found["metadata"]["labels"]["hybrid-pools.io/lab-node"] for found in cluster.nodes()}


class TestALook:
    def test_makes_process_nodes_of_stable_pools_and_simulated_ones_of_others(self, nodes: Nodes):
        for made, kind in ((stable_record(), "process"), (record(nodeCount=1), "simulated")):
            cluster = Cluster()
            nodes.store.put(made)
            nodes.look(cluster)  # type: ignore[arg-type]
            assert kinds(cluster) == {kind}
            nodes.store.delete(made.id)

    def test_follows_the_settings_as_they_are_now(self, nodes: Nodes):
        nodes.store.put(record(nodeCount=1))
        write_settings(nodes.lab.nodes, NodeSettings(process=("train",)))
        cluster = Cluster()
        nodes.look(cluster)  # type: ignore[arg-type]
        assert kinds(cluster) == {"process"}

    def test_changes_nothing_the_second_time(self, nodes: Nodes):
        nodes.store.put(stable_record())
        cluster = Cluster()
        nodes.look(cluster)  # type: ignore[arg-type]
        before = dict(cluster.found), dict(cluster.known)
        nodes.look(cluster)  # type: ignore[arg-type]
        assert (cluster.found, cluster.known) == before

    def test_empties_a_node_before_it_removes_it_and_goes_on_after_a_refusal(self, nodes: Nodes):
        made = stable_record()
        nodes.store.put(made)
        cluster = Cluster()
        nodes.look(cluster)  # type: ignore[arg-type]
        first, second = (manifests.node_name(made.id, zone, 0) for zone in pool(made).zones)
        cluster.run("held", first)
        cluster.run("free", second)
        nodes.store.delete(made.id)
        nodes.look(cluster)  # type: ignore[arg-type]
        with pytest.raises(ApiException):
            nodes.look(cluster)  # type: ignore[arg-type]
        assert cluster.evicted == ["free"]
        cluster.running.pop()
        with pytest.raises(ApiException):
            nodes.look(cluster)  # type: ignore[arg-type]
        assert set(cluster.found) == {first}
