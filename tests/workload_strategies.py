"""Pods and jobs for tests of the workload rules: honest ones, hostile ones, and everything between; and the admission that they meet.

`honest_pod`, `honest_job` and the like are what a team that follows the rules writes. The strategies change them.
"""

import copy
from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    ADMINISTRATORS,
    BUFFER_TAINT,
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    COMPUTE_CLASS_LABEL,
    FLAVOR_LABEL,
    GPU_KEY,
    GUARDED_TAINTS,
    JOB_CONTROLLER,
    JOBSET_CONTROLLERS,
    KUEUE_CONTROLLER,
    MAX_EXEC_LABEL,
    PREEMPTIBLE_KEY,
    PROVISIONING_LABEL,
    QUEUE_LABEL,
    ROLE_LABEL,
    SCHEDULER,
    SCHEDULER_NAMES,
    SPOT_CLASSES,
    SPOT_KEY,
    SYSTEM_NAMESPACES,
    TRAINING_SERVICE_ACCOUNT,
    AdmissionMode,
    WorkloadClass,
    local_queue,
    priority_class,
    team_namespace,
)

Manifest = dict[str, Any]

TEAM = team_namespace("audio")
"""Namespace of a team that may use spot."""

TEAM_WITHOUT_SPOT = team_namespace("web")
NO_TEAM = "tools"
"""Namespace that is no team's and is not exempt."""

PLATFORM_GROUP = "platform@example.com"
PERSON = "researcher@example.com"


def admission(mode: AdmissionMode = AdmissionMode.DENY) -> Admission:
    """Admission of a small environment: one spot pool with the short window, one with the long one."""
    return Admission(
        mode=mode,
        exempt_namespaces=tuple(sorted(SYSTEM_NAMESPACES)),
        pod_creators=(JOB_CONTROLLER,),
        schedulers=(SCHEDULER,),
        scheduler_names=SCHEDULER_NAMES,
        platform_groups=(ADMINISTRATORS, PLATFORM_GROUP),
        guarded_taints=GUARDED_TAINTS,
        grace_seconds={"spot-l4": 105, "spot-t4": 15},
        save_margin_seconds=5,
        spot_queues=tuple(map(local_queue, SPOT_CLASSES)),
        spot_priority_classes=tuple(map(priority_class, SPOT_CLASSES)),
        teams=(
            TeamAdmission("audio", TEAM, TRAINING_SERVICE_ACCOUNT, "gs://*/runs/audio/", spot=True),
            TeamAdmission("web", TEAM_WITHOUT_SPOT, TRAINING_SERVICE_ACCOUNT, "gs://*/runs/web/", spot=False),
        ),
        platform_users=(KUEUE_CONTROLLER,),
        job_creators=JOBSET_CONTROLLERS,
        flavor_labels={"spot-l4": {ACCELERATOR_LABEL: "nvidia-l4"}, "spot-t4": {ACCELERATOR_LABEL: "nvidia-tesla-t4"}},
    )


def spot_tolerations() -> list[Manifest]:
    """What Kueue adds for a spot flavor."""
    return [{"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect.value} for taint in GUARDED_TAINTS]


def honest_template(workload_class: WorkloadClass = WorkloadClass.TRAINING) -> Manifest:
    """A pod template that may run on spot, before Kueue has placed it."""
    return {
        "metadata": {
            "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: workload_class.value},
            "annotations": {CHECKPOINT_URI_ANNOTATION: "gs://acme-checkpoints/runs/audio/tone-7", CHECKPOINT_SAVE_ANNOTATION: "10"},
        },
        "spec": {
            "serviceAccountName": TRAINING_SERVICE_ACCOUNT,
            "restartPolicy": "Never",
            "priorityClassName": priority_class(workload_class),
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "trainer", "image": "example.com/trainer"}],
        },
    }


def placed(template: Manifest) -> Manifest:
    """The same with what Kueue gives it on a spot flavor."""
    spec = template["spec"]
    return {**template, "spec": {**spec, "tolerations": [*spec.get("tolerations", []), *spot_tolerations()]}}


def named(
    api_version: str, kind: str, spec: Any, *, namespace: str = TEAM, labels: dict[str, str] | None = None, name: str = "run"
) -> Manifest:
    """An object around a spec."""
    metadata: Manifest = {"name": name, "namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, **({"labels": labels} if labels else {})}, "spec": spec}


def honest_pod(namespace: str = TEAM) -> Manifest:
    """A pod as the Job controller makes it of an honest job on spot."""
    return pod_of(placed(honest_template()), namespace=namespace)


def queue_labels(workload_class: WorkloadClass = WorkloadClass.TRAINING) -> dict[str, str]:
    """Labels of a job that goes through its class's queue and ends after a day."""
    return {QUEUE_LABEL: local_queue(workload_class), MAX_EXEC_LABEL: "86400"}


IGNORE_DISRUPTIONS = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def honest_job_spec(template: Manifest | None = None) -> Manifest:
    """Spec of an honest Job."""
    return {"backoffLimit": 3, "podFailurePolicy": IGNORE_DISRUPTIONS, "template": template or honest_template()}


def honest_job(template: Manifest | None = None) -> Manifest:
    """An honest Job for the training queue."""
    return named("batch/v1", "Job", honest_job_spec(template), labels=queue_labels())


def coordinator_template() -> Manifest:
    """A coordinator that stays on stable nodes."""
    template = honest_template()
    return {
        "metadata": {"labels": {CLASS_LABEL: WorkloadClass.TRAINING.value}},
        "spec": {**template["spec"], "nodeSelector": {ROLE_LABEL: "stable"}},
    }


def honest_job_set(worker: Manifest | None = None) -> Manifest:
    """An honest JobSet: a coordinator on stable nodes, workers on spot, all started again after a disruption."""
    announces = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
    return named(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        {
            "failurePolicy": {
                "maxRestarts": 3,
                "rules": [
                    {"name": "disrupted", "action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}
                ],
            },
            "replicatedJobs": [
                {"name": "coordinator", "replicas": 1, "template": {"spec": {"template": coordinator_template()}}},
                {
                    "name": "workers",
                    "replicas": 2,
                    "template": {"spec": {"backoffLimit": 0, "podFailurePolicy": announces, "template": worker or honest_template()}},
                },
            ],
        },
        labels=queue_labels(),
    )


def silent_job_set() -> Manifest:
    """A JobSet with the right rule, whose jobs never give the reason that it waits for."""
    job_set = copy.deepcopy(honest_job_set())
    del job_set["spec"]["replicatedJobs"][1]["template"]["spec"]["podFailurePolicy"]
    return job_set


def honest_cron_job() -> Manifest:
    """An honest CronJob, whose jobs go through the queue."""
    job = {"metadata": {"labels": queue_labels()}, "spec": honest_job_spec()}
    return named("batch/v1", "CronJob", {"schedule": "0 3 * * *", "jobTemplate": job})


def honest_pytorch_job() -> Manifest:
    """An honest PyTorchJob; its operator sets the restart policy of the pods."""
    template = honest_template()
    del template["spec"]["restartPolicy"]
    replicas = {"Worker": {"replicas": 2, "restartPolicy": "ExitCode", "template": template}}
    return named("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": replicas}, labels=queue_labels())


def honest_ray_job() -> Manifest:
    """An honest RayJob: head on stable nodes, workers on spot."""
    cluster = {
        "headGroupSpec": {"template": coordinator_template()},
        "workerGroupSpecs": [{"groupName": "gpu", "template": honest_template()}],
    }
    return named("ray.io/v1", "RayJob", {"backoffLimit": 2, "rayClusterSpec": cluster}, labels=queue_labels())


def honest_workload() -> Manifest:
    """What Kueue makes of an honest job."""
    pod_sets = [{"name": "main", "count": 1, "template": honest_template()}]
    return named("kueue.x-k8s.io/v1beta2", "Workload", {"queueName": local_queue(WorkloadClass.TRAINING), "podSets": pod_sets})


def service_template() -> Manifest:
    """Pods of a service on stable nodes, which may overflow to the buffer."""
    return {
        "metadata": {"labels": {"app": "web", CLASS_LABEL: WorkloadClass.SERVICE.value}},
        "spec": {
            "priorityClassName": priority_class(WorkloadClass.SERVICE),
            "tolerations": [
                {"key": BUFFER_TAINT.key, "operator": "Equal", "value": BUFFER_TAINT.value, "effect": BUFFER_TAINT.effect.value},
                {"key": GPU_KEY, "operator": "Exists", "effect": "NoSchedule"},
            ],
            "nodeSelector": {"kubernetes.io/arch": "amd64"},
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {"key": SPOT_KEY, "operator": "DoesNotExist"},
                                    {"key": ROLE_LABEL, "operator": "In", "values": ["stable", "buffer"]},
                                ]
                            }
                        ]
                    }
                }
            },
            "containers": [{"name": "web", "image": "example.com/web"}],
        },
    }


def honest_deployment() -> Manifest:
    """A service."""
    return named("apps/v1", "Deployment", {"selector": {"matchLabels": {"app": "web"}}, "template": service_template()}, name="web")


def pod_of(template: Manifest, *, namespace: str = TEAM, name: str = "run-0") -> Manifest:
    """A pod made of a template."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **template.get("metadata", {})},
        "spec": template["spec"],
    }


def _mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual value in four cases of five."""
    return st.sampled_from([usual] * (4 * max(len(others), 1)) + list(others))


_ABSENT = object()
"""A field that is left out."""


def _without_absent(found: dict[str, Any]) -> Manifest:
    return {key: value for key, value in found.items() if value is not _ABSENT}


_keys = st.sampled_from([*(taint.key for taint in GUARDED_TAINTS), BUFFER_TAINT.key, GPU_KEY, "example.com/slow"])


@st.composite
def tolerations(draw: st.DrawFn) -> Manifest:
    """Any toleration that the API server takes."""
    operator = draw(st.sampled_from(["Exists", "Equal", "", _ABSENT]))
    key: Any = draw(_keys)
    if operator == "Exists" and draw(st.integers(0, 4)) == 0:
        key = draw(st.sampled_from(["", _ABSENT]))
    value = (
        draw(st.sampled_from([_ABSENT, ""]))
        if operator == "Exists"
        else draw(st.sampled_from(["true", "spot", "buffer", "false", "", _ABSENT]))
    )
    effect = draw(st.sampled_from(["NoSchedule", "NoSchedule", "", _ABSENT, "NoExecute", "PreferNoSchedule"]))
    return _without_absent({"key": key, "operator": operator, "value": value, "effect": effect})


_labels_of_nodes = st.sampled_from(
    [
        (SPOT_KEY, "true"),
        (SPOT_KEY, "false"),
        (PREEMPTIBLE_KEY, "true"),
        (PROVISIONING_LABEL, "spot"),
        (PROVISIONING_LABEL, "standard"),
        (COMPUTE_CLASS_LABEL, "cheap"),
        (ROLE_LABEL, "spot"),
        (ROLE_LABEL, "stable"),
        (FLAVOR_LABEL, "spot-l4"),
        (FLAVOR_LABEL, "spot-t4"),
        (FLAVOR_LABEL, "stable-l4"),
        (ACCELERATOR_LABEL, "nvidia-l4"),
        (ACCELERATOR_LABEL, "nvidia-tesla-t4"),
        (ACCELERATOR_LABEL, "nvidia-h100-80gb"),
        ("kubernetes.io/arch", "amd64"),
    ]
)


@st.composite
def _expressions(draw: st.DrawFn) -> Manifest:
    key, value = draw(_labels_of_nodes)
    operator = draw(st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]))
    return {"key": key, "operator": operator, **({"values": [value, "other"]} if operator in ("In", "NotIn") else {})}


@st.composite
def _affinities(draw: st.DrawFn) -> Manifest:
    terms = draw(
        st.lists(
            st.builds(lambda found: {"matchExpressions": found}, st.lists(_expressions(), min_size=1, max_size=2)), min_size=1, max_size=2
        )
    )
    if draw(st.booleans()):
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    weighed = [{"weight": 1, "preference": term} for term in terms]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": weighed}}


_addresses = _mostly(
    "gs://acme-checkpoints/runs/audio/tone-7",
    "gs://acme-checkpoints/runs/audio/",
    "gs://acme-checkpoints/runs/audio/a/b_c/D-7.x/",
    "gs://acme-checkpoints/runs/audio/../web/x",
    "gs://acme-checkpoints/runs/audio//x",
    "gs://acme-checkpoints/runs/audio-lab/x",
    "gs://acme-checkpoints/runs/web/x",
    "gs:///runs/audio/x",
    "gs://b/c/runs/audio/x",
    "s3://acme-checkpoints/runs/audio/x",
    "gs://acme-checkpoints/runs/audio/x\n",
    " gs://acme-checkpoints/runs/audio/x",
    "gs://acme-checkpoints/runs/audio/é",
    "",
    _ABSENT,
)
_saves = st.one_of(
    st.sampled_from(["1", "5", "10"]),
    st.sampled_from(["1", "5", "10"]),
    st.integers(0, 130).map(str),
    st.sampled_from(["", "ten", "-5", "1.5", "010", "999999", "1000000", "9" * 20, "٣", _ABSENT]),
)


@st.composite
def templates(draw: st.DrawFn) -> Manifest:
    """A pod template between honest and hostile: each part is mostly right."""
    labels = {
        CHECKPOINT_LABEL: draw(_mostly(CHECKPOINT_ENABLED, "disabled", "Enabled", "", _ABSENT)),
        CLASS_LABEL: draw(_mostly("training", "deferred", "service", "interactive", "batch", _ABSENT)),
        QUEUE_LABEL: draw(_mostly(_ABSENT, "training", "deferred", "interactive", "other")),
    }
    annotations = {CHECKPOINT_URI_ANNOTATION: draw(_addresses), CHECKPOINT_SAVE_ANNOTATION: draw(_saves)}
    workload_class = labels[CLASS_LABEL] if labels[CLASS_LABEL] in tuple(WorkloadClass) else "training"
    selector = dict(draw(st.lists(_labels_of_nodes, max_size=2)))
    spec = {
        "containers": [{"name": "trainer", "image": "example.com/trainer"}],
        "tolerations": draw(st.one_of(st.just(spot_tolerations()), st.lists(tolerations(), max_size=4))),
        "nodeSelector": selector or _ABSENT,
        "affinity": draw(st.one_of(st.just(_ABSENT), st.just(_ABSENT), _affinities())),
        "serviceAccountName": draw(_mostly(TRAINING_SERVICE_ACCOUNT, "default", "builder", _ABSENT)),
        "restartPolicy": draw(_mostly("Never", "Always", "OnFailure", _ABSENT)),
        "priorityClassName": draw(_mostly(f"hybrid-{workload_class}", "hybrid-training", "hybrid-service", "mine", _ABSENT)),
        "terminationGracePeriodSeconds": draw(st.one_of(st.just(135), st.integers(0, 140), st.just(_ABSENT))),
        "schedulerName": draw(_mostly(_ABSENT, *SCHEDULER_NAMES, "anywhere")),
        "nodeName": draw(_mostly(_ABSENT, _ABSENT, "one", "")),
    }
    metadata = {"labels": _without_absent(labels), "annotations": _without_absent(annotations)}
    return {"metadata": metadata, "spec": _without_absent(spec)}


namespaces = _mostly(TEAM, TEAM_WITHOUT_SPOT, NO_TEAM)
creators = _mostly(JOB_CONTROLLER, PERSON, KUEUE_CONTROLLER)


def pods() -> st.SearchStrategy[Manifest]:
    """Pods of such templates, in every namespace."""
    return st.builds(lambda template, namespace: pod_of(template, namespace=namespace), templates(), namespaces)


_conditions = st.builds(
    lambda kind, status: {"type": kind, "status": status}, _mostly("DisruptionTarget", "ConfigIssue"), _mostly("True", "False", "Unknown")
)
_failure_rules = st.one_of(
    st.builds(
        lambda action, found: {"action": action, "onPodConditions": found},
        _mostly("Ignore", "FailJob", "Count"),
        st.lists(_conditions, min_size=1, max_size=2),
    ),
    st.builds(
        lambda action, operator, values: {"action": action, "onExitCodes": {"operator": operator, "values": values}},
        st.sampled_from(["FailJob", "Ignore", "Count"]),
        st.sampled_from(["In", "NotIn"]),
        st.lists(st.sampled_from([1, 42, 137, 143]), min_size=1, max_size=3, unique=True).map(sorted),
    ),
)


def patched_spec(template: Manifest, **fields: Any) -> Manifest:
    """The template with other fields in its pod's spec."""
    return {**template, "spec": {**template["spec"], **fields}}


@st.composite
def job_specs(draw: st.DrawFn) -> Manifest:
    """Specs of Jobs around such templates, of which a Job's must not be restarted by the kubelet for ever."""
    template = draw(st.one_of(st.just(honest_template()), templates()))
    if template["spec"].get("restartPolicy") not in ("Never", "OnFailure"):
        template = patched_spec(template, restartPolicy="Never")
    rules = draw(st.lists(_failure_rules, max_size=3))
    policy = {"podFailurePolicy": {"rules": rules}} if rules and template["spec"]["restartPolicy"] == "Never" else {}
    return {"template": template, **policy, **draw(_mostly({}, {"activeDeadlineSeconds": 3600}))}


_owner_labels = st.builds(
    lambda queue, bound: _without_absent({QUEUE_LABEL: queue, MAX_EXEC_LABEL: bound}),
    _mostly("training", "interactive", _ABSENT),
    _mostly("86400", "0", "day", "007", "", _ABSENT),
)


@st.composite
def jobs(draw: st.DrawFn) -> Manifest:
    """Jobs between honest and hostile."""
    return named("batch/v1", "Job", draw(job_specs()), namespace=draw(namespaces), labels=draw(_owner_labels))


_set_rules = st.builds(
    lambda action, reasons, targets: _without_absent(
        {"name": "rule", "action": action, "onJobFailureReasons": reasons, "targetReplicatedJobs": targets}
    ),
    _mostly("RestartJobSetAndIgnoreMaxRestarts", "RestartJobSet", "FailJobSet"),
    _mostly(_ABSENT, ["PodFailurePolicy"], ["DeadlineExceeded"], ["BackoffLimitExceeded", "PodFailurePolicy"]),
    _mostly(_ABSENT, ["one"], ["one", "two"], ["two"]),
)


@st.composite
def job_sets(draw: st.DrawFn) -> Manifest:
    """JobSets of two jobs between honest and hostile."""
    rules = draw(st.lists(_set_rules, max_size=3))
    policy = {"maxRestarts": 1, "rules": [{**rule, "name": f"rule{index}"} for index, rule in enumerate(rules)]}
    replicated = [{"name": name, "replicas": 1, "template": {"spec": draw(job_specs())}} for name in ("one", "two")]
    spec = {"replicatedJobs": replicated, **({"failurePolicy": policy} if rules else {})}
    return named("jobset.x-k8s.io/v1alpha2", "JobSet", spec, namespace=draw(namespaces), labels=draw(_owner_labels))
