"""Policies that keep what the workload rules stand on: bindings, nodes, queues, namespaces, priorities and the rules' own parameters.

Who may change them stands in the CEL and not in the parameters: if those were lost, nobody could put them back. Policies cannot watch over
policies, the API server does not allow it: that nobody else may edit ValidatingAdmissionPolicies is a matter of RBAC.
"""

import json
from collections.abc import Iterator, Sequence

from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    ADMISSION_PARAMETERS,
    COMPUTE_CLASS_LABEL,
    DEFAULT_COMPUTE_CLASS_LABEL,
    DOMAIN,
    NAMESPACE_SCHEDULING_ANNOTATIONS,
    NAMESPACE_TEAM_LABEL,
    NODE_POOL_LABEL,
    PREEMPTIBLE_KEY,
    PROVISIONING_LABEL,
    SPOT_KEY,
    SYSTEM_NAMESPACE,
)
from hybrid_pools.manifests.admission_workloads import PREFIX
from hybrid_pools.manifests.kueue_configuration import KUEUE_GROUP
from hybrid_pools.manifests.validating import Law, Policy, Resources

_NODE_LABELS = (SPOT_KEY, PREEMPTIBLE_KEY, PROVISIONING_LABEL, NODE_POOL_LABEL, ACCELERATOR_LABEL, COMPUTE_CLASS_LABEL)

_EVERYTHING = ("CREATE", "UPDATE", "DELETE")
_QUEUES = (
    "resourceflavors",
    "clusterqueues",
    "cohorts",
    "topologies",
    "localqueues",
    "workloadpriorityclasses",
    "admissionchecks",
    "provisioningrequestconfigs",
)


def _law(rule_id: str, title: str, why: str, fix: str, cel: str) -> Law:
    return Law(rule_id, f"{rule_id}: {title}. {why} Fix: {fix}", cel)


def protection_policies(admission: Admission) -> Iterator[Policy]:
    """The policies, for the users and groups of one environment."""
    keeper = {"keeper": _keeper(admission)}
    yield _bindings(admission)
    yield _nodes(admission, keeper)
    yield _queues(keeper)
    yield _namespaces(admission, keeper)
    yield _priorities(keeper)
    yield _parameters(keeper)


def _keeper(admission: Admission) -> str:
    """CEL of whether the user may change what the platform keeps.

    Beside the platform's own people that is Kubernetes and GKE itself: their users begin with `system:`. Service accounts do too, and
    count only where nobody but the platform can start pods.
    """
    trusted = sorted({SYSTEM_NAMESPACE, *admission.exempt_namespaces})
    user = "request.userInfo.username"
    return (
        f"{user} in {_texts(admission.platform_users)}"
        f" || request.userInfo.?groups.orValue([]).exists(g, g in {_texts(admission.platform_groups)})"
        f" || ({user}.startsWith('system:') && {user} != 'system:anonymous'"
        f" && (!{user}.startsWith('system:serviceaccount:') || {user}.split(':')[2] in {_texts(trusted)}))"
    )


def _texts(texts: Sequence[str]) -> str:
    # CEL reads the same quotes and escapes as JSON. The type of an empty list would be open.
    return json.dumps(list(texts) or [""])


def _bindings(admission: Admission) -> Policy:
    return Policy(
        PREFIX + "bindings",
        (Resources("", ("bindings", "pods/binding"), ("CREATE",)),),
        {},
        [
            _law(
                "GUARD-001",
                "Only schedulers bind pods to nodes",
                "Nothing asks a bound pod what it tolerates.",
                "Leave placing to the scheduler; to reach certain nodes use nodeSelector.",
                f"request.userInfo.username in {_texts(admission.schedulers)}",
            )
        ],
        parameters=False,
        outside=admission.exempt_namespaces,
    )


def _nodes(admission: Admission, keeper: dict[str, str]) -> Policy:
    taints = _texts(sorted({taint.key for taint in admission.guarded_taints}))

    def kept(root: str) -> str:
        labels = f"{root}.?metadata.?labels.orValue({{}})"
        return f"{labels}.map(k, k.startsWith('{DOMAIN}/') || k in {_texts(_NODE_LABELS)}, k + '=' + {labels}[k])"

    def guarded(root: str) -> str:
        return f"{root}.?spec.?taints.orValue([]).filter(t, t.key in {taints}).map(t, t.key + '=' + t.?value.orValue('') + ':' + t.effect)"

    return Policy(
        PREFIX + "nodes",
        (Resources("", ("nodes", "nodes/status"), ("UPDATE",)),),
        {
            **keeper,
            "labels": kept("object"),
            "oldLabels": kept("oldObject"),
            "taints": guarded("object"),
            "oldTaints": guarded("oldObject"),
        },
        [
            _law(
                "GUARD-002",
                "Only the platform changes what nodes are for",
                "Without its taint a spot node takes any pod, and under another label a stable one gets none.",
                "Change the pool in the stack file.",
                f"variables.keeper || ({_same('labels', 'oldLabels')} && {_same('taints', 'oldTaints')})",
            )
        ],
        parameters=False,
    )


def _same(new: str, old: str) -> str:
    """CEL of whether two variables hold the same texts, in whatever order."""
    return f"variables.{new}.all(e, e in variables.{old}) && variables.{old}.all(e, e in variables.{new})"


def _unchanged(path: str) -> str:
    new, old = (root + "".join(f".?{key}" for key in path.split(".")) for root in ("object", "oldObject"))
    return f"(request.operation == 'UPDATE' && {new} == {old})"


def _queues(keeper: dict[str, str]) -> Policy:
    return Policy(
        PREFIX + "queues",
        (Resources(KUEUE_GROUP, _QUEUES, _EVERYTHING),),
        keeper,
        [
            _law(
                "GUARD-003",
                "Only the platform changes flavors, quotas and queues",
                "A flavor gives its tolerations to every job that it admits, and a queue of one's own has somebody else's quota.",
                "Change teams, quotas or pools in the stack file.",
                # Finalizers and status are Kueue's, and no part of the spec.
                f"variables.keeper || {_unchanged('spec')}",
            )
        ],
        parameters=False,
    )


def _namespaces(admission: Admission, keeper: dict[str, str]) -> Policy:
    def kept(root: str) -> str:
        labels = f"{root}.?metadata.?labels.orValue({{}})"
        return f"{labels}.map(k, k == '{NAMESPACE_TEAM_LABEL}' || k.startsWith('{DEFAULT_COMPUTE_CLASS_LABEL}'), k + '=' + {labels}[k])"

    annotations = "object.?metadata.?annotations.orValue({})"
    old = "oldObject.?metadata.?annotations.orValue({})"
    prefix = f"k.startsWith('{NAMESPACE_SCHEDULING_ANNOTATIONS}')"
    return Policy(
        PREFIX + "namespaces",
        (Resources("", ("namespaces",), ("CREATE", "UPDATE")),),
        {**keeper, "labels": kept("object"), "oldLabels": f"request.operation == 'UPDATE' ? {kept('oldObject')} : []"},
        [
            _law(
                "GUARD-004",
                "Only the platform says which namespace is which team's, and makes the exempt ones",
                "The label decides who may use whose queues, a default compute class where pods go, and an exempt name that nobody looks.",
                "Change teams or exempt namespaces in the stack file.",
                f"variables.keeper || ({_same('labels', 'oldLabels')}"
                f" && (request.operation == 'UPDATE' || !(object.metadata.name in {_texts(admission.exempt_namespaces)})))",
            ),
            _law(
                "GUARD-005",
                "No namespace gives its pods tolerations",
                "By such an annotation every pod in it would tolerate what its author never wrote.",
                f"Take the annotation {NAMESPACE_SCHEDULING_ANNOTATIONS}… away.",
                f"{annotations}.all(k, !{prefix} || (request.operation == 'UPDATE' && {old}[?k].orValue('') == {annotations}[k]))",
            ),
        ],
        parameters=False,
    )


def _priorities(keeper: dict[str, str]) -> Policy:
    return Policy(
        PREFIX + "priorities",
        (Resources("scheduling.k8s.io", ("priorityclasses",), _EVERYTHING),),
        keeper,
        [
            _law(
                "GUARD-006",
                "Only the platform makes priorities",
                "A pod with a priority above that of services pushes them off their nodes.",
                "Use the priority class of the workload's class.",
                "variables.keeper || (request.operation == 'UPDATE' && object.value == oldObject.value"
                " && object.?preemptionPolicy == oldObject.?preemptionPolicy && object.?globalDefault == oldObject.?globalDefault)",
            )
        ],
        parameters=False,
    )


def _parameters(keeper: dict[str, str]) -> Policy:
    return Policy(
        PREFIX + "parameters",
        (Resources("", ("configmaps",), _EVERYTHING, names=(ADMISSION_PARAMETERS,)),),
        keeper,
        [
            _law(
                "GUARD-007",
                "Only the platform changes what the rules decide by",
                "Whoever may edit these parameters may admit anything.",
                "Change the stack file.",
                f"variables.keeper || {_unchanged('data')}",
            )
        ],
        parameters=False,
        inside=(SYSTEM_NAMESPACE,),
    )
