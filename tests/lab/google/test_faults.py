"""Faults on demand: what the engine hears, and what is there afterwards."""

import threading
import time

import grpc
import pytest

from lab.google import faults
from lab.google.faults import Call, Kind, meets
from lab.google.refusal import Refusal
from lab.google.store import ERROR, RUNNING, Fault, Store
from tests.lab.google.conftest import ACCOUNT, NETWORK, NODE_POOL, gpu_pool_inputs, kept, pool_inputs, said, unfinished


def refused(call, *arguments) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as error:
        call(*arguments)
    return error.value


class TestMatching:
    @pytest.mark.parametrize(
        ("fault", "hit"),
        [
            (Fault(Kind.SLOW), True),
            (Fault(Kind.SLOW, "NodePool"), True),
            (Fault(Kind.SLOW, NODE_POOL), True),
            (Fault(Kind.SLOW, "Cluster"), False),
            (Fault(Kind.SLOW, name="spot-*"), True),
            (Fault(Kind.SLOW, name="stable-*"), False),
            (Fault(Kind.SLOW, method="create"), True),
            (Fault(Kind.SLOW, method="delete"), False),
        ],
    )
    def test_is_by_type_name_and_method(self, fault, hit):
        assert Call("create", NODE_POOL, "spot-1234567").hit_by(fault) == hit

    def test_happens_as_often_as_asked_and_then_never(self, store: Store):
        store.add_fault(Fault(Kind.SLOW, remaining=2))
        call = Call("create", NODE_POOL, "p")
        assert [bool(meets(store, call, Kind.SLOW)) for _ in range(4)] == [True, True, False, False]
        assert store.faults() == []

    def test_for_ever_ends_when_faults_are_cleared(self, store: Store):
        store.add_fault(Fault(Kind.SLOW, remaining=None))
        call = Call("create", NODE_POOL, "p")
        assert all(meets(store, call, Kind.SLOW) for _ in range(5))
        store.clear_faults()
        assert meets(store, call, Kind.SLOW) is None


class TestAStockOut:
    def test_leaves_the_pool_in_error_and_in_the_state_of_the_engine(self, engine, landscape, store):
        store.add_fault(faults.stock_out("spot-*"))
        error = refused(engine.create, NODE_POOL, "spot", gpu_pool_inputs(landscape.cluster, landscape.account))
        left = unfinished(error)
        record = kept(store, left.id)
        assert record.status == ERROR
        assert left.properties["name"] == record.name
        for word in (record.name, "ZONE_RESOURCE_POOL_EXHAUSTED", "GCE_STOCKOUT", "europe-west4-a", "run the update again"):
            assert word in said(error)

    def test_leaves_other_pools_alone(self, engine, landscape, store):
        store.add_fault(faults.stock_out("spot-*"))
        other = engine.create(NODE_POOL, "buffer", gpu_pool_inputs(landscape.cluster, landscape.account))
        assert kept(store, other.id).status == RUNNING

    def test_is_mended_by_an_update_once_there_are_machines(self, engine, landscape, store):
        store.add_fault(faults.stock_out("spot-*"))
        inputs = gpu_pool_inputs(landscape.cluster, landscape.account)
        left = unfinished(refused(engine.create, NODE_POOL, "spot", inputs))
        pool = type(left)(NODE_POOL, "spot", left.id, {**left.inputs, "__defaults": ["name"]}, left.properties)
        assert unfinished(refused(engine.update, pool, inputs)).id == left.id
        store.clear_faults()
        assert engine.update(pool, inputs).id == left.id
        assert kept(store, left.id).status == RUNNING
        assert len(store.resources(NODE_POOL)) == 2

    def test_never_hits_an_update_of_a_pool_that_has_its_machines(self, engine, landscape, store):
        store.add_fault(faults.stock_out())
        engine.update(landscape.ordinary, landscape.ordinary.inputs)


class TestARefusal:
    def test_of_a_quota_names_the_quota_and_makes_nothing(self, engine, landscape, store):
        store.add_fault(faults.quota_exceeded("NVIDIA_L4_GPUS", times=1))
        inputs = gpu_pool_inputs(landscape.cluster, landscape.account)
        error = refused(engine.create, NODE_POOL, "spot", inputs)
        assert error.code() == grpc.StatusCode.PERMISSION_DENIED
        assert "NVIDIA_L4_GPUS" in said(error)
        assert len(store.resources(NODE_POOL)) == 1
        engine.create(NODE_POOL, "spot", inputs)

    @pytest.mark.parametrize("method", ["create", "update", "delete", "read"])
    def test_of_a_permission_does_nothing_and_says_403(self, engine, landscape, store, method):
        before = store.resources()
        store.add_fault(faults.permission_denied("NodePool", method=method, times=1))
        pool = landscape.ordinary
        error = {
            "create": lambda: refused(engine.create, NODE_POOL, "p", pool_inputs(landscape.cluster, landscape.account)),
            "update": lambda: refused(engine.update, pool, {**pool.inputs, "version": "1"}),
            "delete": lambda: refused(engine.delete, pool),
            "read": lambda: refused(engine.refresh, pool),
        }[method]()
        assert error.code() == grpc.StatusCode.PERMISSION_DENIED
        assert "Error 403" in said(error)
        assert store.resources() == before
        assert store.operations()[-1].outcome.startswith("googleapi: Error 403")


class TestALostAnswer:
    def test_leaves_the_resource_and_an_engine_that_cannot_know(self, engine, store):
        store.add_fault(faults.lost_answer("Account"))
        error = refused(engine.create, ACCOUNT, "a", {"accountId": "the-account"})
        assert error.code() == grpc.StatusCode.UNKNOWN
        assert "it may have been done" in said(error)
        assert [record.id for record in store.resources()] == [said(error).split("create of ")[1].split(":")[0]]

    def test_answers_a_second_create_of_the_name_with_already_exists(self, engine, store):
        store.add_fault(faults.lost_answer("Account"))
        refused(engine.create, ACCOUNT, "a", {"accountId": "the-account"})
        error = refused(engine.create, ACCOUNT, "a", {"accountId": "the-account"})
        assert error.code() == grpc.StatusCode.ALREADY_EXISTS
        assert len(store.resources()) == 1

    def test_can_be_adopted_by_reading_it(self, engine, store):
        store.add_fault(faults.lost_answer("Network"))
        refused(engine.create, NETWORK, "n", {})
        orphan = store.unrecorded("urn:pulumi:lab::", set())[0]
        adopted = engine.read(NETWORK, "n", orphan.id)
        assert not engine.diff(adopted, {"name": orphan.name}).changes

    def test_of_a_delete_still_deletes(self, engine, store):
        network = engine.create(NETWORK, "n", {})
        store.add_fault(faults.lost_answer("Network", method="delete"))
        assert refused(engine.delete, network).code() == grpc.StatusCode.UNKNOWN
        assert engine.refresh(network) is None


class TestAnOperationOfSomebodyElse:
    def test_is_waited_for(self, engine, landscape, store):
        store.add_fault(faults.busy(times=3))
        engine.update(landscape.ordinary, {**landscape.ordinary.inputs, "deletionPolicy": "DELETE"})
        assert sum("incompatible operation" in one.outcome for one in store.operations()) == 3

    def test_is_waited_for_with_growing_pauses_and_not_for_ever(self, store: Store):
        store.add_fault(faults.busy(times=100))
        pauses: list[float] = []
        with pytest.raises(Refusal, match="incompatible operation"):
            faults.wait_for_cluster(store, Call("update", NODE_POOL, "p"), pauses.append)
        assert pauses == sorted(pauses)
        assert len(pauses) < 20
        assert len(set(pauses)) == len(pauses)

    def test_does_not_concern_networks(self, engine, store):
        store.add_fault(faults.busy(times=1))
        engine.create(NETWORK, "n", {})
        assert len(store.faults()) == 1


class TestASlowAnswer:
    def test_comes_late_and_the_work_is_done_before(self, engine, store):
        store.add_fault(faults.slow(0.3, "Network", times=1))
        begun = time.monotonic()
        engine.create(NETWORK, "n", {})
        assert time.monotonic() - begun >= 0.3

    def test_holds_the_cluster_so_that_operations_on_it_come_one_after_another(self, engine, landscape, store):
        store.add_fault(faults.slow(0.2, "NodePool"))
        inputs = pool_inputs(landscape.cluster, landscape.account)
        threads = [threading.Thread(target=engine.create, args=(NODE_POOL, f"p{number}", inputs)) for number in range(3)]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - begun >= 0.6
        assert len(store.resources(NODE_POOL)) == 4
