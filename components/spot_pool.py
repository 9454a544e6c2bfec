"""Spot pools: interruptible nodes for training that can be resumed.

Owns the node pool and what makes it interruptible: capacity kind, taint, shutdown grace. Leaves alone the cluster, the node account, and
who may use the pool.
"""

import pulumi

from components.node_pool import PoolArgs, declare_node_pool
from components.token import token


class SpotPool(pulumi.ComponentResource):
    """A GKE node pool of Spot, flex-start or queued nodes.

    GKE labels the nodes of a hand-made spot pool but does not taint them, so the taint is declared at creation: a pool that exists for a
    minute without it receives pods that must not be there.
    """

    node_pool_name: pulumi.Output[str]
    """Physical name of the node pool, for selectors and alerts."""

    def __init__(self, name: str, args: PoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("SpotPool"), name, {}, opts)
        node_pool = declare_node_pool(name, args, self, opts, owned_elsewhere=("initialNodeCount", "nodeCount"))
        self.node_pool_name = node_pool.name
        self.register_outputs({"nodePoolName": self.node_pool_name})
