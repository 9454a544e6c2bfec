"""Pools are read as the stand-in keeps them."""

import pytest

from hybrid_pools.blueprint.model import NodeLimits
from lab.errors import LabError
from lab.google import faults
from lab.google.store import ERROR, Store
from lab.nodes.pools import node_pool, read_pools
from tests.lab.nodes.given import pool, record, stable_record


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "google.sqlite")


class TestLimits:
    def test_are_per_zone_or_over_all_zones_or_none(self):
        assert pool(stable_record()).limits == NodeLimits(True, 1, 3)
        assert pool(record()).limits == NodeLimits(False, 0, 4)
        assert pool(record(autoscaling=None)).limits is None


class TestAskedSize:
    def test_changes_with_each_set_size_also_for_the_same_number(self, store):
        store.put(record())
        seen = [read_pools(store).pools[0].asked]
        for _ in range(2):
            store.log("setSize", record().type, record().id, "")
            seen.append(read_pools(store).pools[0].asked)
        assert len(set(seen)) == 3

    def test_is_not_changed_by_a_refused_call_or_by_other_calls(self, store):
        store.put(record())
        before = read_pools(store).pools[0].asked
        store.log("setSize", record().type, record().id, "", "refused")
        store.log("setAutoscaling", record().type, record().id, "")
        store.log("setSize", record().type, record("other").id, "")
        assert read_pools(store).pools[0].asked == before


class TestStock:
    def test_a_stock_out_hits_the_pools_it_names_until_it_is_cleared(self, store):
        store.put(record("train-a"))
        store.put(record("train-b"))
        store.add_fault(faults.stock_out("train-a"))
        assert {made.name: made.in_stock for made in read_pools(store).pools} == {"train-a": False, "train-b": True}
        store.clear_faults()
        assert all(made.in_stock for made in read_pools(store).pools)

    def test_a_pool_in_the_state_of_error_has_no_machines(self):
        assert not node_pool(record(status=ERROR)).in_stock


def test_a_machine_type_that_the_catalogue_does_not_know_is_told_and_hides_no_other_pool(store):
    store.put(record("odd", nodeConfig={"machineType": "z9-standard-4"}))
    store.put(record("train"))
    read = read_pools(store)
    assert [made.name for made in read.pools] == ["train"]
    assert "z9-standard-4" in read.problems[0]
    with pytest.raises(LabError, match="Node pool odd gets no nodes"):
        node_pool(record("odd", nodeConfig={"machineType": "z9-standard-4"}))


def test_shared_and_partitioned_gpus_count_once_for_each_share():
    shared = {
        "type": "nvidia-tesla-a100",
        "count": 1,
        "gpuPartitionSize": "1g.5gb",
        "gpuSharingConfig": {"gpuSharingStrategy": "TIME_SHARING", "maxSharedClientsPerGpu": 2},
    }
    made = pool(record(nodeConfig={"machineType": "a2-highgpu-1g", "guestAccelerators": [shared]}))
    assert made.shape.gpus * made.shape.gpu_shares == 14
