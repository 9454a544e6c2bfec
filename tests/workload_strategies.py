"""Generated pods and jobs for tests of the workload rules: honest ones, hostile ones, and everything between."""

from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
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
    KUEUE_CONTROLLER,
    MAX_EXEC_LABEL,
    PREEMPTIBLE_KEY,
    PROVISIONING_LABEL,
    QUEUE_LABEL,
    ROLE_LABEL,
    SCHEDULER_NAMES,
    SPOT_KEY,
    TRAINING_SERVICE_ACCOUNT,
    WorkloadClass,
)
from tests.workloads import NO_TEAM, PERSON, TEAM, TEAM_WITHOUT_SPOT, Manifest, honest_template, named, pod_of, spot_tolerations


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
