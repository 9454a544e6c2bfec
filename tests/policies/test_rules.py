"""Every rule, judged as the engine does it: protocol message in, diagnostics out."""

from collections import defaultdict

import pytest

from policies.rules import all_rules
from tests.policies import (
    access_cases,
    bucket_cases,
    kubernetes_cases,
    monitoring_cases,
    node_cases,
    other_cases,
    pool_cases,
    schedule_cases,
)
from tests.policies.analysis import analyze, analyze_stack
from tests.policies.cases import SIX, Case, Kind, check
from tests.policies.given import COMPLIANT, Given

CASES = (
    *pool_cases.CASES,
    *node_cases.CASES,
    *other_cases.CLUSTER_CASES,
    *other_cases.IDENTITY_CASES,
    *other_cases.NETWORK_CASES,
    *other_cases.FLEET_CASES,
    *access_cases.CASES,
    *bucket_cases.CASES,
    *kubernetes_cases.CASES,
    *monitoring_cases.CASES,
    *schedule_cases.CASES,
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verdict(case: Case) -> None:
    check(case)


def test_every_rule_has_a_compliant_violating_absent_null_unknown_and_wrong_type_case() -> None:
    kinds: dict[str, set[Kind]] = defaultdict(set)
    for case in CASES:
        kinds[case.rule].add(case.kind)
    assert {rule.id: SIX - kinds[rule.id] for rule in all_rules() if not kinds[rule.id] >= SIX} == {}


def test_the_labels_of_cases_are_unique() -> None:
    assert len({str(case) for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "given",
    (
        *COMPLIANT,
        *access_cases.COMPLIANT,
        *bucket_cases.COMPLIANT,
        *kubernetes_cases.COMPLIANT,
        *monitoring_cases.COMPLIANT,
        *schedule_cases.COMPLIANT,
    ),
    ids=lambda given: given.name,
)
def test_a_compliant_resource_passes_every_rule(given: Given) -> None:
    assert [one for one in analyze(given) if "not known yet" not in one.message] == []


def test_a_compliant_stack_passes_every_rule() -> None:
    assert analyze_stack(COMPLIANT) == []


def test_a_resource_of_a_type_that_no_rule_reads_passes_without_a_word() -> None:
    assert analyze(Given("gcp:pubsub/topic:Topic", {"name": "t"})) == []
    assert analyze(Given("hybrid-node-pools:index:SpotPool", {})) == []
