"""What people may do inside the cluster, by group: roles that are made once, bound in each team's namespace.

Google's own roles add to these and never take away (facts on IAM of the design), so the groups' Google roles only let them connect
(`roles/container.clusterViewer`). When a contractor's ends, so does the way to what is granted here. Nobody here reads secrets, runs
commands in pods, makes bare pods, binds pods to nodes, or edits nodes, flavors, namespaces, roles or admission policies.
"""

from collections.abc import Iterable, Iterator

from hybrid_pools.blueprint.model import Blueprint, Team
from hybrid_pools.blueprint.model.access import Persona
from hybrid_pools.manifests.kueue_configuration import KUEUE_GROUP
from hybrid_pools.manifests.manifest import Manifest, manifest

_RBAC = "rbac.authorization.k8s.io"
_API = f"{_RBAC}/v1"
_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "patch", "update"]

_BATCH_KINDS = {
    "batch": ["jobs"],
    "jobset.x-k8s.io": ["jobsets"],
    "kubeflow.org": ["mpijobs", "pytorchjobs", "tfjobs", "xgboostjobs"],
    "ray.io": ["rayjobs"],
    "trainer.kubeflow.org": ["trainjobs"],
}
"""Kinds of training by API group. A CronJob is none: what starts by itself is the platform's to plan."""

_SEE_QUEUES = "hybrid-pools-see-queues"
_IN_NAMESPACE = (Persona.RESEARCHER, Persona.TRAINING_ENGINEER, Persona.CONTRACTOR)
_EVERYWHERE = (Persona.ON_CALL, Persona.PLATFORM_ENGINEER)


def role_name(persona: Persona) -> str:
    """Cluster role of a persona."""
    return f"hybrid-pools-{persona.value.replace(' ', '-')}"


def persona_roles() -> tuple[Manifest, ...]:
    """One cluster role a persona. By themselves they grant nothing."""
    see_runs = [
        *_rules(_BATCH_KINDS, _READ),
        _rule("", ["pods", "events", "services", "resourcequotas", "limitranges"], _READ),
        _rule("events.k8s.io", ["events"], _READ),
        _rule(KUEUE_GROUP, ["localqueues", "workloads"], _READ),
    ]
    see_details = [_rule("", ["configmaps", "persistentvolumeclaims", "pods/log", "serviceaccounts"], _READ)]
    see_queues = [_rule(KUEUE_GROUP, ["clusterqueues", "cohorts", "resourceflavors", "topologies", "workloadpriorityclasses"], _READ)]
    see_cluster = [
        _rule("", ["nodes", "namespaces"], _READ),
        _rule("apps", ["daemonsets", "deployments", "replicasets", "statefulsets"], _READ),
        _rule("batch", ["cronjobs"], _READ),
        _rule("networking.k8s.io", ["networkpolicies"], _READ),
        _rule("scheduling.k8s.io", ["priorityclasses"], _READ),
        _rule("admissionregistration.k8s.io", ["validatingadmissionpolicies", "validatingadmissionpolicybindings"], _READ),
    ]
    start_runs = [
        *_rules(_BATCH_KINDS, _WRITE),
        _rule("", ["configmaps"], _WRITE),
        # A stuck worker is deleted and made anew by its job. Commands inside pods are not for anybody: what was changed by hand cannot be
        # run again, and logs say what happened.
        _rule("", ["pods"], ["delete"]),
    ]
    hold_queues = [_rule(KUEUE_GROUP, ["clusterqueues", "localqueues", "workloads"], ["patch", "update"])]
    return (
        _role(Persona.RESEARCHER, see_runs, see_details),
        _role(Persona.TRAINING_ENGINEER, see_runs, see_details, start_runs),
        # Without logs and configuration, which hold what is private (model of access).
        _role(Persona.CONTRACTOR, see_runs),
        _role(Persona.ON_CALL, see_runs, see_details, see_queues, see_cluster),
        _role(Persona.PLATFORM_ENGINEER, see_runs, see_details, see_queues, see_cluster, hold_queues),
        manifest(_API, "ClusterRole", _SEE_QUEUES, rules=see_queues),
    )


def cluster_bindings(blueprint: Blueprint) -> tuple[Manifest, ...]:
    """Who looks after the whole cluster, and who of the teams may see how full the queues are."""
    bindings = [_binding("ClusterRoleBinding", role_name(persona), _groups(blueprint, persona)) for persona in _EVERYWHERE]
    everybody = {group: None for persona in (Persona.RESEARCHER, Persona.TRAINING_ENGINEER) for group in _groups(blueprint, persona)}
    return tuple(one for one in (*bindings, _binding("ClusterRoleBinding", _SEE_QUEUES, everybody)) if one["subjects"])


def team_bindings(blueprint: Blueprint, team: Team) -> tuple[Manifest, ...]:
    """Who may do what in a team's namespace."""
    bindings = [
        _binding("RoleBinding", role_name(persona), _groups(blueprint, persona, team.name), team.namespace) for persona in _IN_NAMESPACE
    ]
    return tuple(one for one in bindings if one["subjects"])


def _groups(blueprint: Blueprint, persona: Persona, team: str | None = None) -> Iterator[str]:
    """Addresses of the groups of a persona, of one team or of all, each once."""
    members = [
        grant.binding.member
        for grant in blueprint.access.grants
        if grant.persona is persona and (team is None or grant.team == team) and grant.binding.member.startswith("group:")
    ]
    yield from dict.fromkeys(member.removeprefix("group:") for member in members)


def _binding(kind: str, role: str, groups: Iterable[str], namespace: str | None = None) -> Manifest:
    return manifest(
        _API,
        kind,
        role,
        namespace=namespace,
        roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": role},
        subjects=[{"apiGroup": _RBAC, "kind": "Group", "name": group} for group in groups],
    )


def _role(persona: Persona, *parts: Iterable[Manifest]) -> Manifest:
    return manifest(_API, "ClusterRole", role_name(persona), rules=[rule for part in parts for rule in part])


def _rules(kinds: dict[str, list[str]], verbs: list[str]) -> list[Manifest]:
    return [_rule(group, resources, verbs) for group, resources in kinds.items()]


def _rule(group: str, resources: list[str], verbs: list[str]) -> Manifest:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}
