"""All rules of the pack. Importing a module of rules registers them; a new one is added here."""

from policies import (  # noqa: F401 — imported for what they register
    access,
    buckets,
    clusters,
    fleet,
    identities,
    kubernetes,
    kubernetes_access,
    kubernetes_guards,
    kubernetes_queues,
    monitoring,
    networks,
    node_pools,
    nodes,
    schedules,
)
from policies.rule import RULES, Rule


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id."""
    return tuple(RULES[rule_id] for rule_id in sorted(RULES))
