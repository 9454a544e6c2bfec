"""The environment as a whole: the blueprint."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hybrid_pools.blueprint.catalogue import GkeVersion
from hybrid_pools.blueprint.configuration import (
    EnvironmentConfiguration,
    ExistingCluster,
    ExistingNetwork,
    NewCluster,
    NewNetwork,
)
from hybrid_pools.blueprint.model.access import Access
from hybrid_pools.blueprint.model.buckets import Bucket
from hybrid_pools.blueprint.model.monitoring import Monitoring
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.blueprint.model.quotas import QuotaNeed
from hybrid_pools.blueprint.model.schedule import Schedule
from hybrid_pools.blueprint.model.teams import Team
from hybrid_pools.blueprint.vocabulary import Role


@dataclass(frozen=True)
class NodeAccount:
    """The service account that the nodes of one role run as, with its project roles."""

    role: Role
    account_id: str
    display_name: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Blueprint:
    """An environment, fully decided.

    Attributes:
        network: None with an existing cluster, which has its own.
        cluster_version: Lowest version of the control plane, against which version gates were checked.
        apis: Google APIs that must be on.
        accounts: Node accounts of the roles that have pools.
        pools: In order of creation: stable pools first.
        resource_labels: Google Cloud labels for everything that takes them.
        teams: Sorted by name.
        buckets: One a kind, or none at all.
        quotas: What the pools count against Google's quotas at their largest.
        monitoring: None where nothing watches the environment.
        schedule: None where services keep the buffer.
        access: What people, workloads and automation are granted.
        kubernetes: None where nothing is declared inside the cluster.
    """

    environment: EnvironmentConfiguration
    network: NewNetwork | ExistingNetwork | None
    cluster: NewCluster | ExistingCluster
    cluster_version: GkeVersion
    apis: tuple[str, ...]
    accounts: tuple[NodeAccount, ...]
    propagation_seconds: int
    pools: tuple[Pool, ...]
    resource_labels: Mapping[str, str]
    teams: tuple[Team, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    quotas: tuple[QuotaNeed, ...] = ()
    monitoring: Monitoring | None = None
    schedule: Schedule | None = None
    access: Access = field(default_factory=Access)
    kubernetes: Kubernetes | None = None

    def pools_of(self, role: Role) -> tuple[Pool, ...]:
        """The pools of one role, in order of creation."""
        return tuple(pool for pool in self.pools if pool.role is role)
