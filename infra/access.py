"""The part of the composition that decides who may do what."""

from collections.abc import Mapping, Sequence

import pulumi

from components.buckets import Buckets
from components.continuous_integration import ContinuousIntegration, ContinuousIntegrationArgs
from components.log_views import LogViews, LogViewsArgs
from components.team_access import Folder, TeamAccess, TeamAccessArgs
from hybrid_pools.blueprint.model import Blueprint


def folders_of(buckets: Buckets | None) -> Mapping[tuple[str, str], Folder]:
    """Managed folders by kind of bucket and team, where there are buckets."""
    if buckets is None:
        return {}
    return {(kind, team): Folder(buckets.names[kind], folder) for kind, teams in buckets.folders.items() for team, folder in teams.items()}


def compose_access(
    blueprint: Blueprint,
    folders: Mapping[tuple[str, str], Folder],
    options: pulumi.ResourceOptions,
    grants_after: Sequence[pulumi.Resource],
    on_error: pulumi.ErrorHook,
) -> ContinuousIntegration | None:
    """Declare log views, continuous integration and all grants.

    Args:
        blueprint: Where something is granted.
        folders: Managed folders by kind of bucket and team.
        options: Of everything here.
        grants_after: What must be there before grants: the accounts and the cluster, whose identity pool they name.
        on_error: What to do when Google refuses a grant.

    Returns:
        The identity of continuous integration, where there is one.
    """
    environment, access = blueprint.environment, blueprint.access
    if not access.grants:
        return None
    logs = LogViews(environment.name, LogViewsArgs(environment.project, environment.region, access.views, access.team_logs), options)
    # Google blocks the id of a deleted pool for 30 days, so a destroy by mistake would lock the workflows out.
    kept = pulumi.ResourceOptions(provider=options.provider, depends_on=options.depends_on, protect=environment.protected)
    ci = ContinuousIntegration(environment.name, ContinuousIntegrationArgs(environment.project, access.ci), kept) if access.ci else None
    before = [*grants_after, *([ci] if ci else [])]
    TeamAccess(
        environment.name,
        TeamAccessArgs(environment.project, access, folders, logs.views, on_error),
        pulumi.ResourceOptions(provider=options.provider, depends_on=before),
    )
    return ci
