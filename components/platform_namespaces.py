"""Namespaces and roles that belong to no team.

Owns the namespace of the platform, that of the accounts that delete old checkpoints, the cluster roles of the personas, and the bindings
of those who look after the whole cluster. Leaves alone what Google's own roles grant.
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.manifests.namespaces import platform_namespaces


@dataclass(frozen=True)
class PlatformNamespacesArgs:
    """Attributes:
    blueprint: Teams, buckets and groups.
    on_error: Tells the way on when the cluster cannot be reached.
    """

    blueprint: Blueprint
    on_error: pulumi.ErrorHook


class PlatformNamespaces(pulumi.ComponentResource):
    """The first things in a cluster: everything else inside it waits for them."""

    def __init__(self, name: str, args: PlatformNamespacesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("PlatformNamespaces"), name, {}, opts)
        protected = args.blueprint.environment.protected
        declare(name, platform_namespaces(args.blueprint), self, opts, protected=protected, on_error=args.on_error)
        self.register_outputs({})
