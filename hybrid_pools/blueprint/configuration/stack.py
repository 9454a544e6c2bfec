"""The whole of a stack's configuration: one section a configuration key."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.cluster import ClusterConfiguration
from hybrid_pools.blueprint.configuration.environment import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.identity import NodeIdentityConfiguration
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.configuration.network import NetworkConfiguration
from hybrid_pools.blueprint.configuration.pools import PoolConfiguration

PoolName = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,25}[a-z0-9])?$")]
"""At most 27 characters: GKE allows 40, and Pulumi's suffix and ours take 13."""


class StackConfiguration(Model):
    """Everything a stack file says under `config:` for this project."""

    environment: EnvironmentConfiguration
    """Which environment this is: its project, region, owner and protection."""

    network: NetworkConfiguration
    """A new network with its ranges, or an existing one by name."""

    cluster: ClusterConfiguration
    """A new cluster with its version and maintenance window, or an existing one by name."""

    node_identity: NodeIdentityConfiguration = NodeIdentityConfiguration()
    """The accounts that nodes run as. Seldom needed."""

    pools: Annotated[dict[PoolName, Annotated[PoolConfiguration, Field(discriminator="role")]], Field(min_length=1)]
    """Pools by name. The name is the pool's identity, so renaming replaces the pool."""


SECTIONS = {field.alias or name: field for name, field in StackConfiguration.model_fields.items()}
"""The configuration keys of the project's namespace, as a stack file spells them."""
