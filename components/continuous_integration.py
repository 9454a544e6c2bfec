"""How workflows of a repository get in without keys.

Owns the workload identity pool, its providers and the accounts that workflows act as. Leaves alone what these accounts may do
(`TeamAccess`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model.access import ContinuousIntegrationIdentity


@dataclass(frozen=True)
class ContinuousIntegrationArgs:
    """Attributes:
    project: Project id.
    identity: The pool and the accounts.
    """

    project: str
    identity: ContinuousIntegrationIdentity


class ContinuousIntegration(pulumi.ComponentResource):
    """Workload identity federation with one provider for each account, so that each has a condition of its own.

    Google blocks the id of a deleted pool for 30 days: after a destroy, write another `access.ci.pool`, or undelete the old one.
    """

    providers: Mapping[str, pulumi.Output[str]]
    """Resource name of the provider by the account's name: what the workflow asks for a token."""

    accounts: Mapping[str, pulumi.Output[str]]
    """E-mail of the account by its name: what the workflow acts as."""

    def __init__(self, name: str, args: ContinuousIntegrationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("ContinuousIntegration"), name, {}, opts)
        pool = gcp.iam.WorkloadIdentityPool(
            f"{name}-ci",
            project=args.project,
            workload_identity_pool_id=args.identity.pool,
            display_name="Continuous integration",
            description="Workflows of one repository; they get in without keys",
            opts=child_options(self, opts),
        )
        providers: dict[str, pulumi.Output[str]] = {}
        accounts: dict[str, pulumi.Output[str]] = {}
        for federated in args.identity.accounts:
            provider = gcp.iam.WorkloadIdentityPoolProvider(
                f"{name}-ci-{federated.name}",
                project=args.project,
                workload_identity_pool_id=pool.workload_identity_pool_id,
                workload_identity_pool_provider_id=federated.name,
                display_name=f"Workflows: {federated.name}",
                attribute_condition=federated.condition,
                attribute_mapping=dict(federated.mapping),
                oidc=gcp.iam.WorkloadIdentityPoolProviderOidcArgs(issuer_uri=args.identity.issuer),
                opts=child_options(self, opts),
            )
            account = gcp.serviceaccount.Account(
                f"{name}-ci-{federated.name}",
                project=args.project,
                account_id=federated.account_id,
                display_name=federated.display_name,
                # An earlier run whose answer was lost may have made it; the same id is the same account.
                create_ignore_already_exists=True,
                opts=child_options(self, opts),
            )
            providers[federated.name], accounts[federated.name] = provider.name, account.email
        self.providers, self.accounts = providers, accounts
        self.register_outputs({"providers": providers, "accounts": accounts})
