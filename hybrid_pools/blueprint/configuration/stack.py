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
    network: NetworkConfiguration
    cluster: ClusterConfiguration
    node_identity: NodeIdentityConfiguration = NodeIdentityConfiguration()
    pools: Annotated[dict[PoolName, Annotated[PoolConfiguration, Field(discriminator="role")]], Field(min_length=1)]
    """By name; the name is the pool's identity, so renaming replaces the pool."""


SECTIONS = {field.alias or name: field for name, field in StackConfiguration.model_fields.items()}
"""The configuration keys of the project's namespace, as a stack file spells them."""
