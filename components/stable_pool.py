"""Stable pools: nodes that nobody takes back, for services, coordinators and the last stretch of a run.

Owns the node pool and its protection. Leaves alone the cluster, the node account, and what runs there.
"""

import pulumi

from components.node_pool import PoolArgs, declare_node_pool
from components.token import token


class StablePool(pulumi.ComponentResource):
    """A GKE node pool for services: balanced over zones, protected against deletion where the environment is."""

    node_pool_name: pulumi.Output[str]
    """Physical name of the node pool, for selectors and alerts."""

    def __init__(self, name: str, args: PoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("StablePool"), name, {}, opts)
        # The autoscaler owns the count; an initial count in code would replace the pool on the next resize.
        node_pool = declare_node_pool(name, args, self, opts, owned_elsewhere=("initialNodeCount", "nodeCount"))
        self.node_pool_name = node_pool.name
        self.register_outputs({"nodePoolName": self.node_pool_name})
