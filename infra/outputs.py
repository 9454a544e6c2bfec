"""Stack outputs: the contract, and a few plain ones for people."""

import pulumi

from hybrid_pools.blueprint.contract import Contract, contract
from hybrid_pools.blueprint.contract.quotas import quota_output
from hybrid_pools.blueprint.model import Blueprint
from infra.program import Environment


def export_outputs(blueprint: Blueprint, environment: Environment) -> None:
    """Export what users of the environment read."""
    node_pools = {name: component.node_pool_name for name, component in environment.pools.items()}
    dashboards = environment.monitoring.dashboards if environment.monitoring else {}
    buckets = {kind.value: name for kind, name in environment.buckets.names.items()} if environment.buckets else {}
    promised: pulumi.Output[Contract] = pulumi.Output.all(
        cluster=environment.cluster.cluster_name,
        endpoint=environment.cluster.endpoint,
        node_pools=node_pools,
        dashboards=dashboards,
        buckets=buckets,
    ).apply(
        lambda known: contract(blueprint, known["cluster"], known["endpoint"], known["node_pools"], known["dashboards"], known["buckets"])
    )
    pulumi.export("contract", promised.apply(lambda made: made.model_dump(mode="json", exclude_none=True)))
    pulumi.export("clusterName", environment.cluster.cluster_name)
    pulumi.export("credentialsCommand", promised.apply(lambda made: made.cluster.credentials_command))
    pulumi.export("nodePools", node_pools)
    pulumi.export("buckets", promised.apply(lambda made: {bucket.kind.value: bucket.url for bucket in made.buckets}))
    pulumi.export("dashboards", promised.apply(lambda made: {dashboard.name: dashboard.url for dashboard in made.dashboards}))
    pulumi.export("quotas", [quota_output(need) for need in blueprint.quotas])
    if environment.ci:
        accounts, providers = environment.ci.accounts, environment.ci.providers
        pulumi.export("ci", {name: {"provider": providers[name], "serviceAccount": accounts[name]} for name in accounts})
