"""A place in a resource's properties answers with a plain value, or says that it is not known or not understood."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    unknown_checking_proxy,
)

from hybrid_pools.workload.reading import NotReadable
from policies.reading import NotKnown, NotUnderstood, Value, all_true, any_true

UNKNOWNS = (UNKNOWN_ARRAY_VALUE, UNKNOWN_BOOLEAN_VALUE, UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE)
READERS = {"text": "a", "flag": True, "number": 3, "texts": ["a"]}


def proxied(inputs: dict[str, Any]) -> Value:
    return Value(unknown_checking_proxy(inputs))


@pytest.mark.parametrize("reader", READERS)
class TestEveryReader:
    def test_gives_what_stands_there(self, reader: str) -> None:
        assert getattr(proxied({"a": {"b": READERS[reader]}}).at("a.b"), reader)() == READERS[reader]

    @pytest.mark.parametrize("inputs", [{}, {"a": None}, {"a": {}}, {"a": {"b": None}}], ids=str)
    def test_gives_none_where_nothing_stands(self, reader: str, inputs: dict[str, Any]) -> None:
        assert getattr(proxied(inputs).at("a.b"), reader)() is None

    @pytest.mark.parametrize("unknown", UNKNOWNS)
    def test_names_the_innermost_known_place_of_what_is_not_known(self, reader: str, unknown: str) -> None:
        with pytest.raises(NotKnown) as outer:
            getattr(proxied({"a": unknown}).at("a.b"), reader)()
        with pytest.raises(NotKnown) as inner:
            getattr(proxied({"a": {"b": unknown}}).at("a.b"), reader)()
        assert (outer.value.path, inner.value.path) == ("a", "a.b")

    def test_does_not_understand_another_type(self, reader: str) -> None:
        for other in set(READERS) - {reader}:
            if (reader, other) != ("texts", "texts"):
                with pytest.raises(NotUnderstood):
                    getattr(proxied({"a": READERS[other]}).at("a"), reader)()


def test_whole_numbers_arrive_as_floats() -> None:
    assert proxied({"a": 3.0}).at("a").number() == 3


@pytest.mark.parametrize("odd", [3.5, float("nan"), float("inf"), True])
def test_a_number_that_is_not_whole_is_not_understood(odd: object) -> None:
    with pytest.raises(NotUnderstood, match="a whole number"):
        proxied({"a": odd}).at("a").number()


def test_elements_of_a_list_are_read_one_by_one() -> None:
    first, second = proxied({"a": [UNKNOWN_STRING_VALUE, {"b": "c"}]}).at("a").items()
    assert second.at("b").text() == "c"
    assert second.path == "a[1]"
    with pytest.raises(NotKnown):
        first.text()


verdicts = st.lists(st.sampled_from(["true", "false", "unknown"]), max_size=5)


def _checks(outcomes: list[str]) -> list[Any]:
    def check(outcome: str) -> bool:
        if outcome == "unknown":
            raise NotKnown("somewhere")
        return outcome == "true"

    return [lambda outcome=outcome: check(outcome) for outcome in outcomes]


@given(verdicts)
def test_any_true_holds_when_one_holds_and_is_open_only_when_the_open_ones_decide(outcomes: list[str]) -> None:
    if "true" in outcomes:
        assert any_true(_checks(outcomes)) is True
    elif "unknown" in outcomes:
        with pytest.raises(NotReadable):
            any_true(_checks(outcomes))
    else:
        assert any_true(_checks(outcomes)) is False


@given(verdicts)
def test_all_true_fails_when_one_fails_and_is_open_only_when_the_open_ones_decide(outcomes: list[str]) -> None:
    if "false" in outcomes:
        assert all_true(_checks(outcomes)) is False
    elif "unknown" in outcomes:
        with pytest.raises(NotReadable):
            all_true(_checks(outcomes))
    else:
        assert all_true(_checks(outcomes)) is True
