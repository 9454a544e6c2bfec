"""Who goes first."""

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import WorkloadClass
from hybrid_pools.manifests.priorities import priority_classes, queue_priority_classes
from tests.hybrid_pools.manifests.test_queues import inside


class TestEveryClass:
    def test_has_the_same_value_on_nodes_and_in_queues(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            on_nodes = {one["metadata"]["name"]: one["value"] for one in priority_classes(kubernetes)}
            in_queues = {one["metadata"]["name"]: one["value"] for one in queue_priority_classes(kubernetes)}
            assert on_nodes == in_queues == {policy.priority_class: policy.priority for policy in kubernetes.classes}

    def test_pushes_others_off_nodes_only_if_it_waits_in_no_queue(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            services = {policy.priority_class for policy in kubernetes.classes if policy.workload_class is WorkloadClass.SERVICE}
            pushing = {one["metadata"]["name"] for one in priority_classes(kubernetes) if one["preemptionPolicy"] != "Never"}
            assert pushing == services

    def test_is_not_the_default_of_the_cluster(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            assert not any(one["globalDefault"] for one in priority_classes(inside(blueprint)))
