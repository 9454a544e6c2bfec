"""All workload rules. Importing a module of rules registers them; a new one is added here."""

from functools import cache

from hybrid_pools.workload import pod_rules, text_rules, whole_rules  # noqa: F401 - imported for what they register
from hybrid_pools.workload.kinds import Kind
from hybrid_pools.workload.rule import RULES, Rule, Scope


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id."""
    return tuple(RULES[rule_id] for rule_id in sorted(RULES))


@cache
def rules_on(scope: Scope) -> tuple[Rule, ...]:
    """The rules on one scope, by id."""
    return tuple(rule for rule in all_rules() if rule.scope is scope)


@cache
def asked_of(kind: Kind, scope: Scope) -> tuple[Rule, ...]:
    """The rules on every pod, or on those that ask for spot, that pods of the kind are asked."""
    answers_for_itself = scope is Scope.EVERY_POD or kind.batch
    return tuple(rule for rule in rules_on(scope) if (answers_for_itself or rule.of_services) and (not kind.partial or rule.of_fragments))
