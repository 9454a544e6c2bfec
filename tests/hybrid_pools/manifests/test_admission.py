"""The admission policies as they are applied."""

import json
import re
from itertools import chain

import pytest

from hybrid_pools.blueprint.vocabulary import ADMISSION_PARAMETERS, SYSTEM_NAMESPACE, AdmissionMode
from hybrid_pools.manifests.admission import admission as manifests
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.workload.kinds import kinds
from hybrid_pools.workload.rules import all_rules
from tests.workloads import TEAM, admission


def policies(mode: AdmissionMode = AdmissionMode.DENY) -> dict[str, Manifest]:
    found = manifests(admission(mode))
    return {manifest["metadata"]["name"]: manifest for manifest in found if manifest["kind"] == "ValidatingAdmissionPolicy"}


def bindings(mode: AdmissionMode) -> dict[str, Manifest]:
    found = manifests(admission(mode))
    return {manifest["metadata"]["name"]: manifest for manifest in found if manifest["kind"] == "ValidatingAdmissionPolicyBinding"}


def expressions() -> list[str]:
    return [
        text
        for policy in policies().values()
        for text in chain(
            (variable["expression"] for variable in policy["spec"]["variables"]),
            (validation[key] for validation in policy["spec"]["validations"] for key in ("expression", "messageExpression")),
        )
    ]


class TestTheMode:
    @pytest.mark.parametrize(
        ("mode", "actions", "failure", "without_parameters"),
        [
            (AdmissionMode.AUDIT, ["Audit"], "Ignore", "Allow"),
            (AdmissionMode.WARN, ["Warn", "Audit"], "Ignore", "Allow"),
            (AdmissionMode.DENY, ["Deny", "Audit"], "Fail", "Deny"),
        ],
    )
    def test_decides_what_becomes_of_a_violation_and_of_what_cannot_be_judged(
        self, mode: AdmissionMode, actions: list[str], failure: str, without_parameters: str
    ):
        assert all(policy["spec"]["failurePolicy"] == failure for policy in policies(mode).values())
        for binding in bindings(mode).values():
            assert binding["spec"]["validationActions"] == actions
            assert binding["spec"].get("paramRef", {}).get("parameterNotFoundAction") in (without_parameters, None)

    def test_leaves_no_policy_without_a_binding(self):
        assert policies().keys() == bindings(AdmissionMode.DENY).keys()


class TestTheParameters:
    def test_come_before_what_reads_them(self):
        first = manifests(admission())[0]
        assert (first["kind"], first["metadata"]) == ("ConfigMap", {"name": ADMISSION_PARAMETERS, "namespace": SYSTEM_NAMESPACE})

    def test_hold_everything_that_is_of_one_environment_in_the_rules_on_workloads(self):
        for name in ("hybrid-pools-pods", "hybrid-pools-templates"):
            text = json.dumps(policies()[name]["spec"]["variables"])
            assert not [word for word in (TEAM, "audio", "spot-l4", "gke-spot=true:", "job-controller") if word in text]

    def test_are_not_what_their_own_keeping_stands_on(self):
        keeping = [policy for name, policy in policies().items() if name not in ("hybrid-pools-pods", "hybrid-pools-templates")]
        assert keeping
        assert all("paramKind" not in policy["spec"] for policy in keeping)
        assert not [policy["metadata"]["name"] for policy in keeping if "params." in json.dumps(policy)]


class TestThePolicies:
    def test_are_what_was_looked_at_last(self, snapshot):
        assert manifests(admission()) == snapshot

    def test_look_at_every_kind_that_makes_pods_once(self):
        looked_at = [
            (group, resource)
            for name in ("hybrid-pools-pods", "hybrid-pools-templates")
            for rule in policies()[name]["spec"]["matchConstraints"]["resourceRules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        ]
        assert sorted(looked_at) == sorted((kind.group, kind.plural) for kind in kinds().values())

    def test_state_every_rule(self):
        stated = set(re.findall(r"WORK-\d{3}", json.dumps(policies()["hybrid-pools-templates"])))
        assert stated == {rule.id for rule in all_rules()}

    def test_exempt_by_name_only_and_only_from_the_rules_on_pods(self):
        for name, policy in policies().items():
            selector = policy["spec"]["matchConstraints"]["namespaceSelector"].get("matchExpressions", [])
            keys = {expression["key"] for expression in selector}
            assert keys <= {"kubernetes.io/metadata.name"}, name
            assert bool(keys) is (name.removeprefix("hybrid-pools-") in ("pods", "templates", "bindings", "parameters")), name

    def test_stay_within_what_old_api_servers_read(self):
        """No two-variable macros (1.32), no cel.bind (never), no list functions of 1.34; parsers take up to 100,000 letters."""
        for text in expressions():
            assert not re.search(r"transform(List|Map|MapEntry)\(|cel\.bind|\.(flatten|distinct|sort|slice|reverse|first|last)\(", text)
            assert not re.search(r"\.(all|exists|exists_one)\(\w+, \w+,", text)
            assert len(text) < 100_000

    def test_have_messages_of_one_line_that_fit(self):
        for policy in policies().values():
            for validation in policy["spec"]["validations"]:
                assert "\n" not in validation["message"]
        assert max(len(rule.message) for rule in all_rules()) < 1024
