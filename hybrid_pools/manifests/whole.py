"""Everything inside the cluster, in order of creation."""

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.manifests.admission import admission
from hybrid_pools.manifests.buffer import buffer
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.namespaces import platform_namespaces, team_namespace
from hybrid_pools.manifests.priorities import priority_classes
from hybrid_pools.manifests.queues import cluster_wide_queues


def manifests(blueprint: Blueprint) -> tuple[Manifest, ...]:
    """Every object. Nothing where the environment declares nothing inside its cluster.

    The policies come before the namespaces that they guard. The cluster queues come before them too: taken away in the reverse order, a
    namespace takes its jobs with it, and only a cluster queue without workloads can be deleted.
    """
    kubernetes = blueprint.kubernetes
    if kubernetes is None:
        return ()
    return (
        *platform_namespaces(blueprint),
        *priority_classes(kubernetes),
        *cluster_wide_queues(kubernetes),
        *admission(kubernetes.admission),
        *(one for team in blueprint.teams for one in team_namespace(blueprint, kubernetes, team)),
        *buffer(kubernetes),
    )
