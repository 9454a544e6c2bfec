"""Rules on roles and bindings inside a cluster: who can go round everything else.

Source of the dangerous rights: facts on IAM of the design, with Kubernetes' page on good practices for RBAC.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from policies.reading import Value
from policies.rule import Finding, Setting, Severity, Verdict, View, judge_each, names, rule

_API = "kubernetes:rbac.authorization.k8s.io/v1"
_LINKS = ("https://kubernetes.io/docs/concepts/security/rbac-good-practices/",)
_CHANGES = frozenset({"create", "delete", "deletecollection", "patch", "update"})
_READS = frozenset({"get", "list", "watch"})
_DANGEROUS = {
    # What it is, verbs, and what whoever holds it may do.
    "bindings": (frozenset({"create"}), "puts pods on any node, past every taint"),
    "pods/binding": (frozenset({"create"}), "puts pods on any node, past every taint"),
    "pods/exec": (frozenset({"create", "get"}), "runs commands with the identity of any pod"),
    "pods/attach": (frozenset({"create", "get"}), "runs commands with the identity of any pod"),
    "pods/ephemeralcontainers": (frozenset({"patch", "update"}), "runs containers with the identity of any pod"),
    "nodes": (_CHANGES, "takes taints and labels off nodes"),
    "nodes/proxy": (_CHANGES | _READS, "reaches every pod of a node past admission and audit"),
    "namespaces": (_CHANGES, "changes whose namespace it is and which pods may run in it"),
    "serviceaccounts/token": (frozenset({"create"}), "takes the identity of any account"),
    "secrets": (_CHANGES | _READS, "reads what other accounts hold"),
    "resourceflavors": (_CHANGES, "sends jobs to nodes that they may not use"),
    "computeclasses": (_CHANGES, "sends pods to nodes that they may not use"),
    "clusterroles": (_CHANGES | {"bind", "escalate"}, "grants itself anything"),
    "clusterrolebindings": (_CHANGES, "grants itself anything"),
    "roles": (_CHANGES | {"bind", "escalate"}, "grants itself anything in the namespace"),
    "rolebindings": (_CHANGES, "grants itself anything in the namespace"),
    "validatingadmissionpolicies": (_CHANGES, "turns off what is refused"),
    "validatingadmissionpolicybindings": (_CHANGES, "turns off what is refused"),
    "validatingwebhookconfigurations": (_CHANGES, "turns off what is refused"),
    "mutatingwebhookconfigurations": (_CHANGES, "changes every object on its way in"),
    "users": (frozenset({"impersonate"}), "acts as anybody"),
    "groups": (frozenset({"impersonate"}), "acts as anybody"),
    "serviceaccounts": (frozenset({"impersonate"}), "acts as any account"),
}
_EVERYBODY = frozenset({"system:authenticated", "system:serviceaccounts", "system:unauthenticated"})

ALLOWED_ROLES: Setting[tuple[str, ...]] = Setting(
    key="roles",
    meaning="Names of roles that may hold such rights, because somebody looked at who is bound to them.",
    default=(),
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)


@dataclass(frozen=True)
class RoleInputs(View):
    """A role of a namespace or of the whole cluster."""

    TYPES = (f"{_API}:ClusterRole", f"{_API}:Role")


@dataclass(frozen=True)
class RoleBindingInputs(View):
    """Who has a role, in a namespace or in the whole cluster."""

    TYPES = (f"{_API}:ClusterRoleBinding", f"{_API}:RoleBinding")


@rule(
    id="KUBERNETES-004",
    title="Rights in a cluster go to groups and accounts of workloads, not to persons or to everybody",
    severity=Severity.MANDATORY,
    why="A person who leaves keeps what was granted by name until somebody remembers, and everybody includes whoever comes next.",
    fix="Bind a group, and let its owner say who is in it.",
    links=_LINKS,
)
def subject_is_a_group(binding: RoleBindingInputs) -> Iterator[Verdict]:
    yield from judge_each(binding.at("subjects").items(), _no_person)


def _no_person(subject: Value) -> Iterator[Verdict]:
    kind, name = subject.of("kind").text(), subject.of("name").text() or ""
    if kind == "User" and not name.startswith("system:"):
        yield Finding(subject.path, f"is the person {name}")
    elif name in _EVERYBODY:
        yield Finding(subject.path, f"is {name}, which is everybody")


@rule(
    id="KUBERNETES-005",
    title="No role goes round what guards the cluster",
    severity=Severity.MANDATORY,
    why="Whoever binds pods, edits nodes, flavors or policies, or acts as others reaches every node and every secret, whatever is refused.",
    fix="Name the resources and verbs that are needed and leave these out, or name the role in the setting roles.",
    links=_LINKS,
    settings=(ALLOWED_ROLES,),
)
def role_is_harmless(role: RoleInputs) -> Iterator[Verdict]:
    if role.at("metadata.name").text() in role.setting(ALLOWED_ROLES):
        return
    yield from judge_each(role.at("rules").items(), _harmless)


def _harmless(granted: Value) -> Iterator[Verdict]:
    verbs, resources = granted.of("verbs").texts() or [], granted.of("resources").texts() or []
    if "*" in verbs:
        yield Finding(granted.of("verbs").path, "is every verb, those that come with later versions too")
    if "*" in resources or "*/*" in resources:
        yield Finding(granted.of("resources").path, "is every resource, those that are added later too")
    yield from (found for resource in resources for found in _danger(granted, resource, verbs))


def _danger(granted: Value, resource: str, verbs: Collection[str]) -> Iterator[Verdict]:
    dangerous, means = _DANGEROUS.get(resource, (frozenset(), ""))
    held = sorted(dangerous & set(verbs))
    if held:
        yield Finding(granted.path, f"allows {', '.join(held)} on {resource}, which {means}")
