"""Google Cloud labels: who owns and who pays."""

from collections.abc import Mapping

from hybrid_pools.blueprint.configuration import EnvironmentConfiguration
from hybrid_pools.blueprint.vocabulary import COST_CENTER_LABEL, ENVIRONMENT_LABEL, POOL_ROLE_LABEL, TEAM_LABEL, Role


def resource_labels(environment: EnvironmentConfiguration) -> dict[str, str]:
    """Labels of everything in the environment. The required ones win over the user's own of the same key."""
    return dict(environment.labels) | {
        TEAM_LABEL: environment.team,
        COST_CENTER_LABEL: environment.cost_center,
        ENVIRONMENT_LABEL: environment.name,
    }


def pool_resource_labels(common: Mapping[str, str], role: Role) -> dict[str, str]:
    """Labels of one pool's VMs."""
    return dict(common) | {POOL_ROLE_LABEL: role.value}
