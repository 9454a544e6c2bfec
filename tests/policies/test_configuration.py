"""A configuration that nobody would read is refused before any resource is judged."""

import pytest

from policies.configuration import configuration_problems
from policies.rules import all_rules
from tests.policies.analysis import Refused, analyzer


def test_a_misspelt_setting_is_refused_and_the_right_one_named() -> None:
    with pytest.raises(Refused, match=r"POOL-008\.maxNode: there is no such setting. Did you mean maxNodes\? Allowed are .*maxGpus"):
        analyzer({"POOL-008": {"maxNode": 3}})


def test_a_setting_of_a_rule_without_settings_is_refused() -> None:
    with pytest.raises(Refused, match=r"POOL-001\.maxNodes: .*Only enforcementLevel is allowed"):
        analyzer({"POOL-001": {"maxNodes": 3}})


def test_a_misspelt_rule_is_refused_and_the_closest_named() -> None:
    with pytest.raises(Refused, match=r"POOL-08: there is no such rule\. Did you mean POOL-008"):
        analyzer({"POOL-08": {"maxNodes": 3}})


def test_every_mistake_is_named_at_once() -> None:
    problems = configuration_problems({"POOL-08": {}, "POOL-008": {"a": 1, "b": 2}}, all_rules())
    assert len(problems) == 3


def test_every_setting_of_every_rule_is_accepted_and_so_is_the_level_of_all() -> None:
    given = {rule.id: {setting.key: setting.default for setting in rule.settings} for rule in all_rules()}
    assert configuration_problems(given | {"all": {}}, all_rules()) == []
