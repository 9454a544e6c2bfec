"""What the engine is told: levels, settings, several verdicts of one rule, and a rule that fails."""

from collections.abc import Iterator
from typing import Any

from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel

from policies.adapter import Analyzer, policies
from policies.rule import RULES, Finding, NotKnownYet, Rule, Severity, Verdict, judge_each
from policies.rules import all_rules
from policies.views import NodePoolInputs
from tests.policies.analysis import analyze, analyze_stack, analyzer
from tests.policies.given import SPOT_POOL, STABLE_POOL, UNKNOWN, Given


def _rule(check, severity: Severity = Severity.MANDATORY) -> Rule:
    return Rule("POOL-003", "title", severity, "why.", "fix.", (), (), NodePoolInputs, check)


def test_every_rule_is_one_policy_with_its_own_level() -> None:
    assert {policy.name: policy.enforcement_level for policy in policies()} == {
        rule.id: EnforcementLevel(rule.severity) for rule in all_rules()
    }


def test_a_rule_that_fails_names_itself_and_stops_the_operation_without_ending_the_pack() -> None:
    def fails(pool: NodePoolInputs) -> Iterator[Verdict]:
        yield Finding("a", "found first")
        raise KeyError("gone")

    (first, second) = analyze(SPOT_POOL, None, [_rule(fails)])
    assert "found first" in first.message
    assert second.level == "mandatory"
    assert "KeyError('gone')" in second.message
    assert "disable POOL-003" in second.message


def test_everything_that_waits_is_said_once_in_one_advice() -> None:
    def waits(pool: NodePoolInputs) -> Iterator[Verdict]:
        yield NotKnownYet("b")
        yield NotKnownYet("a")
        yield NotKnownYet("b")

    (only,) = analyze(SPOT_POOL, None, [_rule(waits)])
    assert only.level == "advisory"
    assert only.message.endswith("not known yet: b, a")


def test_advice_of_a_stack_rule_names_the_resource() -> None:
    given = [SPOT_POOL.but({"cluster": UNKNOWN}), STABLE_POOL]
    (only,) = analyze_stack(given, None, [RULES["FLEET-001"]])
    assert "cluster of spot-pool" in only.message


def test_a_violation_of_a_stack_rule_blames_the_pool() -> None:
    (only,) = analyze_stack([SPOT_POOL], None, [RULES["FLEET-001"]])
    assert only.urn == SPOT_POOL.urn


def test_a_value_of_the_wrong_type_is_not_printed_because_secrets_arrive_in_plain_text() -> None:
    (only,) = analyze(SPOT_POOL.but({"nodeConfig.taints": "hunter2"}), None, [RULES["POOL-001"]])
    assert "hunter2" not in only.message


def test_parts_that_cannot_be_read_do_not_hide_the_others() -> None:
    def each(pool: NodePoolInputs) -> Iterator[Verdict]:
        yield from judge_each(pool.at("nodeLocations").items(), lambda zone: iter([Finding(zone.path, str(zone.text()))]))

    verdicts = analyze(SPOT_POOL.but({"nodeLocations": [7, UNKNOWN, "us-central1-a"]}), None, [_rule(each)])
    assert [verdict.level for verdict in verdicts] == ["mandatory", "mandatory", "advisory"]


def test_resources_of_other_types_are_not_looked_at() -> None:
    fails = _rule(lambda _: iter([Finding("", "looked at")]))
    assert analyze(Given("gcp:storage/bucket:Bucket", {}), None, [fails]) == []


def test_a_setting_left_out_has_its_default_even_when_the_engine_does_not_send_it() -> None:
    rule = RULES["POOL-008"]
    request = proto.AnalyzeRequest(type=SPOT_POOL.type, name="p", urn=SPOT_POOL.urn)
    request.properties.update(SPOT_POOL.but({"autoscaling.totalMaxNodeCount": 101}).inputs)
    server: Any = Analyzer("pack", "1", policies([rule]), EnforcementLevel.MANDATORY)
    response = server.Analyze(request, None)
    assert "the ceiling is 100" in response.diagnostics[0].message


def test_the_server_tells_the_engine_the_schema_of_every_setting() -> None:
    told = {policy.name: set(policy.configSchema.properties) for policy in analyzer().GetAnalyzerInfo(None, None).policies}
    assert told == {rule.id: {setting.key for setting in rule.settings} for rule in all_rules()}
