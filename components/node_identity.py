"""The accounts that nodes run as: one a role, with the least roles.

Owns the accounts and their project roles. Leaves alone the identities of workloads, which never use these accounts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model import NodeAccount
from hybrid_pools.blueprint.vocabulary import Role


@dataclass(frozen=True)
class NodeIdentityArgs:
    """Attributes:
    project: Project id.
    accounts: The accounts to make.
    """

    project: str
    accounts: Sequence[NodeAccount]


class NodeIdentity(pulumi.ComponentResource):
    """Service accounts for nodes. Pools depend on the whole component: a node whose account has no roles yet cannot pull images."""

    emails: dict[Role, pulumi.Output[str]]
    """E-mail of the account by role."""

    def __init__(self, name: str, args: NodeIdentityArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("NodeIdentity"), name, {}, opts)
        self.emails = {}
        for account in args.accounts:
            service_account = gcp.serviceaccount.Account(
                f"{name}-{account.role}",
                account_id=account.account_id,
                display_name=account.display_name,
                # An earlier run whose answer was lost may have made it; the same id is the same account.
                create_ignore_already_exists=True,
                opts=child_options(self, opts),
            )
            self.emails[account.role] = service_account.email
            for role in account.roles:
                gcp.projects.IAMMember(
                    f"{name}-{account.role}-{role.removeprefix('roles/').replace('.', '-')}",
                    project=args.project,
                    role=role,
                    member=service_account.member,
                    opts=child_options(self, opts),
                )
        self.register_outputs({"emails": {role.value: email for role, email in self.emails.items()}})
