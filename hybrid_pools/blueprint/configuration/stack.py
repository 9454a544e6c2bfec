"""The whole of a stack's configuration: one section a configuration key."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.buckets import BucketsConfiguration
from hybrid_pools.blueprint.configuration.cluster import ClusterConfiguration
from hybrid_pools.blueprint.configuration.environment import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.identity import NodeIdentityConfiguration
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.configuration.monitoring import MonitoringConfiguration
from hybrid_pools.blueprint.configuration.network import NetworkConfiguration
from hybrid_pools.blueprint.configuration.pools import PoolConfiguration
from hybrid_pools.blueprint.configuration.queues import QueuesConfiguration
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration
from hybrid_pools.blueprint.configuration.teams import TeamConfiguration, TeamName

PoolName = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,25}[a-z0-9])?$")]
"""At most 27 characters: GKE allows 40, and Pulumi's suffix and ours take 13."""


class StackConfiguration(Model):
    """Everything a stack file says under `config:` for this project."""

    environment: EnvironmentConfiguration
    """Which environment this is: its project, region, owner and protection."""

    network: NetworkConfiguration | None = None
    """A new network with its ranges, or an existing one by name. Needed for a new cluster; an existing cluster has its own."""

    cluster: ClusterConfiguration
    """A new cluster with its version and maintenance window, or an existing one by name."""

    node_identity: NodeIdentityConfiguration = NodeIdentityConfiguration()
    """The accounts that nodes run as. Seldom needed."""

    pools: Annotated[dict[PoolName, Annotated[PoolConfiguration, Field(discriminator="role")]], Field(min_length=1)]
    """Pools by name. The name is the pool's identity, so renaming replaces the pool."""

    buckets: BucketsConfiguration | None = None
    """Buckets for datasets, checkpoints and artifacts. Left out: none are made."""

    access: AccessConfiguration | None = None
    """Who may do what beside the teams: on-call, platform engineers, contractors, continuous integration."""

    teams: dict[TeamName, TeamConfiguration] = Field(default_factory=dict)
    """Teams by name. Their folders, accounts and rights are named after them."""

    monitoring: MonitoringConfiguration | None = None
    """Dashboard, alerts and budget. Left out: nothing watches the environment."""

    schedule: ScheduleConfiguration | None = None
    """When buffer pools change hands between services and training. Left out: services keep them."""

    kubernetes: KubernetesConfiguration | None = None
    """What is declared inside the cluster: priorities, namespaces, queues, admission policies. Left out: nothing is."""

    queues: QueuesConfiguration | None = None
    """Quotas of the teams, and each class's order of pools. Needed with kubernetes."""


SECTIONS = {field.alias or name: field for name, field in StackConfiguration.model_fields.items()}
"""The configuration keys of the project's namespace, as a stack file spells them."""
