"""A pod is held to the time of the nodes that it can get to, and of no others; where these are none of spot, it does not ask for spot."""

from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    FLAVOR_LABEL,
    SPOT_KEY,
    WorkloadClass,
    local_queue,
)
from hybrid_pools.workload.asking import asks_for_spot
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.reading import Value
from hybrid_pools.workload.rule import Verdict
from tests.workloads import admission, honest_job, honest_template

SLOW = "60"
"""Seconds to save that fit on spot-l4, which leaves 105, and not on spot-t4, which leaves 15."""


def by_name(*flavors: str, operator: str = "In") -> dict[str, Any]:
    return {"key": FLAVOR_LABEL, "operator": operator, "values": list(flavors)}


def required(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    selected = [{"matchExpressions": expressions} for expressions in terms]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": selected}}}}


def fits(**spec: Any) -> bool:
    template = honest_template()
    template["metadata"]["annotations"][CHECKPOINT_SAVE_ANNOTATION] = SLOW
    template["spec"] |= {"terminationGracePeriodSeconds": 105, **spec}
    (found,) = [each for each in judge(honest_job(template), admission()) if each.rule is not None and each.rule.id == "WORK-006"]
    return found.verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, False),
        ({"nodeSelector": {FLAVOR_LABEL: "spot-l4"}}, True),
        ({"nodeSelector": {ACCELERATOR_LABEL: "nvidia-l4"}}, True),
        (required([by_name("spot-l4", "buffer-l4")]), True),
        (required([by_name("spot-l4", "spot-t4")]), False),
        (required([by_name("spot-l4")], [by_name("buffer-l4")]), True),
        (required([by_name("spot-l5")], [by_name("spot-t4")]), False),
        (required([by_name("spot-l4")], [by_name("spot-t4")]), False),
        (required([by_name("spot-l4")], [{"key": "zone", "operator": "Exists"}]), False),
        (required([by_name("spot-l4", "spot-t4"), by_name("spot-l4")]), True),
        (required([by_name("spot-t4", operator="NotIn")]), False),
        ({**required([by_name("spot-l4", "spot-t4")]), "nodeSelector": {ACCELERATOR_LABEL: "nvidia-l4"}}, True),
    ],
)
def test_only_flavors_that_the_pod_reaches_count(spec: dict[str, Any], expected: bool):
    assert fits(**spec) is expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, True),
        (required([by_name("buffer-l4", "stable-l4")]), False),
        (required([by_name("buffer-l4", "spot-l4")]), True),
        (required([by_name("buffer-l4")], [by_name("stable-l4")]), False),
        (required([by_name("buffer-l4")], [{"key": "zone", "operator": "Exists"}]), True),
        (required([by_name("buffer-l4", "spot-l4"), by_name("buffer-l4")]), True),
        (required([by_name("spot-l4", operator="NotIn")]), True),
        ({**required([by_name("buffer-l4")]), "nodeSelector": {SPOT_KEY: "true"}}, True),
        ({**required([by_name("buffer-l4")]), "tolerations": [{"operator": "Exists"}]}, True),
    ],
)
def test_a_pod_of_a_spot_queue_asks_for_spot_unless_the_flavors_that_it_names_are_others(spec: dict[str, Any], expected: bool):
    template = honest_template()
    template["spec"] |= spec
    assert asks_for_spot(Value(template), local_queue(WorkloadClass.TRAINING), admission()) is expected
