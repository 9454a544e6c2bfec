"""Rules that no single field can check. Importing the package registers them all."""

from hybrid_pools.blueprint.rules import capacity, cluster, fleet, hardware, naming, network, upgrades
from hybrid_pools.blueprint.rules.rule import POOL_RULES, SECTION_RULES, Finding, RuleInfo, judge

__all__ = [
    "POOL_RULES",
    "SECTION_RULES",
    "Finding",
    "RuleInfo",
    "capacity",
    "cluster",
    "fleet",
    "hardware",
    "judge",
    "naming",
    "network",
    "upgrades",
]
