"""Rules that no single field can check. Importing the package registers them all."""

from hybrid_pools.blueprint.rules import (
    access,
    buckets,
    capacity,
    cluster,
    fleet,
    hardware,
    kubernetes,
    monitoring,
    naming,
    network,
    queues,
    schedule,
    switching,
    upgrades,
)
from hybrid_pools.blueprint.rules.rule import POOL_RULES, SECTION_RULES, Finding, RuleInfo, judge

__all__ = [
    "POOL_RULES",
    "SECTION_RULES",
    "Finding",
    "RuleInfo",
    "access",
    "buckets",
    "capacity",
    "cluster",
    "fleet",
    "hardware",
    "judge",
    "kubernetes",
    "monitoring",
    "naming",
    "network",
    "queues",
    "schedule",
    "switching",
    "upgrades",
]
