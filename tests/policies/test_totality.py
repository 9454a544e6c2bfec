"""No rule fails, whatever stands in a resource: findings and open questions are all that comes out."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi_policy.deserialize import deserialize_properties
from pulumi_policy.proxy import unknown_checking_proxy

from hybrid_pools.workload.reading import UNKNOWN as UNREADABLE
from policies.reading import Value
from policies.rule import Finding, NotKnownYet, Options, Resource, Rule, Stack, View
from policies.rules import all_rules
from tests.policies import access_cases, bucket_cases, kubernetes_cases, monitoring_cases
from tests.policies.given import ABSENT, BUCKET_GRANT, COMPLIANT, KEY, UNKNOWN, Given

SUBJECTS = (
    *COMPLIANT,
    BUCKET_GRANT,
    KEY,
    *access_cases.SPOILABLE,
    *bucket_cases.SPOILABLE,
    *kubernetes_cases.SPOILABLE,
    *monitoring_cases.COMPLIANT,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just(UNKNOWN)
    | st.sampled_from(["true", "projects/p", "0.0.0.0/0"])
)
garbage = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=6
)

configurations = st.fixed_dictionaries({}, optional={setting.key: garbage for rule in all_rules() for setting in rule.settings})


def places(inputs: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every place in a resource's properties that a rule may come by."""
    if not isinstance(inputs, Mapping):
        return []
    return [place for key, value in inputs.items() for place in ((*path, key), *places(value, (*path, key)))]


@st.composite
def spoilt(draw: st.DrawFn) -> Given:
    """A resource of a known kind with garbage in up to three places."""
    resource = draw(st.sampled_from(SUBJECTS))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(places(resource.inputs) or [("any",)]))
        resource = resource.but({place: draw(garbage | st.just(ABSENT))})
    return resource


def judge(rule: Rule, *resources: Given, configuration: Any = None) -> list[Any]:
    seen = [
        Resource(one.type, one.name, one.urn, Value(unknown_checking_proxy(deserialize_properties(dict(one.inputs)))), Options(one.protect))
        for one in resources
    ]
    if issubclass(rule.subject, Stack):
        return list(rule.judge(Stack(Value(configuration), seen)))
    assert issubclass(rule.subject, View)
    return [verdict for one in seen if rule.subject.reads(one.type) for verdict in rule.judge(rule.subject(Value(configuration), one))]


class TestEveryRule:
    @given(st.lists(spoilt(), min_size=1, max_size=4))
    @settings(deadline=None, max_examples=150)
    def test_judges_any_spoilt_resources_without_failing(self, resources: list[Given]) -> None:
        for rule in all_rules():
            for verdict in judge(rule, *resources):
                assert isinstance(verdict, Finding | NotKnownYet)

    @given(spoilt())
    @settings(deadline=None, max_examples=150)
    def test_names_only_places_below_the_resource(self, resource: Given) -> None:
        for rule in all_rules():
            for verdict in judge(rule, resource):
                assert not verdict.path.startswith((".", "["))

    @given(spoilt(), configurations)
    @settings(deadline=None, max_examples=50)
    def test_judges_under_any_configuration_without_failing(self, resource: Given, configuration: dict[str, Any]) -> None:
        for rule in all_rules():
            judge(rule, resource, configuration=unknown_checking_proxy(configuration))

    @pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
    def test_never_takes_what_is_wholly_unknown_for_a_pass_where_it_finds_fault_with_nothing(self, rule: Rule) -> None:
        """Where an empty resource is a violation, one of which nothing is known must at least be an open question."""
        for resource in SUBJECTS:
            if judge(rule, Given(resource.type, {})):
                hidden = Resource(resource.type, "r", "urn", Value(UNREADABLE))
                subject = Stack(Value(None), [hidden]) if issubclass(rule.subject, Stack) else rule.subject(Value(None), hidden)  # type: ignore[call-arg]
                assert list(rule.judge(subject))
