"""The accounts that nodes run as."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.vocabulary import Role


class NodeIdentityConfiguration(Model):
    """One account a role, each with the least roles a node needs. Workloads never use them."""

    extra_roles: dict[Role, tuple[Annotated[str, Field(pattern=r"^roles/[a-zA-Z.]+$")], ...]] = Field(default_factory=dict)
    """More predefined roles for the nodes of one role. Rarely needed: buckets go to workload identities, not to nodes."""

    propagation_seconds: Annotated[int, Field(ge=0, le=600)] = 120
    """How long to go on trying when Google does not see a new account yet (usually up to 60 s)."""
