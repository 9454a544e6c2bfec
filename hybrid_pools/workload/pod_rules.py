"""What must hold for a pod. Each law stands twice, side by side: as CEL for the cluster, as Python for what is declared."""

import re

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    SPOT_CLASSES,
    WorkloadClass,
    priority_class,
)
from hybrid_pools.workload.asking import cel_list, reaches_by_name, reaches_by_name_cel
from hybrid_pools.workload.parameters import FLAVOR_LABELS, GRACE, LEAST_GRACE, flavor_labels, lies_below, lies_below_cel
from hybrid_pools.workload.rule import Scope, Subject, rule

DEFAULT_GRACE_SECONDS = 30
"""What a left-out termination grace period becomes."""

_CLASS = f"pod.?metadata.?labels[?'{CLASS_LABEL}'].orValue('')"
_ADDRESS = f"pod.?metadata.?annotations[?'{CHECKPOINT_URI_ANNOTATION}'].orValue('')"
_SAVE = f"pod.?metadata.?annotations[?'{CHECKPOINT_SAVE_ANNOTATION}'].orValue('')"
_PRIORITY = "pod.?spec.?priorityClassName.orValue('')"
SECONDS = "[1-9][0-9]{0,5}"
"""Form of a number of seconds in an annotation, the same as a regular expression of Python and of CEL."""

_SAVES = f"{_SAVE}.matches('^{SECONDS}$')"
_NEEDED = f"int({_SAVE}) + variables.margin"
_REACHES = (
    f"{reaches_by_name_cel('pod', 'f in x.?values.orValue([])')} && "
    f"params.data[?'{FLAVOR_LABELS}' + f].orValue('').split('\\n').all(l, l == '' "
    "|| !pod.?spec.?nodeSelector[?l.split('=')[0]].hasValue() "
    "|| pod.?spec.?nodeSelector[?l.split('=')[0]].orValue('') == l.split('=')[1])"
)
_FITS = f"{_NEEDED} <= int(params.data['{GRACE}' + f])"


@rule(
    id="WORK-001",
    title="Only pods of batch jobs may run on spot",
    why="Spot nodes end at any time: a service would be gone, and a pod that nobody made for a job would not come back.",
    fix="Run it as a Job or JobSet, or take away the toleration, node selector or queue that asks for spot.",
    cel="variables.batch",
    of_fragments=True,
    of_services=True,
)
def pod_is_of_a_job(subject: Subject) -> str | None:
    if subject.kind.is_pod:
        creator = subject.creator or "a person"
        return None if subject.creator in subject.admission.pod_creators else f"is made by {creator}, which is no batch controller"
    return None if subject.kind.batch else f"is of a {subject.kind.kind}"


@rule(
    id="WORK-002",
    title="A pod on spot says that it saves checkpoints",
    why="Without checkpoints every preemption starts the work again from nothing, and pays for it again.",
    fix=f"Let it save and resume, then label the pod template {CHECKPOINT_LABEL}: {CHECKPOINT_ENABLED}.",
    cel=f"pod.?metadata.?labels[?'{CHECKPOINT_LABEL}'].orValue('') == '{CHECKPOINT_ENABLED}'",
)
def pod_saves_checkpoints(subject: Subject) -> str | None:
    found = subject.label(CHECKPOINT_LABEL)
    return None if found == CHECKPOINT_ENABLED else _has(f"label {CHECKPOINT_LABEL}", found)


@rule(
    id="WORK-003",
    title="A pod on spot is of a class that may run there",
    why="Services and interactive work have somebody waiting, who would be cut off.",
    fix=f"Label the pod template {CLASS_LABEL}: {' or '.join(SPOT_CLASSES)}.",
    cel=f"{_CLASS} in {cel_list(SPOT_CLASSES)}",
)
def class_may_run_on_spot(subject: Subject) -> str | None:
    found = subject.label(CLASS_LABEL)
    return None if found in SPOT_CLASSES else _has(f"label {CLASS_LABEL}", found)


@rule(
    id="WORK-004",
    title="Checkpoints lie below the prefix of the team",
    why="Elsewhere the training account may not write, so nothing would be saved, or it would overwrite what others saved.",
    fix=f"Set the annotation {CHECKPOINT_URI_ANNOTATION} of the pod template to a folder below the team's checkpoint prefix, which the "
    "contract names: gs://BUCKET/runs/TEAM/RUN.",
    cel=lies_below_cel(_ADDRESS, "variables.prefix"),
)
def checkpoints_lie_below_the_prefix(subject: Subject) -> str | None:
    found, team = subject.annotation(CHECKPOINT_URI_ANNOTATION), subject.team
    return None if team is not None and lies_below(found, team) else _has(f"annotation {CHECKPOINT_URI_ANNOTATION}", found)


@rule(
    id="WORK-005",
    title="A pod on spot runs as the training account of its team",
    why="No other account may write the team's checkpoints.",
    fix="Set serviceAccountName of the pod template to the team's training account, which the contract names.",
    cel="variables.account != '' && (pod.?spec.?serviceAccountName.orValue('') != '' ? pod.spec.serviceAccountName"
    " : pod.?spec.?serviceAccount.orValue('')) == variables.account",
)
def runs_as_the_training_account(subject: Subject) -> str | None:
    found, team = subject.spec("serviceAccountName") or subject.spec("serviceAccount"), subject.team
    return None if team is not None and found == team.service_account else _has("serviceAccountName", found)


@rule(
    id="WORK-006",
    title="The last checkpoint fits into the time that a spot node leaves",
    why="The node is gone when that time is over, whatever the pod's own grace period, and a half-written checkpoint is none.",
    fix=f"Save faster, in parts or to local disk first, and set the annotation {CHECKPOINT_SAVE_ANNOTATION} to the measured seconds; or "
    "select a pool with a longer shutdown window. The contract names the usable seconds of each.",
    # What fits everywhere is most of what there is, and is seen without looking where it may go.
    cel=f"{_SAVES} && ({_NEEDED} <= int(params.data['{LEAST_GRACE}']) || variables.flavors.size() == 0 || "
    f"(variables.flavors.exists(f, {_REACHES}) && variables.flavors.all(f, !({_REACHES}) || {_FITS})))",
)
def last_checkpoint_fits(subject: Subject) -> str | None:
    saving = subject.annotation(CHECKPOINT_SAVE_ANNOTATION)
    if not re.fullmatch(SECONDS, saving):
        return _has(f"annotation {CHECKPOINT_SAVE_ANNOTATION}", saving)
    admission = subject.admission
    needed = int(saving) + admission.save_margin_seconds
    # What fits everywhere is most of what there is, and is seen without looking where it may go.
    if needed <= min(admission.grace_seconds.values(), default=needed):
        return None
    reached = [flavor for flavor in admission.grace_seconds if _reaches(subject, flavor)] or list(admission.grace_seconds)
    grace = min((admission.grace_seconds[flavor] for flavor in reached), default=None)
    if grace is None or needed <= grace:
        return None
    return f"saves for {saving} s, with {admission.save_margin_seconds} s margin {needed} s, and has {grace} s"


def _reaches(subject: Subject, flavor: str) -> bool:
    selector = subject.pod.at("spec.nodeSelector")
    selected = all(selector.of(key).text() in (None, value) for key, value in flavor_labels(subject.admission, flavor).items())
    return selected and reaches_by_name(subject.pod, lambda names: flavor in names)


@rule(
    id="WORK-007",
    title="The pod's own grace period covers the last checkpoint",
    why="Kubernetes kills the pod when its grace period is over, also where the node would have left it more time.",
    fix=f"Set terminationGracePeriodSeconds of the pod template to {CHECKPOINT_SAVE_ANNOTATION} plus the margin, or more.",
    cel=f"!{_SAVES} || pod.?spec.?terminationGracePeriodSeconds.orValue({DEFAULT_GRACE_SECONDS}) >= {_NEEDED}",
)
def grace_period_covers(subject: Subject) -> str | None:
    saving = subject.annotation(CHECKPOINT_SAVE_ANNOTATION)
    if not re.fullmatch(SECONDS, saving):
        return None  # the rule before says so
    declared = subject.pod.at("spec.terminationGracePeriodSeconds").number()
    grace, needed = DEFAULT_GRACE_SECONDS if declared is None else declared, int(saving) + subject.admission.save_margin_seconds
    return None if grace >= needed else f"has a grace period of {grace} s and needs {needed} s"


@rule(
    id="WORK-008",
    title="The kubelet does not restart a pod on spot",
    why="A container that is started again on a node that goes away loses the time to save, and hides the disruption from its job.",
    fix="Set restartPolicy: Never in the pod template; its job makes a new pod.",
    cel="pod.?spec.?restartPolicy.orValue(variables.restartPolicy) == 'Never'",
)
def is_not_restarted_in_place(subject: Subject) -> str | None:
    declared = subject.pod.at("spec.restartPolicy").text()
    found = subject.kind.restart_policy if declared is None else declared
    return None if found == "Never" else _has("restartPolicy", found)


@rule(
    id="WORK-011",
    title="A pod on spot has a training priority",
    why="With a higher priority it would push others off their nodes, with none it would lose to everything.",
    fix=f"Set priorityClassName of the pod template to {' or '.join(map(priority_class, SPOT_CLASSES))}, as its class.",
    cel=f"{_PRIORITY} in variables.spotPriorityClasses",
)
def has_a_training_priority(subject: Subject) -> str | None:
    found = subject.spec("priorityClassName")
    return None if found in subject.admission.spot_priority_classes else _has("priorityClassName", found)


@rule(
    id="WORK-012",
    title="The scheduler chooses the node",
    why="A pod that names its node is never asked what it tolerates, so no taint keeps it away.",
    fix="Leave nodeName out. To reach certain nodes use nodeSelector.",
    cel="variables.placed || pod.?spec.?nodeName.orValue('') == ''",
    scope=Scope.EVERY_POD,
    of_fragments=True,
)
def names_no_node(subject: Subject) -> str | None:
    found = subject.spec("nodeName")
    return _has("nodeName", found) if found else None


@rule(
    id="WORK-013",
    title="Only schedulers that respect taints place pods",
    why="A scheduler of one's own may put a pod anywhere.",
    fix="Leave schedulerName out.",
    cel="pod.?spec.?schedulerName.orValue('') in variables.schedulerNames",
    scope=Scope.EVERY_POD,
    of_fragments=True,
)
def has_a_known_scheduler(subject: Subject) -> str | None:
    found = subject.spec("schedulerName")
    return None if found in ("", *subject.admission.scheduler_names) else _has("schedulerName", found)


@rule(
    id="WORK-014",
    title="Only teams that may use spot run there",
    why="Elsewhere there is no queue, no quota and no place for checkpoints.",
    fix="Run it in the namespace of a team that may use spot; who may is said in the stack file, under teams.",
    cel="variables.spot",
    of_fragments=True,
)
def team_may_use_spot(subject: Subject) -> str | None:
    team = subject.team
    if team is None:
        return f"is in namespace {subject.namespace}, which is no team's"
    return None if team.spot else f"is of team {team.team}, which may not use spot"


@rule(
    id="WORK-015",
    title="A pod of a team has the priority of its class",
    why="Who may choose any priority pushes everybody else off their nodes.",
    fix=f"Label the pod template with its {CLASS_LABEL} and set priorityClassName to {priority_class(WorkloadClass.TRAINING)} for "
    f"{WorkloadClass.TRAINING}, and so on; or leave priorityClassName out.",
    cel=f"variables.account == '' || {_PRIORITY} == '' || "
    f"({_PRIORITY} == '{priority_class(WorkloadClass.TRAINING).removesuffix(WorkloadClass.TRAINING)}' + {_CLASS} && "
    f"{_CLASS} in {cel_list(tuple(WorkloadClass))})",
    scope=Scope.EVERY_POD,
)
def priority_is_that_of_the_class(subject: Subject) -> str | None:
    priority, workload_class = subject.spec("priorityClassName"), subject.label(CLASS_LABEL)
    if subject.team is None or not priority:
        return None
    if workload_class in tuple(WorkloadClass) and priority == priority_class(WorkloadClass(workload_class)):
        return None
    return f"has priorityClassName {priority} and class {workload_class or 'none'}"


@rule(
    id="WORK-016",
    title="Jobs are not services",
    why="The priority of services is for what somebody waits for: a job with it would push services and training off their nodes.",
    fix=f"Label the pod template of the job with another {CLASS_LABEL}: {', '.join(each for each in WorkloadClass if each != 'service')}.",
    cel=f"variables.account == '' || !variables.job || {_CLASS} != '{WorkloadClass.SERVICE}'",
    scope=Scope.EVERY_POD,
)
def job_is_no_service(subject: Subject) -> str | None:
    is_job = subject.creator in subject.admission.pod_creators if subject.kind.is_pod else subject.kind.batch
    if subject.team is None or not is_job or subject.label(CLASS_LABEL) != WorkloadClass.SERVICE:
        return None
    return _has(f"label {CLASS_LABEL}", WorkloadClass.SERVICE)


def _has(what: str, value: str) -> str:
    return f"has {what} {value}" if value else f"has no {what}"
