"""The accounts that nodes run as."""

from collections.abc import Collection

from hybrid_pools.blueprint.configuration import NodeIdentityConfiguration
from hybrid_pools.blueprint.model import NodeAccount
from hybrid_pools.blueprint.vocabulary import Role

LEAST_NODE_ROLES = ("roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount")
"""What a node needs: its logs and metrics, and to pull images. Source: Configure GKE node service accounts; CIS GKE Benchmark 5.2.1."""


def node_accounts(environment: str, configuration: NodeIdentityConfiguration, roles: Collection[Role]) -> tuple[NodeAccount, ...]:
    """One account for each role that has pools, so that a leak in training says nothing about services."""
    return tuple(
        NodeAccount(
            role=role,
            account_id=f"{environment}-{role}-nodes",
            display_name=f"Nodes of the {role} pools in {environment}",
            roles=tuple(sorted({*LEAST_NODE_ROLES, *configuration.extra_roles.get(role, ())})),
        )
        for role in Role
        if role in roles
    )
