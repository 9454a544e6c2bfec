"""Resources and cases of the rules on what is inside a cluster."""

from typing import Any

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    NAMESPACE_NAME_LABEL,
    NAMESPACE_TEAM_LABEL,
    POD_SECURITY_LABEL,
    QUEUE_LABEL,
    SPOT_TAINT,
    WorkloadClass,
    priority_class,
)
from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, Kind, more, six
from tests.policies.given import ABSENT, UNKNOWN, Given

NOT_UNDERSTOOD = Expected.NOT_UNDERSTOOD
_RBAC = "kubernetes:rbac.authorization.k8s.io/v1"
_KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2"
_ADMISSION = "kubernetes:admissionregistration.k8s.io/v1"
_TAINT = {"key": SPOT_TAINT.key, "value": SPOT_TAINT.value, "effect": SPOT_TAINT.effect.value}
TOLERATION = {"operator": "Equal", **_TAINT}
_ENFORCE = f"{POD_SECURITY_LABEL}enforce"


def made(token: str, kind: str, name: str, namespace: str | None = None, **parts: Any) -> Given:
    group, _, version = token.removeprefix("kubernetes:").rpartition("/")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    api_version = version if group == "core" else f"{group}/{version}"
    return Given(f"{token}:{kind}", {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}, name=name)


def pod_spec(**spec: Any) -> dict[str, Any]:
    return {
        "containers": [{"name": "train", "image": "train"}],
        "restartPolicy": "Never",
        "serviceAccountName": "training",
        "priorityClassName": priority_class(WorkloadClass.TRAINING),
        "terminationGracePeriodSeconds": 30,
        "tolerations": [TOLERATION],
        **spec,
    }


JOB = made(
    "kubernetes:batch/v1",
    "Job",
    "train",
    "team-vision",
    spec={
        "backoffLimit": 3,
        "activeDeadlineSeconds": 86400,
        "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
        "template": {
            "metadata": {
                "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: WorkloadClass.TRAINING.value},
                "annotations": {CHECKPOINT_URI_ANNOTATION: "gs://acme/runs/vision/one/", CHECKPOINT_SAVE_ANNOTATION: "8"},
            },
            "spec": pod_spec(),
        },
    },
).but({("metadata", "labels"): {QUEUE_LABEL: "training"}})
DEPLOYMENT = made(
    "kubernetes:apps/v1", "Deployment", "service", "services", spec={"template": {"spec": {"containers": [{"name": "serve"}]}}}
)
RELEASE = Given("kubernetes:helm.sh/v3:Release", {"chart": "oci://registry.k8s.io/kueue/charts/kueue", "version": "0.17.0"}, name="kueue")
FLAVOR = made(
    _KUEUE,
    "ResourceFlavor",
    "spot-l4",
    spec={"nodeLabels": {"pool": "spot"}, "nodeTaints": [_TAINT], "tolerations": [TOLERATION]},
)
CLUSTER_QUEUE = made(
    _KUEUE,
    "ClusterQueue",
    "vision-training",
    spec={
        "cohortName": "team-vision",
        "namespaceSelector": {"matchLabels": {NAMESPACE_NAME_LABEL: "team-vision"}},
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "spot-l4", "resources": []}]}],
    },
)
COHORT = made(_KUEUE, "Cohort", "team-vision", spec={})
OLD_QUEUE = made("kubernetes:kueue.x-k8s.io/v1beta1", "ClusterQueue", "old", spec={})
ROLE = made(_RBAC, "Role", "reader", "team-vision", rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}])
ROLE_BINDING = made(
    _RBAC, "RoleBinding", "readers", "team-vision", subjects=[{"kind": "Group", "name": "readers@acme.example"}], roleRef={"name": "reader"}
)
NAMESPACE = made("kubernetes:core/v1", "Namespace", "team-vision").but(
    {("metadata", "labels"): {NAMESPACE_TEAM_LABEL: "vision", _ENFORCE: "baseline"}}
)
DENIES_ALL = made(
    "kubernetes:networking.k8s.io/v1",
    "NetworkPolicy",
    "default-deny",
    "team-vision",
    spec={"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
)
PRIORITY = made("kubernetes:scheduling.k8s.io/v1", "PriorityClass", "hybrid-training", value=-5, globalDefault=False)
POLICY = made(_ADMISSION, "ValidatingAdmissionPolicy", "pods", spec={"failurePolicy": "Fail", "validations": []})
POLICY_BINDING = made(
    _ADMISSION,
    "ValidatingAdmissionPolicyBinding",
    "pods",
    spec={
        "policyName": "pods",
        "paramRef": {"name": "parameters", "namespace": "system", "parameterNotFoundAction": "Deny"},
        "validationActions": ["Deny"],
        "matchResources": {
            "namespaceSelector": {"matchExpressions": [{"key": NAMESPACE_NAME_LABEL, "operator": "NotIn", "values": ["kube-system"]}]}
        },
    },
)

COMPLIANT = (
    JOB,
    DEPLOYMENT,
    RELEASE,
    FLAVOR,
    CLUSTER_QUEUE,
    COHORT,
    ROLE,
    ROLE_BINDING,
    NAMESPACE,
    DENIES_ALL,
    PRIORITY,
    POLICY,
    POLICY_BINDING,
)
SPOILABLE = (*COMPLIANT, OLD_QUEUE)

_TEMPLATE = ("spec", "template", "spec")
_EXPRESSIONS = "spec.matchResources.namespaceSelector.matchExpressions"

CASES = [
    *six(
        "KUBERNETES-001",
        JOB,
        ("spec", "template", "metadata", "labels", CHECKPOINT_LABEL),
        violating="perhaps",
        absent=VIOLATES,
    ),
    more("KUBERNETES-001", "a service that tolerates spot", DEPLOYMENT.but({(*_TEMPLATE, "tolerations"): [TOLERATION]}), VIOLATES),
    more(
        "KUBERNETES-001",
        "a service that tolerates everything",
        DEPLOYMENT.but({(*_TEMPLATE, "tolerations"): [{"operator": "Exists"}]}),
        VIOLATES,
    ),
    more("KUBERNETES-001", "a service whose tolerations are not known", DEPLOYMENT.but({(*_TEMPLATE, "tolerations"): UNKNOWN}), WAITS),
    more("KUBERNETES-001", "a service that asks for nothing", DEPLOYMENT, PASSES),
    more(
        "KUBERNETES-001",
        "an unknown kind with pods in it",
        made("kubernetes:example.com/v1", "Crew", "crew", spec={"leader": {"tolerations": [{"operator": "Exists"}]}}),
        NOT_UNDERSTOOD,
    ),
    more(
        "KUBERNETES-001",
        "a system namespace",
        DEPLOYMENT.but({(*_TEMPLATE, "tolerations"): [TOLERATION], "metadata.namespace": "kube-system"}),
        PASSES,
    ),
    more("KUBERNETES-001", "another namespace than a team's", JOB.but({"metadata.namespace": "default"}), VIOLATES),
    more(
        "KUBERNETES-001",
        "a longer save where the nodes give more time",
        JOB.but(
            {
                ("spec", "template", "metadata", "annotations", CHECKPOINT_SAVE_ANNOTATION): "60",
                (*_TEMPLATE, "terminationGracePeriodSeconds"): 90,
            }
        ),
        PASSES,
        graceSeconds=105,
    ),
    more(
        "KUBERNETES-001",
        "a longer save than the nodes give time",
        JOB.but(
            {
                ("spec", "template", "metadata", "annotations", CHECKPOINT_SAVE_ANNOTATION): "60",
                (*_TEMPLATE, "terminationGracePeriodSeconds"): 90,
            }
        ),
        VIOLATES,
    ),
    *six("KUBERNETES-002", RELEASE, "chart", violating="nginx", absent=VIOLATES),
    more("KUBERNETES-002", "a chart that was allowed", RELEASE.but({"chart": "nginx"}), PASSES, charts=["nginx"]),
    more(
        "KUBERNETES-002",
        "an allowed name from another repository",
        RELEASE.but({"chart": "nginx", "repositoryOpts": {"repo": "https://evil.example/"}}),
        VIOLATES,
        charts=["nginx"],
    ),
    *six("KUBERNETES-003", FLAVOR, "spec.tolerations", violating=[{"operator": "Exists"}], absent=PASSES),
    more("KUBERNETES-003", "a toleration of another taint", FLAVOR.but({"spec.nodeTaints": []}), VIOLATES),
    more("KUBERNETES-003", "a toleration without an effect", FLAVOR.but({"spec.tolerations": [{**TOLERATION, "effect": ""}]}), VIOLATES),
    more("KUBERNETES-003", "no labels", FLAVOR.but({"spec.nodeLabels": ABSENT}), VIOLATES),
    more("KUBERNETES-003", "taints that are not known", FLAVOR.but({"spec.nodeTaints": UNKNOWN}), WAITS),
    *six("KUBERNETES-004", ROLE_BINDING, "subjects", violating=[{"kind": "User", "name": "ann@acme.example"}], absent=PASSES),
    more("KUBERNETES-004", "everybody", ROLE_BINDING.but({"subjects": [{"kind": "Group", "name": "system:authenticated"}]}), VIOLATES),
    more("KUBERNETES-004", "a workload", ROLE_BINDING.but({"subjects": [{"kind": "ServiceAccount", "name": "one"}]}), PASSES),
    more(
        "KUBERNETES-004",
        "a part of Kubernetes",
        ROLE_BINDING.but({"subjects": [{"kind": "User", "name": "system:kube-scheduler"}]}),
        PASSES,
    ),
    *six("KUBERNETES-005", ROLE, "rules", violating=[{"resources": ["pods"], "verbs": ["*"]}], absent=PASSES),
    more("KUBERNETES-005", "every resource", ROLE.but({"rules": [{"resources": ["*"], "verbs": ["get"]}]}), VIOLATES),
    more("KUBERNETES-005", "binding pods", ROLE.but({"rules": [{"resources": ["pods/binding"], "verbs": ["create"]}]}), VIOLATES),
    more("KUBERNETES-005", "commands in pods", ROLE.but({"rules": [{"resources": ["pods/exec"], "verbs": ["create"]}]}), VIOLATES),
    more("KUBERNETES-005", "editing flavors", ROLE.but({"rules": [{"resources": ["resourceflavors"], "verbs": ["patch"]}]}), VIOLATES),
    more("KUBERNETES-005", "reading flavors", ROLE.but({"rules": [{"resources": ["resourceflavors"], "verbs": ["get"]}]}), PASSES),
    more("KUBERNETES-005", "reading secrets", ROLE.but({"rules": [{"resources": ["secrets"], "verbs": ["list"]}]}), VIOLATES),
    more(
        "KUBERNETES-005",
        "a role that was looked at",
        ROLE.but({"rules": [{"resources": ["nodes"], "verbs": ["patch"]}]}),
        PASSES,
        roles=["reader"],
    ),
    *six("KUBERNETES-006", CLUSTER_QUEUE, "spec.preemption.reclaimWithinCohort", violating="Never", absent=VIOLATES),
    more("KUBERNETES-006", "open to every namespace", CLUSTER_QUEUE.but({"spec.namespaceSelector": {}}), VIOLATES),
    more("KUBERNETES-006", "open to none", CLUSTER_QUEUE.but({"spec.namespaceSelector": ABSENT}), VIOLATES),
    Case("KUBERNETES-007", Kind.COMPLIANT, (CLUSTER_QUEUE,), PASSES),
    Case("KUBERNETES-007", Kind.VIOLATING, (OLD_QUEUE,), VIOLATES),
    Case("KUBERNETES-007", Kind.ABSENT, (OLD_QUEUE.but({"spec": ABSENT}),), VIOLATES),
    Case("KUBERNETES-007", Kind.NULL, (OLD_QUEUE.but({"spec": None}),), VIOLATES),
    Case("KUBERNETES-007", Kind.UNKNOWN, (OLD_QUEUE.but({"spec": UNKNOWN}),), VIOLATES),
    Case("KUBERNETES-007", Kind.WRONG_TYPE, (OLD_QUEUE.but({"spec": 7}),), VIOLATES),
    *six("KUBERNETES-008", CLUSTER_QUEUE, "spec.cohortName", violating="team-vison", absent=PASSES, beside=(COHORT, FLAVOR)),
    more("KUBERNETES-008", "a flavor that is not there", (CLUSTER_QUEUE, FLAVOR.but({"metadata.name": "spot-a100"})), VIOLATES),
    more("KUBERNETES-008", "queues beside flavors of somebody else", (CLUSTER_QUEUE,), PASSES),
    *six("KUBERNETES-009", NAMESPACE, ("metadata", "labels", _ENFORCE), violating="privileged", absent=VIOLATES),
    more("KUBERNETES-009", "a namespace of no team", NAMESPACE.but({("metadata", "labels"): {}}), PASSES),
    *six("KUBERNETES-010", DENIES_ALL, "spec.policyTypes", violating=["Ingress"], absent=VIOLATES, beside=(NAMESPACE,)),
    more("KUBERNETES-010", "no policy", NAMESPACE, VIOLATES),
    more("KUBERNETES-010", "a policy in another namespace", (NAMESPACE, DENIES_ALL.but({"metadata.namespace": "other"})), VIOLATES),
    more("KUBERNETES-010", "a policy with a way in", (NAMESPACE, DENIES_ALL.but({"spec.ingress": [{}]})), VIOLATES),
    more("KUBERNETES-010", "a policy on some pods", (NAMESPACE, DENIES_ALL.but({"spec.podSelector.matchLabels": {"a": "b"}})), VIOLATES),
    *six("KUBERNETES-011", PRIORITY, "globalDefault", violating=True, absent=PASSES),
    *six("KUBERNETES-012", POLICY, "spec.failurePolicy", violating="Ignore", absent=PASSES, beside=(POLICY_BINDING,)),
    more(
        "KUBERNETES-012",
        "one that only warns",
        (POLICY.but({"spec.failurePolicy": "Ignore"}), POLICY_BINDING.but({"spec.validationActions": ["Warn", "Audit"]})),
        PASSES,
    ),
    *six("KUBERNETES-013", POLICY_BINDING, "spec.paramRef.parameterNotFoundAction", violating="Allow", absent=VIOLATES),
    more(
        "KUBERNETES-013",
        "one that only warns",
        POLICY_BINDING.but({"spec.paramRef.parameterNotFoundAction": "Allow", "spec.validationActions": ["Warn"]}),
        PASSES,
    ),
    more("KUBERNETES-013", "without parameters", POLICY_BINDING.but({"spec.paramRef": ABSENT}), PASSES),
    more(
        "KUBERNETES-013",
        "spares by a label that anybody may set",
        POLICY_BINDING.but({_EXPRESSIONS: [{"key": "spared", "operator": "DoesNotExist"}]}),
        VIOLATES,
    ),
    more(
        "KUBERNETES-013",
        "selects by a label that anybody may set",
        POLICY_BINDING.but({"spec.matchResources.namespaceSelector": {"matchLabels": {"judged": "true"}}}),
        VIOLATES,
    ),
]
