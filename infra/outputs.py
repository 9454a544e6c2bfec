"""Stack outputs: the contract, and a few plain ones for people."""

import pulumi

from hybrid_pools.blueprint import Blueprint, Contract, contract
from infra.program import Environment


def export_outputs(blueprint: Blueprint, environment: Environment) -> None:
    """Export what users of the environment read."""
    node_pools = {name: component.node_pool_name for name, component in environment.pools.items()}
    promised: pulumi.Output[Contract] = pulumi.Output.all(
        cluster=environment.cluster.cluster_name, endpoint=environment.cluster.endpoint, node_pools=node_pools
    ).apply(lambda known: contract(blueprint, known["cluster"], known["endpoint"], known["node_pools"]))
    pulumi.export("contract", promised.apply(lambda made: made.model_dump(mode="json", exclude_none=True)))
    pulumi.export("clusterName", environment.cluster.cluster_name)
    pulumi.export("credentialsCommand", promised.apply(lambda made: made.cluster.credentials_command))
    pulumi.export("nodePools", node_pools)
