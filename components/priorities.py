"""Priority classes: who goes first on nodes, and who pushes whom off.

Owns the priority classes of the classes of work. Leaves alone the cluster's own classes and the default; priority in queues belongs to
`Queues`.
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.manifests.priorities import priority_classes


@dataclass(frozen=True)
class PrioritiesArgs:
    """Attributes:
    kubernetes: The decided Kubernetes side.
    """

    kubernetes: Kubernetes


class Priorities(pulumi.ComponentResource):
    """One priority class for each class of work. Everything that names one waits for the whole component."""

    def __init__(self, name: str, args: PrioritiesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Priorities"), name, {}, opts)
        declare(name, priority_classes(args.kubernetes), self, opts)
        self.register_outputs({"priorityClasses": [policy.priority_class for policy in args.kubernetes.classes]})
