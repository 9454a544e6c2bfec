"""The pack's configuration: what may be set, and the refusal of what may not.

The engine checks types by each rule's schema but lets keys and rule ids that nobody reads pass in silence, so that a misspelt
ceiling would seem to hold. Source: pkg/resource/analyzer/config.go of pulumi.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from policies.rule import Rule

_ALL = "all"
"""Pulumi's key for the level of every rule at once."""


def configuration_problems(given: Mapping[str, Mapping[str, object]], rules: Iterable[Rule]) -> list[str]:
    """What in a configuration nobody would read; empty when all of it is understood.

    Args:
        given: Settings by rule id, without the enforcement levels.
        rules: The rules of the pack.
    """
    by_id = {rule.id: rule for rule in rules}
    return [problem for rule_id, settings in sorted(given.items()) for problem in _problems(rule_id, settings, by_id)]


def _problems(rule_id: str, settings: Mapping[str, object], rules: Mapping[str, Rule]) -> Iterator[str]:
    if rule_id not in rules and rule_id != _ALL:
        yield f"{rule_id}: there is no such rule.{_meant(rule_id, rules)} The ids are listed in docs/policies.md."
        return
    known = [setting.key for setting in rules[rule_id].settings] if rule_id in rules else []
    for key in sorted(set(settings) - set(known)):
        allowed = f"Allowed are enforcementLevel, {', '.join(known)}" if known else "Only enforcementLevel is allowed"
        yield f"{rule_id}.{key}: there is no such setting.{_meant(key, known)} {allowed}."


def _meant(name: str, known: Iterable[str]) -> str:
    closest = get_close_matches(name, list(known), n=1)
    return f" Did you mean {closest[0]}?" if closest else ""
