"""The pieces that queries of alerts and of the dashboard are made of."""

from collections.abc import Sequence

from hybrid_pools.blueprint.model.pools import Pool

_NODE_NAME_CHARACTERS = 18
"""Characters of a pool's name that surely stand in the names of its nodes: GKE cuts long names to fit `gke-CLUSTER-POOL-ID-ID` into 63."""

NODE = 'monitored_resource="k8s_node", cluster_name="$cluster"'
DUTY_CYCLE = "kubernetes_io:node_accelerator_duty_cycle"


def node_pool(pool: Pool) -> str:
    """Start of the physical name of a pool's node pool; a suffix follows."""
    return f"{pool.name}-pool"


def pool_of_node(pools: Sequence[Pool]) -> str:
    """A regular expression (RE2) that matches the names of these pools' nodes and captures the pool. Longer names first: one may begin
    another."""
    names = sorted({node_pool(pool)[:_NODE_NAME_CHARACTERS] for pool in pools}, key=lambda name: (-len(name), name))
    return f"gke-.*-({'|'.join(names)}).*"


def by_pool(vector: str, pools: Sequence[Pool]) -> str:
    """The series of nodes with a label `pool`, which the metrics of nodes do not have."""
    return f'label_replace({vector}, "pool", "$1", "node_name", "{pool_of_node(pools)}")'


def of_pools(pools: Sequence[Pool]) -> str:
    """Matchers for the nodes of some pools."""
    return f'{NODE}, node_name=~"{pool_of_node(pools)}"'


def measured_gpus(pools: Sequence[Pool]) -> tuple[Pool, ...]:
    """Pools whose GPUs can be watched: GKE collects no duty cycle of shared GPUs."""
    return tuple(pool for pool in pools if pool.accelerators and not pool.accelerators.sharing)


def log_metric(environment: str, key: str) -> str:
    """Name in PromQL of a log-based metric of the environment."""
    return f"logging_googleapis_com:user_{environment}_{key}".replace("-", "_")
