"""The composition: which component gets what from which, and in which order."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.apis import Apis, ApisArgs
from components.buffer_pool import BufferPool
from components.cluster import Cluster, ClusterArgs
from components.failures import failure_hook
from components.network import Network, NetworkArgs
from components.node_identity import NodeIdentity, NodeIdentityArgs
from components.node_pool import PoolArgs
from components.spot_pool import SpotPool
from components.stable_pool import StablePool
from hybrid_pools.blueprint import Blueprint
from hybrid_pools.blueprint.vocabulary import Role

PoolComponent = StablePool | SpotPool | BufferPool
_COMPONENTS: dict[Role, type[StablePool] | type[SpotPool] | type[BufferPool]] = {
    Role.STABLE: StablePool,
    Role.SPOT: SpotPool,
    Role.BUFFER: BufferPool,
}


@dataclass(frozen=True)
class Environment:
    """What was composed, for the outputs."""

    cluster: Cluster
    pools: dict[str, PoolComponent]


def compose(blueprint: Blueprint) -> Environment:
    """Declare everything of an environment.

    Order: APIs, accounts and roles, network, cluster, stable pools, then spot and buffer pools beside each other. The
    latter do not wait for each other, so that one that is out of stock does not hold the others up; Google's provider holds back
    operations that would collide on one cluster.
    """
    environment = blueprint.environment
    google = gcp.Provider("google", project=environment.project, region=environment.region)
    base = pulumi.ResourceOptions(provider=google)

    def after(*resources: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(provider=google, depends_on=list(resources))

    apis = Apis(environment.name, ApisArgs(environment.project, blueprint.apis), base)
    identity = NodeIdentity(environment.name, NodeIdentityArgs(environment.project, blueprint.accounts), after(apis))
    network = Network(
        environment.name, NetworkArgs(blueprint.network, environment.project, environment.region, identity.emails), after(apis)
    )
    on_error = failure_hook(blueprint.propagation_seconds)
    cluster = Cluster(
        environment.name,
        ClusterArgs(
            cluster=blueprint.cluster,
            version=blueprint.cluster_version,
            environment=environment,
            resource_labels=blueprint.resource_labels,
            network=network.network,
            subnetwork=network.subnetwork,
            pods_range=network.pods_range,
            services_range=network.services_range,
            service_account=identity.emails.get(Role.STABLE),
            on_error=on_error,
        ),
        after(apis, identity),
    )
    pools: dict[str, PoolComponent] = {}
    stable: list[pulumi.Resource] = []
    for pool in blueprint.pools:
        component = _COMPONENTS[pool.role](
            pool.name,
            PoolArgs(pool, cluster.cluster_name, environment.region, identity.emails[pool.role], on_error),
            after(identity, *stable),
        )
        pools[pool.name] = component
        if pool.role is Role.STABLE:
            stable.append(component)
    return Environment(cluster, pools)
