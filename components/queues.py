"""Queues: what Kueue knows of the whole cluster.

Owns flavors, topologies, cohorts, cluster queues and the priority of jobs in them. Leaves alone the local queues, which are in the teams'
namespaces (`TeamNamespace`), other cohorts and queues of the cluster, and after creation the buffer's quota, which its jobs open and close
(`BufferSwitches`).
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.manifests.queues import cluster_wide_queues


@dataclass(frozen=True)
class QueuesArgs:
    """Attributes:
    kubernetes: The decided Kubernetes side.
    """

    kubernetes: Kubernetes


class Queues(pulumi.ComponentResource):
    """The teams' quotas over the pools.

    Namespaces of teams come after it: when all is taken away, a namespace takes its jobs with it first, and only a cluster queue without
    workloads can be deleted.
    """

    def __init__(self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Queues"), name, {}, opts)
        queues = args.kubernetes.queues
        # The jobs that open and close the buffer own its quota from the first switch on; a run must not set it back.
        owned = [("Cohort", queues.buffer.cohort, "spec.resourceGroups")] if queues.buffer else []
        declare(name, cluster_wide_queues(args.kubernetes), self, opts, owned_by_others=owned)
        self.register_outputs({"clusterQueues": [queue.name for queue in queues.queues]})
