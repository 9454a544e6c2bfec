"""Namespaces: one a team, one of the platform, and one of the accounts that delete old checkpoints."""

from hybrid_pools.blueprint.model import Blueprint, Team
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.blueprint.vocabulary import (
    NAMESPACE_TEAM_LABEL,
    POD_SECURITY_LABEL,
    PRUNING_NAMESPACE,
    SYSTEM_NAMESPACE,
    BucketKind,
    pruner_service_account,
)
from hybrid_pools.manifests.isolation import denies_all, reaches_google, reaches_the_api_server, resolves_names, training_isolation
from hybrid_pools.manifests.limits import team_limits
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.queues import local_queues
from hybrid_pools.manifests.rights import cluster_bindings, persona_roles, team_bindings

_RESTRICTED = {f"{POD_SECURITY_LABEL}{mode}": "restricted" for mode in ("audit", "enforce", "warn")}
_TRAINING_SECURITY = {
    # Images of GPU frameworks run as root, which `restricted` refuses; nothing of training needs the host, which `baseline` keeps shut:
    # its network would go round the metadata server that hides the node's account.
    f"{POD_SECURITY_LABEL}enforce": "baseline",
    f"{POD_SECURITY_LABEL}audit": "restricted",
    # A warning at each right run would teach people to read none.
    f"{POD_SECURITY_LABEL}warn": "baseline",
}


def platform_namespaces(blueprint: Blueprint) -> tuple[Manifest, ...]:
    """What belongs to no team: namespaces of the platform, roles, and who looks after the whole cluster."""
    pruners = [team.name for team in blueprint.teams] if _has_checkpoints(blueprint) else []
    pruning = (
        manifest("v1", "Namespace", PRUNING_NAMESPACE, labels=_RESTRICTED),
        denies_all(PRUNING_NAMESPACE),
        resolves_names(PRUNING_NAMESPACE),
        *reaches_google(PRUNING_NAMESPACE),
        *(_account(pruner_service_account(team), PRUNING_NAMESPACE) for team in pruners),
    )
    return (
        manifest("v1", "Namespace", SYSTEM_NAMESPACE, labels=_RESTRICTED),
        denies_all(SYSTEM_NAMESPACE),
        resolves_names(SYSTEM_NAMESPACE),
        reaches_the_api_server(SYSTEM_NAMESPACE),
        *(pruning if pruners else ()),
        *persona_roles(),
        *cluster_bindings(blueprint),
    )


def team_namespace(blueprint: Blueprint, kubernetes: Kubernetes, team: Team) -> tuple[Manifest, ...]:
    """A team's namespace with all that belongs into it, the namespace first."""
    labels = {NAMESPACE_TEAM_LABEL: team.name, **_TRAINING_SECURITY}
    return (
        manifest("v1", "Namespace", team.namespace, labels=labels),
        *training_isolation(team.namespace),
        *team_limits(blueprint, kubernetes, team),
        _account(team.service_account, team.namespace),
        *team_bindings(blueprint, team),
        *local_queues(kubernetes.queues, team.name),
    )


def _account(name: str, namespace: str) -> Manifest:
    # The identity at Google comes from the metadata server; a token for the cluster's own API would only be something to steal.
    return manifest("v1", "ServiceAccount", name, namespace=namespace, automountServiceAccountToken=False)


def _has_checkpoints(blueprint: Blueprint) -> bool:
    return any(bucket.kind is BucketKind.CHECKPOINTS for bucket in blueprint.buckets)
