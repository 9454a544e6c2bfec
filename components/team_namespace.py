"""A team's namespace.

Owns the namespace with what guards it: pod security, network policies, quotas and limits, the training account, the bindings of the team's
groups, and the local queues. Leaves alone what runs in it.
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model import Blueprint, Team
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.manifests.namespaces import team_namespace


@dataclass(frozen=True)
class TeamNamespaceArgs:
    """Attributes:
    blueprint: Groups and pools.
    kubernetes: Its Kubernetes side.
    team: Whose namespace it is.
    """

    blueprint: Blueprint
    kubernetes: Kubernetes
    team: Team


class TeamNamespace(pulumi.ComponentResource):
    """Where a team works. Deleting it deletes everything that runs in it, so it is protected where the environment is."""

    def __init__(self, name: str, args: TeamNamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("TeamNamespace"), name, {}, opts)
        objects = team_namespace(args.blueprint, args.kubernetes, args.team)
        declare(name, objects, self, opts, protected=args.blueprint.environment.protected)
        self.register_outputs({"namespace": args.team.namespace})
