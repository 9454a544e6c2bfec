"""Rules on who may do what: grants, and keys of service accounts."""

from collections.abc import Iterator

from policies.reading import Value
from policies.rule import Finding, Severity, Verdict, judge_each, rule
from policies.views import GrantInputs, ProjectGrantInputs, ServiceAccountKeyInputs

_PRIMITIVE_ROLES = ("roles/owner", "roles/editor", "roles/viewer")
_PUBLIC_MEMBERS = ("allUsers", "allAuthenticatedUsers")
STORAGE_ROLE_PREFIX = "roles/storage."
"""Start of all roles on buckets and objects."""


@rule(
    id="IDENTITY-001",
    title="No primitive role is granted",
    severity=Severity.MANDATORY,
    why="Owner, editor and viewer reach over every service of a project. Whoever takes a node with one of them has it all.",
    fix="Grant the roles that the work needs; nodes need those that NodeIdentity gives.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster#use_least_privilege_sa",),
)
def role_is_not_primitive(grant: GrantInputs) -> Iterator[Verdict]:
    role = grant.at("role").text()
    if role in _PRIMITIVE_ROLES:
        yield Finding("role", f"is {role}")


@rule(
    id="IDENTITY-002",
    title="No storage role is granted on a whole project",
    severity=Severity.MANDATORY,
    why="It opens every bucket, those of other teams too. Node accounts need no bucket at all: workloads have identities.",
    fix="Grant the role on the one bucket or managed folder, to the identity of the workload.",
    links=("https://cloud.google.com/storage/docs/access-control/iam-roles",),
)
def storage_is_granted_by_bucket(grant: ProjectGrantInputs) -> Iterator[Verdict]:
    role = grant.at("role").text()
    if role is not None and role.startswith(STORAGE_ROLE_PREFIX):
        yield Finding("role", f"is {role} on the project")


@rule(
    id="IDENTITY-003",
    title="Nothing is granted to the public",
    severity=Severity.MANDATORY,
    why="allUsers is everybody on the internet, and allAuthenticatedUsers everybody with any Google account.",
    fix="Name the users, groups or service accounts.",
    links=("https://cloud.google.com/iam/docs/principals-overview",),
)
def member_is_not_public(grant: GrantInputs) -> Iterator[Verdict]:
    yield from judge_each(grant.members, _not_public)


def _not_public(member: Value) -> Iterator[Verdict]:
    text = member.text()
    if text in _PUBLIC_MEMBERS:
        yield Finding(member.path, f"is {text}")


@rule(
    id="IDENTITY-004",
    title="Service accounts have no keys",
    severity=Severity.MANDATORY,
    why="A key never expires by itself, works from anywhere and would lie in plain text in the state of this stack.",
    fix="Use Workload Identity Federation inside the cluster, and federation with the identity provider outside it.",
    links=("https://cloud.google.com/iam/docs/best-practices-for-managing-service-account-keys",),
)
def account_has_no_key(key: ServiceAccountKeyInputs) -> Iterator[Verdict]:
    yield Finding("", f"makes a key of a service account: {key.resource.name}")
