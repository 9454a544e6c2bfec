"""Rules on the reserved exit code, by which a trainer that was stopped and has saved asks to be started again.

A job that takes it for a failure ends; a shell that turns it into 0 makes the job count as done (kubernetes#118310). Both end a training
run in the middle, the second one without a word.
"""

from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import RESUME_EXIT_CODE
from hybrid_pools.lint.rule import Fault, Scope, Severity, Subject, rule
from hybrid_pools.lint.shell import hiding, scripts_of, swallowing
from hybrid_pools.workload.reading import Value

_FAILS = ("FailJob", "FailIndex")
_JOBS = {("batch", "Job"): "spec", ("batch", "CronJob"): "spec.jobTemplate.spec"}
_TRAINING_OPERATOR = "kubeflow.org"


@rule(
    id="LINT-201",
    title=f"Exit code {RESUME_EXIT_CODE} does not fail the job",
    scope=Scope.JOB,
    why="A trainer ends with it when it was stopped and has saved; a job that fails on it is over instead of going on.",
    fix=f"Leave {RESUME_EXIT_CODE} out of the exit codes of FailJob and FailIndex, or let a rule before them be Ignore onExitCodes In "
    f"[{RESUME_EXIT_CODE}]. In a JobSet FailJob may stay where the first failurePolicy rule on reason PodFailurePolicy restarts.",
    source="https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy",
)
def resume_code_is_no_failure(subject: Subject) -> Iterator[Fault]:
    kind = (subject.kind.group, subject.kind.kind) if subject.kind else None
    if kind in _JOBS:
        failing = _failing_rule(subject.owner.at(_JOBS[kind]))
        if failing is not None:
            yield _fails(failing)
    elif kind == ("jobset.x-k8s.io", "JobSet"):
        for job in subject.owner.at("spec.replicatedJobs").items():
            failing = _failing_rule(job.at("template.spec"))
            if failing is not None and not _restarts(subject.owner, job):
                yield _fails(failing)


def _fails(failing: Value) -> Fault:
    return Fault(failing.path, f"{failing.of('action').text()} on exit code {RESUME_EXIT_CODE}")


def _failing_rule(job: Value) -> Value | None:
    """The rule of a Job that decides on the code, where it fails the job. The first one that matches decides."""
    for policy_rule in job.at("podFailurePolicy.rules").items():
        codes = policy_rule.of("onExitCodes")
        if not codes.is_set():
            continue
        among = RESUME_EXIT_CODE in [code.number() for code in codes.of("values").items()]
        if among == (codes.of("operator").text() == "In"):
            return policy_rule if policy_rule.of("action").text() in _FAILS else None
    return None


def _restarts(job_set: Value, job: Value) -> bool:
    """Whether the set starts again when that job is failed by its pod failure policy. Without any policy it fails."""
    policy = job_set.at("spec.failurePolicy")
    if not policy.is_set():
        return False
    for policy_rule in policy.of("rules").items():
        targets = [target.text() for target in policy_rule.of("targetReplicatedJobs").items()]
        reasons = [reason.text() for reason in policy_rule.of("onJobFailureReasons").items()]
        narrow = bool(policy_rule.of("onJobFailureMessagePatterns").items())
        of_job = not targets or job.of("name").text() in targets
        if of_job and not narrow and (not reasons or "PodFailurePolicy" in reasons):
            return policy_rule.of("action").text() != "FailJobSet"
    return True


@rule(
    id="LINT-202",
    title=f"An operator that fails on exit code {RESUME_EXIT_CODE} never sees it",
    severity=Severity.WARNING,
    scope=Scope.JOB,
    why="Under restartPolicy ExitCode the training operator takes every code below 128 for a failure of the program, and ends the job.",
    fix="Use a Job or a JobSet; or let the trainer end itself by the signal once it has saved, which gives 143.",
    source="https://www.kubeflow.org/docs/components/trainer/legacy-v1/",
)
def operator_restarts(subject: Subject) -> Iterator[Fault]:
    if subject.kind is None or subject.kind.group != _TRAINING_OPERATOR:
        return
    for specs in subject.owner.at("spec").entries().values():
        if not specs.path.endswith("ReplicaSpecs"):
            continue
        for replica in specs.entries().values():
            policy = replica.of("restartPolicy")
            if policy.text() == "ExitCode":
                yield Fault(policy.path, f"is ExitCode, for which {RESUME_EXIT_CODE} is a permanent failure")


@rule(
    id="LINT-203",
    title="No shell hides how the trainer ended",
    scope=Scope.SAVING_POD,
    why=f"The pod then ends with 0, which counts as done: a run that was stopped with {RESUME_EXIT_CODE} is never started again.",
    fix="Start the trainer as the command itself, or with exec as the last command of the script; no `|| true`, no `exit 0`, no trap that "
    "exits with 0, and `set -o pipefail` before a pipe.",
    source="https://github.com/kubernetes/kubernetes/issues/118310",
)
def nothing_hides_the_exit_code(subject: Subject) -> Iterator[Fault]:
    for container in subject.containers:
        for script in scripts_of(container):
            for found in hiding(script.text() or ""):
                yield Fault(script.path, found)


@rule(
    id="LINT-204",
    title="The signal reaches the trainer",
    severity=Severity.WARNING,
    scope=Scope.SAVING_POD,
    why="Kubernetes signals the first process alone. A shell that waits for its child passes nothing on: the trainer is killed at the end "
    "of the grace period and has saved nothing.",
    fix="Write exec before the trainer, as the last command of the script, or start it without a shell.",
    source="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination",
)
def signal_reaches_the_trainer(subject: Subject) -> Iterator[Fault]:
    for container in subject.containers:
        for script in scripts_of(container):
            if swallowing(script.text() or ""):
                yield Fault(script.path, "runs several commands in a shell and the last one without exec")
