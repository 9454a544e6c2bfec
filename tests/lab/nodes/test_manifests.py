"""Nodes look as GKE makes them, and no two are alike in name."""

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.vocabulary import TOPOLOGY_BLOCK_LABEL, TOPOLOGY_HOST_LABEL, TOPOLOGY_SUBBLOCK_LABEL
from lab.kubelet.marks import LAB_NODE_LABEL
from lab.nodes import manifests
from tests.lab.nodes.given import buffer_record, node, pool, record, stable_record


@pytest.mark.parametrize("made", [record(), stable_record(), buffer_record()], ids=["spot", "stable", "buffer"])
def test_a_node_of_each_role(made, snapshot: SnapshotAssertion):
    assert manifests.node(pool(made), "us-central1-a", 0, process=False) == snapshot


class TestNames:
    def test_no_two_places_share_one(self):
        id_ = pool().id
        names = {manifests.node_name(id_, zone, index) for zone in ("us-central1-a", "us-central1-b") for index in range(20_000)}
        assert len(names) == 40_000

    def test_a_place_keeps_its_name(self):
        assert manifests.node_name(pool().id, "us-central1-a", 3) == manifests.node_name(pool().id, "us-central1-a", 3)

    def test_the_longest_fit_into_a_label(self):
        long = f"projects/p/locations/us-central1/clusters/{'c' * 40}/nodePools/{'n' * 40}"
        assert len(manifests.node_name(long, "northamerica-northeast1-a", 999)) <= 63


class TestKind:
    def test_kwok_plays_simulated_nodes_alone(self):
        for process in (True, False):
            made = manifests.node(pool(), "us-central1-a", 0, process=process)
            assert (made["metadata"]["annotations"].get("kwok.x-k8s.io/node") == "fake") is not process
            assert made["metadata"]["labels"][LAB_NODE_LABEL] == ("process" if process else "simulated")


class TestCompactPlacement:
    of = pool(record(placementPolicy={"type": "COMPACT"}))

    def test_every_node_is_a_host_of_its_own_inside_a_shared_block(self):
        nodes = [manifests.labels(self.of, "us-central1-a", index, process=False) for index in range(16)]
        assert len({labels[TOPOLOGY_HOST_LABEL] for labels in nodes}) == 16
        assert len({labels[TOPOLOGY_SUBBLOCK_LABEL] for labels in nodes}) == 4
        assert len({labels[TOPOLOGY_BLOCK_LABEL] for labels in nodes}) == 1

    def test_zones_share_no_block(self):
        blocks = {manifests.labels(self.of, zone, 0, process=False)[TOPOLOGY_BLOCK_LABEL] for zone in self.of.zones}
        assert len(blocks) == 2

    def test_other_pools_have_no_topology(self):
        assert TOPOLOGY_BLOCK_LABEL not in manifests.labels(pool(), "us-central1-a", 0, process=False)


class TestChangesInPlace:
    def test_nothing_changes_while_the_pool_stays(self):
        of = pool()
        assert manifests.in_place(node(of), of) is None

    def test_labels_and_taints_of_the_pool_come_and_go_and_those_of_others_stay(self):
        before = pool(record(nodeConfig={"labels": {"a": "1", "b": "2"}}))
        after = pool(record(nodeConfig={"labels": {"b": "3"}, "effectiveTaints": [{"key": "new", "value": "x", "effect": "NO_SCHEDULE"}]}))
        unreachable = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
        found = node(before)
        change = manifests.in_place(replace(found, taints=(*found.taints, unreachable)), after)
        assert change is not None
        assert change.labels == {"a": None, "b": "3"}
        assert change.taints == [unreachable, {"key": "new", "value": "x", "effect": "NoSchedule"}]
