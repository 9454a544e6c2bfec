"""Flavors: every node belongs to exactly one, and what is the same for a workload is one."""

import re
from typing import Any

import pytest
from hypothesis import given

from hybrid_pools.blueprint.allocatable import node_room, pool_allocatable
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.derivation.flavors import amount, derive_flavors, gpu_family, is_for_all, part
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Flavor
from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, FLAVOR_LABEL, GPU_TAINT, SPOT_KEY, Effect, Role
from tests.environments import sections_of
from tests.strategies import blueprints


def local_flavors(**pools: Any) -> dict[str, Flavor]:
    """Flavors of the lab's environment with pools added."""
    sections = sections_of("local")
    for name in ("kubernetes", "queues", "schedule"):
        del sections[name]
    sections["pools"] |= pools
    return {flavor.name: flavor for flavor in derive_flavors(derive(check("a file", sections)).pools, {})}


def l4(role: str = "spot", machine: str = "g2-standard-8", **more: Any) -> dict[str, Any]:
    return {"role": role, "machineType": machine, "zones": ["us-central1-a"], "limits": {"total": {"maximum": 2}}, **more}


class TestEveryPool:
    @given(blueprints())
    def test_is_of_exactly_one_flavor_which_its_nodes_say(self, blueprint: Blueprint):
        flavors = derive_flavors(blueprint.pools, {})
        for pool in blueprint.pools:
            (own,) = [flavor for flavor in flavors if pool.name in flavor.pools]
            fitting = [flavor for flavor in flavors if flavor.node_labels[FLAVOR_LABEL] == pool.labels[FLAVOR_LABEL]]
            assert fitting == [own]

    @given(blueprints())
    def test_names_its_flavor_in_a_value_that_kubernetes_takes(self, blueprint: Blueprint):
        for pool in blueprint.pools:
            # A label's value and Kueue's name of a flavor at once.
            assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", pool.labels[FLAVOR_LABEL])
            assert len(pool.labels[FLAVOR_LABEL]) <= 63


class TestPoolsOfOneFlavor:
    @given(blueprints())
    def test_are_the_same_to_a_workload(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            pools = [pool for pool in blueprint.pools if pool.name in flavor.pools]
            assert {pool.role for pool in pools} == {flavor.role}
            assert len({(pool.accelerators.type, pool.accelerators.partition) if pool.accelerators else None for pool in pools}) == 1
            assert (
                len({frozenset(taint for taint in pool.node_taints if taint.effect is not Effect.PREFER_NO_SCHEDULE) for pool in pools})
                == 1
            )
            assert flavor.usable_grace_seconds == min(pool.usable_grace_seconds for pool in pools)

    @given(blueprints())
    def test_carry_every_label_by_which_the_flavor_is_found(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            for pool in (pool for pool in blueprint.pools if pool.name in flavor.pools):
                # GKE's own labels follow from what the pool is; the others are declared on it.
                googles = {ACCELERATOR_LABEL: pool.accelerators.type if pool.accelerators else None, SPOT_KEY: str(pool.is_spot_vm).lower()}
                for key, value in flavor.node_labels.items():
                    assert {**googles, **pool.labels}[key] == value

    @given(blueprints())
    def test_are_tolerated_by_what_the_flavor_gives_and_by_nothing_more(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            given_tolerations = {(one.key, one.value, one.effect) for one in flavor.tolerations}
            assert given_tolerations == {(taint.key, taint.value, taint.effect) for taint in flavor.node_taints}
            assert (GPU_TAINT in flavor.node_taints) == (flavor.gpu_family is not None)

    def test_may_be_of_several_machines_of_one_gpu(self):
        assert local_flavors(more=l4(machine="g2-standard-48"))["spot-l4"].pools == ("more", "train-l4")


class TestAFlavorOfItsOwn:
    @pytest.mark.parametrize(
        ("pool", "name"),
        [
            (l4(), "spot-l4"),
            (l4("buffer"), "buffer-l4"),
            (l4("stable"), "stable-l4"),
            (l4(accelerator={"sharing": {"strategy": "mps", "clientsPerGpu": 4}}), "spot-l4-mps-4"),
            (l4(placement={}), "spot-pool-more"),
            (l4(taints={"acme.example/odd": {"value": "yes", "effect": "NoExecute"}}), "spot-pool-more"),
            (l4(taints={"acme.example/odd": {"value": "yes", "effect": "PreferNoSchedule"}}), "spot-l4"),
            (l4(machine="a2-highgpu-1g"), "spot-a100"),
            (l4(machine="a2-ultragpu-1g"), "spot-a100-80gb"),
            (l4(machine="a2-highgpu-1g", accelerator={"partition": "1g.5gb"}), "spot-a100-1g.5gb"),
            (l4(machine="a3-highgpu-8g", capacity="flex-start"), "spot-h100-80gb-flex-start"),
            (l4(machine="a3-highgpu-8g", capacity="queued-provisioning"), "spot-h100-80gb-queued"),
            (l4(machine="n2-standard-8"), "spot-cpu"),
            (l4("stable", machine="a4x-highgpu-4g", capacity="reservation", reservation={}), "stable-gb200-arm64"),
        ],
    )
    def test_is_named_by_what_sets_it_apart(self, pool: dict[str, Any], name: str):
        (flavor,) = [flavor for flavor in local_flavors(more=pool).values() if "more" in flavor.pools]
        assert flavor.name == name

    def test_is_meant_by_its_name_alone_where_most_pods_cannot_run(self):
        odd = l4(taints={"acme.example/odd": {"value": "yes", "effect": "NoSchedule"}})
        arm = l4("stable", machine="a4x-highgpu-4g", capacity="reservation", reservation={})
        flavors = local_flavors(arm=arm, odd=odd)
        assert {flavor.name for flavor in flavors.values() if not is_for_all(flavor)} == {"stable-gb200-arm64", "spot-pool-odd"}

    def test_has_a_topology_where_compact_nodes_are_always_there(self):
        fixed = {"perZone": {"minimum": 2, "maximum": 2}}
        flavors = local_flavors(fixed=l4("stable", placement={}, limits=fixed), growing=l4(placement={}), loose=l4("stable", limits=fixed))
        assert {flavor.name for flavor in flavors.values() if flavor.topology} == {"stable-pool-fixed"}

    def test_is_there_for_every_gpu_that_the_catalogue_knows(self):
        families = [gpu_family(name) for name in catalogue().accelerators]
        assert len(families) == len(set(families))


class TestTheCapacityOfAFlavor:
    @given(blueprints())
    def test_is_what_its_pools_leave_for_pods_at_their_largest(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            pools = [pool for pool in blueprint.pools if pool.name in flavor.pools]
            assert flavor.capacity.cpu <= sum(pool.max_nodes * pool_allocatable(pool).cpu for pool in pools)
            assert flavor.capacity.memory <= sum(pool.max_nodes * pool_allocatable(pool).memory for pool in pools)
            assert flavor.capacity.gpus == sum(pool.max_nodes * pool_allocatable(pool).gpus for pool in pools)

    def test_of_a_buffer_is_that_of_its_windows(self):
        blueprint = derive(check("a file", sections_of("local")))
        (buffer,) = [flavor for flavor in derive_flavors(blueprint.pools, {"buffer-l4": 2}) if flavor.role is Role.BUFFER]
        assert buffer.capacity.gpus == 2

    @given(blueprints())
    def test_is_never_exceeded_by_its_parts(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            whole = amount(flavor, flavor.capacity)
            for parts in ([whole], [1] * min(whole, 40), [whole // 3, whole // 3, whole - 2 * (whole // 3)]):
                found = [part(flavor, units) for units in parts]
                assert sum(one.cpu for one in found) <= flavor.capacity.cpu
                assert sum(one.memory for one in found) <= flavor.capacity.memory
                assert sum(one.gpus for one in found) <= flavor.capacity.gpus

    @given(blueprints())
    def test_gives_to_the_gpus_of_a_whole_node_all_that_pods_may_have_of_it(self, blueprint: Blueprint):
        for flavor in derive_flavors(blueprint.pools, {}):
            pools = [pool for pool in blueprint.pools if pool.name in flavor.pools]
            if flavor.gpu_family and len(pools) == 1:
                node = node_room(pools[0])
                assert part(flavor, node.gpus) == node
