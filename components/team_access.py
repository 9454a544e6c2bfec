"""Who may do what: the grants of people, workloads and automation.

Owns each grant as a member of its own and the custom roles. Leaves alone the members that others have added by hand, the roles of nodes
(`NodeIdentity`), and rights inside the cluster's namespaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import pulumi
import pulumi_gcp as gcp

from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model.access import PROJECT_NUMBER, Access
from hybrid_pools.blueprint.rights import Binding, PlaceKind

ConditionT = TypeVar("ConditionT")


@dataclass(frozen=True)
class Folder:
    """A managed folder: physical names of its bucket and of itself."""

    bucket: pulumi.Input[str]
    name: pulumi.Input[str]


@dataclass(frozen=True)
class TeamAccessArgs:
    """Attributes:
    project: Project id.
    access: The grants.
    folders: Managed folders by kind of bucket and team.
    views: Log views by their key.
    on_error: Tries again while Google does not see a new account or pool yet, or tells the way on.
    """

    project: str
    access: Access
    folders: Mapping[tuple[str, str], Folder]
    views: Mapping[str, gcp.logging.LogView]
    on_error: pulumi.ErrorHook


class TeamAccess(pulumi.ComponentResource):
    """Every grant as one member: nothing of what others granted is taken away, unlike with whole policies.

    Depends on the cluster: the identities of workloads belong to a pool that Google makes with the first cluster of a project. Google needs
    up to some minutes before a new grant holds.
    """

    def __init__(self, name: str, args: TeamAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("TeamAccess"), name, {}, opts)
        self._name, self._args, self._opts = name, args, opts
        # Asked for at once, so that a preview knows the members and the policies can judge them.
        self._number = gcp.organizations.get_project_output(project_id=args.project, opts=pulumi.InvokeOutputOptions(parent=self)).number
        self._roles = {
            full_name: gcp.projects.IAMCustomRole(
                f"{name}-{role.role_id}",
                project=args.project,
                role_id=role.role_id,
                title=role.title,
                description=role.description,
                permissions=list(role.permissions),
                opts=child_options(self, opts),
            )
            for full_name, role in args.access.custom_roles.items()
        }
        for binding in args.access.bindings:
            self._grant(binding)
        self.register_outputs({})

    def _grant(self, binding: Binding) -> None:
        name = f"{self._name}-{_label(binding)}"
        member, role, place = self._member(binding.member), binding.role, binding.place
        options = child_options(self, self._opts, hooks=pulumi.ResourceHookBinding(on_error=[self._args.on_error]))
        if role in self._roles:
            # By its name and not its output, for the same reason as above.
            options = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[self._roles[role]]))
        project = self._args.project
        match place.kind:
            case PlaceKind.PROJECT:
                gcp.projects.IAMMember(
                    name,
                    project=project,
                    role=role,
                    member=member,
                    condition=_condition(gcp.projects.IAMMemberConditionArgs, binding.until),
                    opts=options,
                )
            case PlaceKind.FOLDER:
                folder = self._args.folders[place.name, place.team]
                gcp.storage.ManagedFolderIamMember(
                    name,
                    bucket=folder.bucket,
                    managed_folder=folder.name,
                    role=role,
                    member=member,
                    condition=_condition(gcp.storage.ManagedFolderIamMemberConditionArgs, binding.until),
                    opts=options,
                )
            case PlaceKind.LOG_VIEW:
                view = self._args.views[place.name]
                gcp.logging.LogViewIamMember(
                    name,
                    parent=view.parent,
                    location=view.location,
                    bucket=view.bucket,
                    name=view.name,
                    role=role,
                    member=member,
                    condition=_condition(gcp.logging.LogViewIamMemberConditionArgs, binding.until),
                    opts=options,
                )
            case PlaceKind.ACCOUNT:
                gcp.serviceaccount.IAMMember(
                    name,
                    service_account_id=f"projects/{project}/serviceAccounts/{place.name}",
                    role=role,
                    member=member,
                    condition=_condition(gcp.serviceaccount.IAMMemberConditionArgs, binding.until),
                    opts=options,
                )

    def _member(self, member: str) -> pulumi.Input[str]:
        if PROJECT_NUMBER not in member:
            return member
        return self._number.apply(lambda number: member.replace(PROJECT_NUMBER, number))


def _condition(make: Callable[..., ConditionT], until: datetime | None) -> ConditionT | None:
    """The end of a grant, as the class of the grant's own condition; nothing where it has no end."""
    if until is None:
        return None
    end = until.strftime("%Y-%m-%dT%H:%M:%SZ")
    return make(title=f"until-{end}", description="Ends by itself", expression=f'request.time < timestamp("{end}")')


def _label(binding: Binding) -> str:
    """A name for a grant, unique among those of one kind: one member may hold a role on many things, so what it is on is part of it."""
    holder = binding.member.partition(":")[2].rpartition("workloadIdentityPools/")[2]
    if binding.member.startswith("serviceAccount:"):
        holder = holder.partition("@")[0]
    place = binding.place
    parts = [holder, binding.role.rpartition("/")[2], place.name.partition("@")[0], place.team if place.kind is PlaceKind.FOLDER else ""]
    return "-".join(part for part in parts if part).replace("/", ".")
