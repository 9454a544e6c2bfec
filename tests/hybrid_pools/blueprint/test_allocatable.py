"""What GKE leaves of a node for pods, against numbers that Google's page and real nodes print."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.allocatable import NodeShape, allocatable, capacity, pool_allocatable, pool_shape
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.catalogue.reservations import Step, reserved
from hybrid_pools.blueprint.model import Blueprint
from tests.strategies import blueprints

MACHINES = sorted(catalogue().machine_types)


@st.composite
def shapes(draw: st.DrawFn) -> NodeShape:
    machine = catalogue().machine_types[draw(st.sampled_from(MACHINES))]
    return NodeShape(
        machine=machine,
        gpus=machine.accelerator.count if machine.accelerator else 0,
        gpu_shares=draw(st.integers(1, 48)),
        boot_disk=draw(st.integers(10, 65536)),
        ephemeral_ssds=draw(st.integers(0, 32)),
        image_streaming=draw(st.booleans()),
        max_pods=draw(st.none() | st.integers(8, 256)),
    )


def shape(machine: str, **settings: int | bool) -> NodeShape:
    return replace(NodeShape(catalogue().machine_type(machine)), **settings)  # type: ignore[arg-type]


class TestPublishedNumbers:
    """The example of "Plan GKE Standard node sizes": 4 vCPUs, 15 GB, a boot disk of 100 GB."""

    def test_processors_are_those_of_the_page(self):
        assert allocatable(shape("n1-standard-4")).cpu == 3920

    def test_memory_that_a_node_shows_is_within_a_percent_of_the_page_and_not_above(self):
        assert 0.99 * 15399364 / 1024 <= capacity(shape("n1-standard-4")).memory <= 15399364 / 1024

    def test_storage_is_that_of_the_page_in_whole_gibibytes(self):
        node = shape("n1-standard-4")
        assert capacity(node).ephemeral_storage == 98831908 // 1024**2
        assert allocatable(node).ephemeral_storage == 47060071478 // 1024**3

    @pytest.mark.parametrize(("gib", "kept"), [(4, 1.0), (8, 1.8), (16, 2.6), (128, 9.32), (228, 11.32)], ids=lambda value: f"{value}")
    def test_memory_is_kept_in_the_steps_of_the_page(self, gib, kept):
        steps = (Step(first=4, fraction=0.25), Step(first=4, fraction=0.2), Step(first=8, fraction=0.1))
        assert reserved((*steps, Step(first=112, fraction=0.06), Step(first=None, fraction=0.02)), gib) == pytest.approx(kept)

    def test_one_local_ssd_leaves_its_size_less_a_tenth_and_50_gib(self):
        assert allocatable(shape("n2-standard-8", ephemeral_ssds=1)).ephemeral_storage == int(375 * 0.9 - 50)


class TestEveryShape:
    @given(shapes())
    def test_leaves_pods_something_and_never_more_than_the_node_shows(self, node):
        left, shown = allocatable(node), capacity(node)
        assert 0 < left.cpu < shown.cpu == node.machine.vcpus * 1000
        assert 0 < left.memory < shown.memory < node.machine.memory_gib * 1024
        assert 0 <= left.ephemeral_storage <= shown.ephemeral_storage
        assert left.gpus == shown.gpus == node.gpus * node.gpu_shares

    @given(shapes(), shapes())
    def test_a_larger_machine_never_leaves_less(self, one, other):
        small, large = sorted((one.machine, other.machine), key=lambda machine: (machine.vcpus, machine.memory_gib))
        if small.memory_gib <= large.memory_gib:
            assert allocatable(replace(one, machine=small)).cpu <= allocatable(replace(one, machine=large)).cpu
            assert allocatable(replace(one, machine=small)).memory <= allocatable(replace(one, machine=large)).memory

    @given(shapes())
    def test_image_streaming_costs_memory_and_nothing_else(self, node):
        without, streamed = (allocatable(replace(node, image_streaming=on)) for on in (False, True))
        assert streamed.memory < without.memory
        assert replace(streamed, memory=without.memory) == without

    def test_more_pods_than_usual_cost_400_millicores(self):
        usual, dense = (allocatable(shape("e2-standard-8", max_pods=pods)) for pods in (110, 111))
        assert usual.cpu - dense.cpu == 400


@given(blueprints())
def test_every_pool_of_a_blueprint_has_room_for_pods_and_offers_at_least_its_gpus(blueprint: Blueprint):
    for pool in blueprint.pools:
        left = pool_allocatable(pool)
        assert left.cpu > 0
        assert left.memory > 0
        assert left.gpus >= pool.gpus_per_node
        assert left.gpus % max(1, pool.gpus_per_node) == 0
        assert pool_shape(pool).machine is pool.machine
