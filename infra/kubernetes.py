"""The part of the composition that is inside the cluster."""

from collections.abc import Sequence

import pulumi

from components.admission import Admission, AdmissionArgs
from components.buffer_switches import BufferSwitches, BufferSwitchesArgs
from components.charts import Charts, ChartsArgs
from components.cluster import Cluster
from components.kubernetes_access import ClusterAddress, kubernetes_provider, unreachable_hook
from components.platform_namespaces import PlatformNamespaces, PlatformNamespacesArgs
from components.priorities import Priorities, PrioritiesArgs
from components.queues import Queues, QueuesArgs
from components.siblings import Siblings
from components.team_namespace import TeamNamespace, TeamNamespaceArgs
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.blueprint.vocabulary import WorkloadClass, priority_class


def compose_kubernetes(
    blueprint: Blueprint, kubernetes: Kubernetes, cluster: Cluster, nodes: Sequence[pulumi.Resource], siblings: Siblings
) -> None:
    """Declare everything inside the cluster, in the order of `hybrid_pools.manifests.whole`.

    Args:
        kubernetes: The part of the blueprint that this is.
        nodes: Pools that controllers and jobs of the platform run on.
        siblings: Pools that are made beside all this.
    """
    environment = blueprint.environment
    address = ClusterAddress(environment.project, environment.region, cluster.cluster_name, cluster.endpoint)
    provider = kubernetes_provider(address, pulumi.ResourceOptions(depends_on=[cluster]))

    def after(*resources: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(providers=[provider], depends_on=list(resources))

    name = environment.name
    hook = unreachable_hook(cluster.endpoint, siblings)
    platform = PlatformNamespaces(name, PlatformNamespacesArgs(blueprint, hook), after(cluster, *nodes))
    priorities = Priorities(name, PrioritiesArgs(kubernetes), after(platform))
    charts = Charts(
        name, ChartsArgs(kubernetes.charts, priority_class(WorkloadClass.SERVICE), environment.protected), after(platform, priorities)
    )
    queues = Queues(name, QueuesArgs(kubernetes), after(platform, charts))
    admission = Admission(name, AdmissionArgs(kubernetes.admission), after(platform, queues))
    teams = [
        TeamNamespace(f"{name}-{team.name}", TeamNamespaceArgs(blueprint, kubernetes, team), after(queues, admission, priorities))
        for team in blueprint.teams
    ]
    if kubernetes.queues.buffer:
        BufferSwitches(name, BufferSwitchesArgs(kubernetes), after(queues, *teams))
