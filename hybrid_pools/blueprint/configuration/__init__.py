"""What a stack file may say: one model a section, frozen, unknown keys refused."""

from hybrid_pools.blueprint.configuration.cluster import ClusterConfiguration, ExistingCluster, NewCluster
from hybrid_pools.blueprint.configuration.environment import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.identity import NodeIdentityConfiguration
from hybrid_pools.blueprint.configuration.network import ExistingNetwork, NetworkConfiguration, NewNetwork
from hybrid_pools.blueprint.configuration.pools import (
    BufferPoolConfiguration,
    PoolConfiguration,
    SpotPoolConfiguration,
    StablePoolConfiguration,
)
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration
from hybrid_pools.blueprint.configuration.stack import SECTIONS, StackConfiguration

__all__ = [
    "SECTIONS",
    "BufferPoolConfiguration",
    "ClusterConfiguration",
    "EnvironmentConfiguration",
    "ExistingCluster",
    "ExistingNetwork",
    "NetworkConfiguration",
    "NewCluster",
    "NewNetwork",
    "NodeIdentityConfiguration",
    "PoolConfiguration",
    "ScheduleConfiguration",
    "SpotPoolConfiguration",
    "StablePoolConfiguration",
    "StackConfiguration",
]
