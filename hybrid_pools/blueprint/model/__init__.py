"""The blueprint: what the configuration means, worked out once. Everything else reads it and decides nothing anew."""

from hybrid_pools.blueprint.model.access import Access
from hybrid_pools.blueprint.model.buckets import Bucket
from hybrid_pools.blueprint.model.environment import Blueprint, NodeAccount
from hybrid_pools.blueprint.model.monitoring import Monitoring
from hybrid_pools.blueprint.model.pools import Accelerators, BootDisk, LocalSsd, LocationPolicy, NodeLimits, Pool, ShutdownGrace
from hybrid_pools.blueprint.model.quotas import QuotaNeed
from hybrid_pools.blueprint.model.schedule import Schedule, ScheduledPool, SwitchJob
from hybrid_pools.blueprint.model.teams import Team

__all__ = [
    "Accelerators",
    "Access",
    "Blueprint",
    "BootDisk",
    "Bucket",
    "LocalSsd",
    "LocationPolicy",
    "Monitoring",
    "NodeAccount",
    "NodeLimits",
    "Pool",
    "QuotaNeed",
    "Schedule",
    "ScheduledPool",
    "ShutdownGrace",
    "SwitchJob",
    "Team",
]
