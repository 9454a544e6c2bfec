"""`docs/policies.md` says everything about every rule."""

from policies.document import render
from policies.rules import all_rules


def test_names_every_rule_with_its_reason_its_fix_and_its_links() -> None:
    text = render()
    for rule in all_rules():
        section = text.split(f"### {rule.id}\n")[1].split("\n### ")[0]
        assert all(part in section for part in (rule.title, rule.severity, rule.why, rule.fix, *rule.links))


def test_names_every_setting_with_its_default() -> None:
    text = render()
    for rule in all_rules():
        for setting in rule.settings:
            assert any(line.startswith(f"| {rule.id} | `{setting.key}` | {setting.meaning}") for line in text.splitlines())


def test_is_the_same_each_time() -> None:
    assert render() == render()
