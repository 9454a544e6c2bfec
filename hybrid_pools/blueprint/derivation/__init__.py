"""From configuration to blueprint: pure functions, one file a part."""

from hybrid_pools.blueprint.derivation.environment import check, derive

__all__ = ["check", "derive"]
