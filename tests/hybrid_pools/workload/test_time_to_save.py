"""A pod is held to the time of the nodes that it can get to, and of no others."""

from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, CHECKPOINT_SAVE_ANNOTATION, FLAVOR_LABEL
from hybrid_pools.workload.judging import judge
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
        (required([by_name("spot-l4")], [by_name("spot-t4")]), False),
        (required([by_name("spot-l4")], [{"key": "zone", "operator": "Exists"}]), False),
        (required([by_name("spot-l4", "spot-t4"), by_name("spot-l4")]), True),
        (required([by_name("spot-t4", operator="NotIn")]), False),
        (required([by_name("buffer-l4")]), False),
        ({**required([by_name("spot-l4", "spot-t4")]), "nodeSelector": {ACCELERATOR_LABEL: "nvidia-l4"}}, True),
    ],
)
def test_only_flavors_that_the_pod_reaches_count(spec: dict[str, Any], expected: bool):
    assert fits(**spec) is expected
