"""What a batch kind says of a job as a whole: what becomes of it after a disruption, and when it ends at the latest.

Sources: batch/v1 types (podFailurePolicy), JobSet v1alpha2 types (failurePolicy), Kubeflow v1 types (runPolicy), KubeRay RayJob v1
(facts/spot-training.md 2.1, 2.4).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hybrid_pools.blueprint.vocabulary import MAX_EXEC_LABEL, QUEUE_LABEL, TERMINATED_EXIT_CODE
from hybrid_pools.workload.asking import asks_for_spot_cel, cel_list
from hybrid_pools.workload.kinds import LABELS, Kind
from hybrid_pools.workload.paths import optional
from hybrid_pools.workload.reading import Value

OWNER = "variables.owner"
"""CEL variable that holds the object."""

_KILLED = (137, TERMINATED_EXIT_CODE)
"""Exit codes of a process that SIGKILL or SIGTERM ended, as every disruption does."""

_UNCOUNTED = ("RestartJobSetAndIgnoreMaxRestarts", "RestartJobAndIgnoreMaxRestarts")
_FAILED_BY_POLICY = "PodFailurePolicy"
_DISRUPTED = "DisruptionTarget"


@dataclass(frozen=True)
class Whole:
    """The two laws for one kind, and where they look.

    Attributes:
        survives: Whether a disruption of one of the pods that ask for spot is no failure. Takes the object and those pods.
        survives_cel: The same as CEL.
        ends: Whether the total time is bounded.
        ends_cel: The same as CEL.
        watched: Paths of what the laws read beside pods and labels.
        variables: CEL variables that they need.
    """

    survives: Callable[[Value, Sequence[Value]], bool]
    survives_cel: str
    ends: Callable[[Value], bool]
    ends_cel: str
    watched: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)


def whole_of(kind: Kind) -> Whole | None:
    """The laws for a kind; None where its whole is judged elsewhere."""
    return _WHOLES.get((kind.group, kind.kind))


def ignores_disruptions(job: Value) -> bool:
    """Whether a Job's spec has a pod failure policy by which a disruption costs nothing. The first rule that matches a failure decides."""
    for rule in job.at("podFailurePolicy.rules").items():
        if rule.of("action").text() == "Ignore":
            if _is_on_disruption(rule):
                return True
        elif not _spares_disruptions(rule):
            return False
    return False


def _is_on_disruption(rule: Value) -> bool:
    return any(
        condition.of("type").text() == _DISRUPTED and (condition.of("status").text() or "True") == "True"
        for condition in rule.of("onPodConditions").items()
    )


def _spares_disruptions(rule: Value) -> bool:
    conditions, codes = rule.of("onPodConditions").items(), rule.of("onExitCodes")
    if codes.is_set():
        return codes.of("operator").text() == "In" and not any(code.number() in _KILLED for code in codes.of("values").items())
    return bool(conditions) and not any(condition.of("type").text() == _DISRUPTED for condition in conditions)


def _ignores_disruptions_cel(job: str) -> str:
    rules = f"{job}.?podFailurePolicy.?rules.orValue([])"
    ignores = f"r.?action.orValue('') == 'Ignore' && {_is_on_disruption_cel('r')}"
    codes = "s.?onExitCodes"
    spares = (
        "s.?action.orValue('') == 'Ignore' || "
        f"({codes}.hasValue() ? {codes}.?operator.orValue('') == 'In' && !{codes}.?values.orValue([]).exists(v, v in {list(_KILLED)}) : "
        "s.?onPodConditions.orValue([]).size() > 0 && "
        f"!s.?onPodConditions.orValue([]).exists(c, c.?type.orValue('') == '{_DISRUPTED}'))"
    )
    return f"{rules}.exists(r, {ignores} && {rules}.all(s, {rules}.indexOf(s) >= {rules}.indexOf(r) || {spares}))"


def _is_on_disruption_cel(rule: str) -> str:
    return (
        f"{rule}.?onPodConditions.orValue([]).exists(c, c.?type.orValue('') == '{_DISRUPTED}' && c.?status.orValue('True') in ['', 'True'])"
    )


def _queue_ends(owner: Value, labels: str) -> bool:
    found = owner.at(labels)
    seconds = found.of(MAX_EXEC_LABEL).text() or ""
    # Without a queue Kueue does not look at the label.
    return bool(found.of(QUEUE_LABEL).text()) and seconds.isascii() and seconds.isdigit() and int(seconds) > 0


def _queue_ends_cel(labels: str) -> str:
    found = optional(OWNER, labels)
    return f"({found}[?'{QUEUE_LABEL}'].orValue('') != '' && {found}[?'{MAX_EXEC_LABEL}'].orValue('').matches('^0*[1-9][0-9]*$'))"


def _ends(deadline: str | None, labels: str = LABELS) -> tuple[Callable[[Value], bool], str]:
    def ends(owner: Value) -> bool:
        return (deadline is not None and (owner.at(deadline).number() or 0) > 0) or _queue_ends(owner, labels)

    by_deadline = f"{optional(OWNER, deadline)}.orValue(0) > 0 || " if deadline else ""
    return ends, by_deadline + _queue_ends_cel(labels)


def _job(spec: str, labels: str) -> Whole:
    def survives(owner: Value, asking: Sequence[Value]) -> bool:  # noqa: ARG001 - a Job has one template
        return ignores_disruptions(owner.at(spec))

    deadline = f"{spec}.activeDeadlineSeconds"
    return Whole(survives, _ignores_disruptions_cel(f"{OWNER}.{spec}"), *_ends(deadline, labels), (deadline, f"{spec}.podFailurePolicy"))


def _job_set() -> Whole:
    announces = (
        f"j.?template.?spec.?podFailurePolicy.?rules.orValue([]).exists(p, p.?action.orValue('') == 'FailJob' && "
        f"{_is_on_disruption_cel('p')})"
    )
    targets = "r.?targetReplicatedJobs.orValue([])"
    rules, reasons, patterns = f"{OWNER}.?spec.?failurePolicy.?rules.orValue([])", "onJobFailureReasons", "onJobFailureMessagePatterns"
    restarts = (
        f"r.?action.orValue('') in {cel_list(_UNCOUNTED)} && r.?{patterns}.orValue([]).size() == 0 && "
        f"({targets}.size() == 0 || variables.askingJobs.all(j, j.?name.orValue('') in {targets})) && "
        f"(r.?{reasons}.orValue([]).size() == 0 || "
        f"('{_FAILED_BY_POLICY}' in r.{reasons} && variables.askingJobs.all(j, {announces})))"
    )
    narrow = f"s.?{patterns}.orValue([]).size() > 0 || (s.?{reasons}.orValue([]).size() > 0 && !('{_FAILED_BY_POLICY}' in s.{reasons}))"
    return Whole(
        _job_set_survives,
        f"{rules}.exists(r, {restarts} && {rules}.all(s, {rules}.indexOf(s) >= {rules}.indexOf(r) || {narrow})) || "
        f"variables.askingJobs.all(j, {_ignores_disruptions_cel('j.template.spec')})",
        *_ends(None),
        ("spec.failurePolicy",),
        {"askingJobs": f"variables.judged ? {OWNER}.spec.replicatedJobs.filter(j, {asks_for_spot_cel('j.template.spec.template')}) : []"},
    )


def _job_set_survives(owner: Value, asking: Sequence[Value]) -> bool:
    places = {pod.path for pod in asking}
    jobs = [job for job in owner.at("spec.replicatedJobs").items() if job.at("template.spec.template").path in places]
    for rule in owner.at("spec.failurePolicy.rules").items():
        if _restarts_uncounted(rule, jobs):
            return True
        if not _is_narrow(rule):
            break
    return all(ignores_disruptions(job.at("template.spec")) for job in jobs)


def _restarts_uncounted(rule: Value, jobs: Sequence[Value]) -> bool:
    if rule.of("action").text() not in _UNCOUNTED or rule.of("onJobFailureMessagePatterns").items():
        return False
    targets = [target.text() for target in rule.of("targetReplicatedJobs").items()]
    if targets and not all(job.of("name").text() in targets for job in jobs):
        return False
    reasons = [reason.text() for reason in rule.of("onJobFailureReasons").items()]
    # A rule on this reason only hears of a disruption whose job says it in this way.
    return not reasons or (_FAILED_BY_POLICY in reasons and all(_announces(job) for job in jobs))


def _announces(job: Value) -> bool:
    return any(
        rule.of("action").text() == "FailJob" and _is_on_disruption(rule) for rule in job.at("template.spec.podFailurePolicy.rules").items()
    )


def _is_narrow(rule: Value) -> bool:
    reasons = [reason.text() for reason in rule.of("onJobFailureReasons").items()]
    return bool(rule.of("onJobFailureMessagePatterns").items()) or (bool(reasons) and _FAILED_BY_POLICY not in reasons)


def _replicas(field: str) -> Whole:
    """Training Operator v1: `ExitCode` makes a killed replica anew and lets other failures be failures."""

    def survives(owner: Value, asking: Sequence[Value]) -> bool:
        places = {pod.path for pod in asking}
        return all(
            replica.of("restartPolicy").text() == "ExitCode"
            for replica in owner.at(f"spec.{field}").entries().values()
            if replica.of("template").path in places
        )

    replica = f"{OWNER}.spec.{field}[role]"
    survives_cel = (
        f"{OWNER}.?spec.?{field}.orValue({{}}).all(role, !{replica}.?template.hasValue() || !({asks_for_spot_cel(f'{replica}.template')})"
        f" || {replica}.?restartPolicy.orValue('') == 'ExitCode')"
    )
    deadline = "spec.runPolicy.activeDeadlineSeconds"
    return Whole(survives, f"!variables.judged || {survives_cel}", *_ends(deadline), (deadline, f"spec.{field}"))


def _ray_job() -> Whole:
    """A Ray job whose cluster lost a pod that it cannot do without starts again with another cluster."""

    def survives(owner: Value, asking: Sequence[Value]) -> bool:  # noqa: ARG001 - counted for the whole
        return (owner.at("spec.backoffLimit").number() or 0) > 0

    deadline = "spec.activeDeadlineSeconds"
    return Whole(survives, f"{OWNER}.?spec.?backoffLimit.orValue(0) > 0", *_ends(deadline), (deadline, "spec.backoffLimit"))


def _ray_cluster() -> Whole:
    """A Ray cluster makes lost workers anew by itself, and has no end but that of its queue."""

    def survives(owner: Value, asking: Sequence[Value]) -> bool:  # noqa: ARG001 - it always does
        return True

    return Whole(survives, "true", *_ends(None), ())


_WHOLES = {
    ("batch", "Job"): _job("spec", LABELS),
    ("batch", "CronJob"): _job("spec.jobTemplate.spec", "spec.jobTemplate.metadata.labels"),
    ("jobset.x-k8s.io", "JobSet"): _job_set(),
    ("kubeflow.org", "JAXJob"): _replicas("jaxReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _replicas("paddleReplicaSpecs"),
    ("kubeflow.org", "PyTorchJob"): _replicas("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _replicas("xgbReplicaSpecs"),
    ("ray.io", "RayCluster"): _ray_cluster(),
    ("ray.io", "RayJob"): _ray_job(),
}
