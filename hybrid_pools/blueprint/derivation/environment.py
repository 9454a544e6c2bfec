"""The whole blueprint from the whole configuration."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from hybrid_pools.blueprint import rules
from hybrid_pools.blueprint.catalogue import Catalogue, catalogue
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.reading import read
from hybrid_pools.blueprint.derivation.access import access_apis, derive_access
from hybrid_pools.blueprint.derivation.buckets import bucket_apis, derive_buckets
from hybrid_pools.blueprint.derivation.identity import node_accounts
from hybrid_pools.blueprint.derivation.kubernetes import derive_kubernetes
from hybrid_pools.blueprint.derivation.labels import resource_labels
from hybrid_pools.blueprint.derivation.monitoring import derive_monitoring, monitoring_apis
from hybrid_pools.blueprint.derivation.pools import derive_pools
from hybrid_pools.blueprint.derivation.quotas import derive_quotas
from hybrid_pools.blueprint.derivation.schedule import derive_schedule
from hybrid_pools.blueprint.derivation.teams import derive_teams
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.blueprint.rules.rule import minimum_version
from hybrid_pools.blueprint.vocabulary import BucketKind

_APIS = ("compute.googleapis.com", "container.googleapis.com", "iam.googleapis.com", "logging.googleapis.com", "monitoring.googleapis.com")
_SCHEDULER_API = "cloudscheduler.googleapis.com"


def check(file: str, sections: Mapping[str, object], secrets: Collection[str] = (), now: datetime | None = None) -> StackConfiguration:
    """Read and judge a stack's configuration.

    Args:
        file: Name for messages, as the user knows it.
        sections: By configuration key without namespace.
        secrets: Paths of encrypted values, or the keys above them.
        now: The time in UTC that ends are compared with; the clock's by default. Nothing that is derived depends on it.

    Raises:
        ConfigurationError: With every problem at once.
    """
    reading = read(sections, secrets, now or datetime.now(UTC))
    problems = [*reading.problems, *rules.judge(reading, catalogue())]
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
    pools = derive_pools(configuration.pools, environment, version, region, facts, labels)
    schedule = configuration.schedule
    switching = derive_schedule(environment.name, schedule, pools) if schedule else None
    accounts = node_accounts(environment.name, configuration.node_identity, {pool.role for pool in pools})
    teams = derive_teams(configuration.teams)
    access = derive_access(
        configuration.access or AccessConfiguration(),
        environment,
        teams,
        buckets=tuple(BucketKind) if configuration.buckets else (),
        run_as=(*(account.account_id for account in accounts), *((switching.account_id,) if switching else ())),
    )
    quotas = derive_quotas(configuration, pools, facts)
    return Blueprint(
        environment=environment,
        network=configuration.network,
        cluster=configuration.cluster,
        cluster_version=version,
        apis=tuple(
            dict.fromkeys(
                (
                    *_APIS,
                    *access_apis(access),
                    *monitoring_apis(configuration.monitoring),
                    *bucket_apis(configuration.buckets),
                    *((_SCHEDULER_API,) if schedule else ()),
                )
            )
        ),
        accounts=accounts,
        propagation_seconds=configuration.node_identity.propagation_seconds,
        pools=pools,
        resource_labels=labels,
        teams=teams,
        buckets=derive_buckets(configuration.buckets, environment, teams, facts, labels),
        access=access,
        quotas=quotas,
        monitoring=derive_monitoring(configuration, pools, quotas),
        schedule=switching,
        kubernetes=derive_kubernetes(configuration, pools, teams, switching, access),
    )
