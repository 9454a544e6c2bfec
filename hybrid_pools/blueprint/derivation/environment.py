"""The whole blueprint from the whole configuration."""

from collections.abc import Collection, Mapping

from hybrid_pools.blueprint.catalogue import Catalogue, catalogue
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.reading import read
from hybrid_pools.blueprint.derivation.identity import node_accounts
from hybrid_pools.blueprint.derivation.labels import resource_labels
from hybrid_pools.blueprint.derivation.pools import derive_pool
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.blueprint.rules import judge
from hybrid_pools.blueprint.rules.rule import minimum_version
from hybrid_pools.blueprint.vocabulary import Role

_APIS = ("compute.googleapis.com", "container.googleapis.com", "iam.googleapis.com", "logging.googleapis.com", "monitoring.googleapis.com")
_ROLE_ORDER = {Role.STABLE: 0, Role.SPOT: 1, Role.BUFFER: 2}


def check(file: str, sections: Mapping[str, object], secrets: Collection[str] = ()) -> StackConfiguration:
    """Read and judge a stack's configuration.

    Args:
        file: Name for messages, as the user knows it.
        sections: By configuration key without namespace.
        secrets: Paths of encrypted values, or the keys above them.

    Raises:
        ConfigurationError: With every problem at once.
    """
    reading = read(sections, secrets)
    problems = [*reading.problems, *judge(reading, catalogue())]
    if problems:
        raise ConfigurationError(file, problems)
    return reading.whole()


def derive(configuration: StackConfiguration, facts: Catalogue | None = None) -> Blueprint:
    """Work out what a checked configuration means.

    Args:
        configuration: As returned by `check`; the rules have already refused what cannot be derived.
        facts: The catalogue to use; the package's own by default.
    """
    facts = facts or catalogue()
    environment = configuration.environment
    version = minimum_version(configuration.cluster)
    region = facts.region(environment.region)
    labels = resource_labels(environment)
    pools = [derive_pool(name, pool, environment, version, region, facts, labels) for name, pool in configuration.pools.items()]
    pools.sort(key=lambda pool: (_ROLE_ORDER[pool.role], pool.gpus_per_node > 0, pool.name))
    return Blueprint(
        environment=environment,
        network=configuration.network,
        cluster=configuration.cluster,
        cluster_version=version,
        apis=_APIS,
        accounts=node_accounts(environment.name, configuration.node_identity, {pool.role for pool in pools}),
        propagation_seconds=configuration.node_identity.propagation_seconds,
        pools=tuple(pools),
        resource_labels=labels,
    )
