"""The register of workload rules."""

from hybrid_pools.workload.rules import all_rules


def test_every_rule_tells_what_why_and_how_to_mend_it() -> None:
    for rule in all_rules():
        assert rule.title and not rule.title.endswith("."), rule.id
        assert rule.why.endswith("."), rule.id
        assert rule.fix.endswith("."), rule.id
        assert "\n" not in rule.message, rule.id


def test_the_first_rule_is_the_one_that_services_are_asked() -> None:
    assert [rule.id for rule in all_rules() if rule.of_services] == ["WORK-001"]


def test_ids_have_no_gaps() -> None:
    assert [rule.id for rule in all_rules()] == [f"WORK-{number:03}" for number in range(1, len(all_rules()) + 1)]
