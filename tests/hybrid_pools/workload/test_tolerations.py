"""A toleration is matched as Kubernetes matches it, in every combination of its fields."""

from itertools import product

import pytest

from hybrid_pools.blueprint.vocabulary import SPOT_ROLE_TAINT, SPOT_TAINT, Taint
from hybrid_pools.workload.reading import UNKNOWN, NotKnown, NotUnderstood, Value
from hybrid_pools.workload.tolerations import tolerates

_KEYS = (None, "", SPOT_TAINT.key, SPOT_ROLE_TAINT.key, "cloud.google.com/gke-spo", "other")
_OPERATORS = (None, "", "Equal", "Exists")
_VALUES = (None, "", "true", "spot", "false", "True")
_EFFECTS = (None, "", "NoSchedule", "NoExecute", "PreferNoSchedule")


def _by_kubernetes(toleration: dict[str, str], taint: Taint) -> bool:
    """`Toleration.ToleratesTaint` in words of its own: all that is said must match, and what is not said matches all."""
    said = {field: toleration.get(field, "") for field in ("key", "operator", "value", "effect")}
    effect_matches = not said["effect"] or said["effect"] == taint.effect
    key_matches = not said["key"] or said["key"] == taint.key
    value_matches = said["operator"] == "Exists" or said["value"] == taint.value
    return effect_matches and key_matches and value_matches


@pytest.mark.parametrize("taint", [SPOT_TAINT, SPOT_ROLE_TAINT], ids=str)
def test_every_combination_of_fields_is_matched_as_kubernetes_does(taint: Taint) -> None:
    seen = set()
    for key, operator, value, effect in product(_KEYS, _OPERATORS, _VALUES, _EFFECTS):
        given = {"key": key, "operator": operator, "value": value, "effect": effect}
        toleration = {field: text for field, text in given.items() if text is not None}
        expected = _by_kubernetes(toleration, taint)
        assert tolerates(Value(toleration), taint) is expected, toleration
        seen.add(expected)
    assert seen == {True, False}


@pytest.mark.parametrize("operator", ["Lt", "Gt", "exists", "In"])
def test_an_operator_that_is_not_known_counts_as_tolerating(operator: str) -> None:
    assert tolerates(Value({"key": SPOT_TAINT.key, "operator": operator, "value": "5"}), SPOT_TAINT)


def test_nothing_is_said_for_what_is_not_known_yet() -> None:
    with pytest.raises(NotKnown):
        tolerates(Value({"key": UNKNOWN, "operator": "Exists"}), SPOT_TAINT)


def test_nothing_is_said_for_what_is_no_toleration() -> None:
    with pytest.raises(NotUnderstood):
        tolerates(Value({"key": ["cloud.google.com/gke-spot"]}), SPOT_TAINT)
