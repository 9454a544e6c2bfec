"""Pods match nodes as in Kubernetes' scheduler."""

from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import GPU_TAINT, SPOT_TAINT
from lab.nodes.amounts import amounts
from lab.nodes.matching import fits, selected, tolerated
from lab.nodes.objects import requests
from tests.lab.nodes.given import a_pod, node, pool

LABELS = {"zone": "a", "cores": "8"}
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


class TestSelection:
    @pytest.mark.parametrize(
        ("spec", "chosen"),
        [
            ({}, True),
            ({"nodeSelector": {"zone": "a"}}, True),
            ({"nodeSelector": {"zone": "b"}}, False),
            ({"nodeSelector": {"zone": "a", "none": ""}}, False),
            (affinity(expression("zone", "In", "a", "b")), True),
            (affinity(expression("zone", "NotIn", "a")), False),
            (affinity(expression("none", "NotIn", "a")), True),
            (affinity(expression("zone", "Exists")), True),
            (affinity(expression("zone", "DoesNotExist")), False),
            (affinity(expression("cores", "Gt", "7")), True),
            (affinity(expression("cores", "Lt", "8")), False),
            (affinity(expression("zone", "Gt", "1")), False),
            (affinity(expression("zone", "In", "b"), expression("zone", "In", "a")), True),
            (affinity({}), False),
            (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}), True),
            (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}), False),
        ],
    )
    def test_follows_selector_and_required_affinity(self, spec, chosen):
        assert selected(spec, "n", LABELS) is chosen


class TestToleration:
    @pytest.mark.parametrize(
        ("toleration", "covers"),
        [
            ({"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, True),
            ({"key": "k", "value": "v"}, True),
            ({"key": "k", "operator": "Exists"}, True),
            ({"operator": "Exists"}, True),
            ({"key": "k", "operator": "Equal", "value": "w"}, False),
            ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False),
            ({"key": "j", "operator": "Exists"}, False),
            ({"operator": "Equal", "value": "v"}, False),
        ],
    )
    def test_covers_what_kubernetes_says(self, toleration, covers):
        assert tolerated([toleration], [TAINT]) is covers

    def test_a_taint_that_only_prefers_keeps_nobody_away(self):
        assert tolerated([], [{**TAINT, "effect": "PreferNoSchedule"}])


class TestRequests:
    def test_sidecars_count_with_containers_and_the_largest_init_container_beside_them(self):
        def container(cpu: str, **more: str) -> dict[str, Any]:
            return {"name": "c", "resources": {"requests": {"cpu": cpu}}, **more}

        spec = {
            "initContainers": [container("100m", restartPolicy="Always"), container("3")],
            "containers": [container("1"), container("500m")],
            "overhead": {"cpu": "50m"},
        }
        assert requests(spec) == {"cpu": 3150, "pods": 1}

    def test_amounts_are_rounded_up(self):
        assert amounts({"cpu": "0.1", "memory": "1.5Ki", "nvidia.com/gpu": "2"}) == {"cpu": 100, "memory": 1536, "nvidia.com/gpu": 2}


class TestFit:
    of = pool()

    @pytest.mark.parametrize(
        ("wanted", "fit"),
        [
            (a_pod(gpus=2), True),
            (a_pod(gpus=3), False),
            (a_pod(cpu="24"), False),
            (a_pod(tolerates=(SPOT_TAINT,)), False),
            (a_pod(tolerates=(GPU_TAINT,)), False),
        ],
        ids=["all GPUs", "too many GPUs", "the whole machine", "without the GPU taint", "without the spot taint"],
    )
    def test_needs_room_and_every_toleration(self, wanted, fit):
        found = node(self.of)
        assert fits(wanted, found.name, found.labels, found.taints, found.allocatable) is fit
