"""Buffer pools: nodes that serve by day and train in low-load windows.

Owns the node pool, its constant labels and taints, and the limits it is created with. Leaves alone limits and size afterwards: a schedule
changes them, and a run of this program at night must not set them back.
"""

import pulumi

from components.node_pool import PoolArgs, declare_node_pool
from components.token import token

SCHEDULE_OWNED = ("autoscaling", "initialNodeCount", "nodeCount")
"""Fields of a buffer pool that the schedule owns after creation."""


class BufferPool(pulumi.ComponentResource):
    """A GKE node pool whose number of nodes is changed by schedule and whose taint never changes."""

    node_pool_name: pulumi.Output[str]
    """Physical name of the node pool, for selectors, alerts and the schedule."""

    def __init__(self, name: str, args: PoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("BufferPool"), name, {}, opts)
        node_pool = declare_node_pool(name, args, self, opts, owned_elsewhere=SCHEDULE_OWNED)
        self.node_pool_name = node_pool.name
        self.register_outputs({"nodePoolName": self.node_pool_name})
