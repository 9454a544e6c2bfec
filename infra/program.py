"""The composition: which component gets what from which, and in which order."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.apis import Apis, ApisArgs
from components.buckets import Buckets, BucketsArgs
from components.buffer_pool import BufferPool
from components.buffer_schedule import BufferSchedule, BufferScheduleArgs
from components.cluster import Cluster, ClusterArgs
from components.continuous_integration import ContinuousIntegration
from components.failures import failure_hook
from components.monitoring import Monitoring, MonitoringArgs
from components.network import Network, NetworkArgs
from components.node_identity import NodeIdentity, NodeIdentityArgs
from components.node_pool import PoolArgs
from components.siblings import Siblings
from components.spot_pool import SpotPool
from components.stable_pool import StablePool
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import BucketKind, Role
from infra.access import compose_access, folders_of

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
    ci: ContinuousIntegration | None
    monitoring: Monitoring | None
    buckets: Buckets | None


def compose(blueprint: Blueprint) -> Environment:
    """Declare everything of an environment.

    Order: APIs, accounts and roles, network, cluster, stable pools, then spot and buffer pools beside each other. The
    latter do not wait for each other, so that one that is out of stock does not hold the others up; Google's provider holds back
    operations that would collide on one cluster. What is inside the cluster waits for the stable pools only, for the same reason.
    """
    environment = blueprint.environment
    google = gcp.Provider("google", project=environment.project, region=environment.region)
    base = pulumi.ResourceOptions(provider=google)

    def after(*resources: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(provider=google, depends_on=list(resources))

    def protected(*resources: pulumi.Resource) -> pulumi.ResourceOptions:
        # Children inherit it: a destroy of a protected environment by mistake shall not take its way to the internet away first.
        return pulumi.ResourceOptions(provider=google, depends_on=list(resources), protect=environment.protected)

    apis = Apis(environment.name, ApisArgs(environment.project, blueprint.apis), base)
    identity = NodeIdentity(environment.name, NodeIdentityArgs(environment.project, blueprint.accounts), protected(apis))
    network = (
        Network(environment.name, NetworkArgs(blueprint.network, environment.project, environment.region, identity.emails), protected(apis))
        if blueprint.network
        else None
    )
    siblings = Siblings()
    on_error = failure_hook(blueprint.propagation_seconds, siblings)
    cluster = Cluster(
        environment.name,
        ClusterArgs(
            cluster=blueprint.cluster,
            version=blueprint.cluster_version,
            environment=environment,
            resource_labels=blueprint.resource_labels,
            network=network,
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
            PoolArgs(
                pool,
                cluster.cluster_name,
                environment.region,
                identity.emails[pool.role],
                on_error,
                None if pool.role is Role.STABLE else siblings,
            ),
            after(identity, *stable),
        )
        pools[pool.name] = component
        if pool.role is Role.STABLE:
            stable.append(component)
    if blueprint.kubernetes is not None:
        # An environment without this side shall not pay for it at each preview.
        from infra.kubernetes import compose_kubernetes  # noqa: PLC0415

        compose_kubernetes(blueprint, blueprint.kubernetes, cluster, stable, siblings)
    granted: list[pulumi.Resource] = [identity, cluster]
    if blueprint.schedule is not None:
        buffers = {pool.name: pools[pool.name].node_pool_name for pool in blueprint.pools_of(Role.BUFFER)}
        schedule = BufferSchedule(
            environment.name,
            BufferScheduleArgs(blueprint.schedule, environment.project, environment.region, cluster.cluster_name, buffers),
            after(apis),
        )
        granted.append(schedule)
    buckets = (
        Buckets(environment.name, BucketsArgs(environment.project, blueprint.buckets, on_error), after(apis)) if blueprint.buckets else None
    )
    ci = compose_access(blueprint, folders_of(buckets), after(apis), grants_after=granted, on_error=on_error)
    monitoring = (
        Monitoring(
            environment.name,
            MonitoringArgs(
                blueprint.monitoring,
                environment.project,
                blueprint.resource_labels,
                cluster.cluster_name,
                buckets.names[BucketKind.CHECKPOINTS] if buckets else None,
            ),
            after(apis),
        )
        if blueprint.monitoring
        else None
    )
    return Environment(cluster, pools, ci, monitoring, buckets)
