"""The time to save, by what stops a pod (facts of Kubernetes and GKE in `facts/spot-training.md` 2.3; the figures are the contract's).

| What stops the pod | Time that it has |
| --- | --- |
| a node that ends: Spot preemption | `usableGraceSeconds` of the flavor |
| a node that is drained: scale-down, upgrade | `usableGraceSeconds` of the flavor, on pools that are not spot |
| Kueue's eviction, a pod of higher priority, `kubectl drain` | the pod's own `terminationGracePeriodSeconds` |
| the schedule, when services get the buffer back | `drainMinutes` |

A preStop hook runs within that time, before the process hears of its end. The workload rules ask the first and the third of what asks for
spot; here all are asked of everything that saves.
"""

import re
from collections.abc import Iterator

from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.vocabulary import CHECKPOINT_SAVE_ANNOTATION, Role
from hybrid_pools.lint.rule import Fault, Scope, Subject, rule
from hybrid_pools.workload.pod_rules import DEFAULT_GRACE_SECONDS, SECONDS
from hybrid_pools.workload.reading import Value

_GRACE_PERIOD = "spec.terminationGracePeriodSeconds"


@rule(
    id="LINT-101",
    title="The last checkpoint fits before a node is gone",
    scope=Scope.SAVING_POD,
    why="When a node ends or is drained, everything on it is killed after that node's time, whatever grace period the pod has.",
    fix=f"Save faster, in parts or to local disk first, and set {CHECKPOINT_SAVE_ANNOTATION} to the measured seconds; take work out of "
    "preStop hooks; or choose a flavor that leaves more time.",
    source="https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms",
)
def fits_before_the_node_ends(subject: Subject) -> Iterator[Fault]:
    needed = _needed(subject)
    if needed is None:
        return
    hook = _hook_seconds(subject)
    reached = [flavor for flavor in subject.flavors if hook or not (subject.asks_for_spot and flavor.role is Role.SPOT)]
    for flavor in reached:
        if needed > flavor.usable_grace_seconds:
            yield Fault(_save_path(subject), f"{_need(subject, needed)}, and {_end_of(flavor)} leaves {flavor.usable_grace_seconds} s")


@rule(
    id="LINT-102",
    title="The last checkpoint fits into the pod's grace period",
    scope=Scope.SAVING_POD,
    why="Kueue's eviction, a pod of higher priority and a drain by hand all wait for the grace period and then kill.",
    fix="Set terminationGracePeriodSeconds of the pod template to the seconds that are needed, or more.",
    source="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination",
)
def fits_into_the_grace_period(subject: Subject) -> Iterator[Fault]:
    needed = _needed(subject)
    if needed is None or (subject.asks_for_spot and not _hook_seconds(subject)):
        return
    grace = _grace_period(subject)
    if needed > grace:
        yield Fault(f"{_below(subject)}{_GRACE_PERIOD}", f"{_need(subject, needed)}, and its grace period is {grace} s")


@rule(
    id="LINT-103",
    title="A pod on the buffer is gone when services need it",
    scope=Scope.POD,
    why="The schedule takes the quota, waits the drain minutes and then the nodes: services wait for whoever stays longer, and what is not "
    "saved by then is lost.",
    fix="Save within the drain minutes and set terminationGracePeriodSeconds to no more than them, or keep the pod off the buffer by a "
    "node selector; drainMinutes is set in the stack file, under schedule.",
    source="docs/calendar.md",
)
def fits_before_services_come_back(subject: Subject) -> Iterator[Fault]:
    drain = subject.surroundings.drain_seconds
    if drain is None or not any(flavor.role is Role.BUFFER for flavor in subject.flavors):
        return
    needed, grace = _needed(subject), _grace_period(subject)
    if needed is not None and needed > drain:
        yield Fault(_save_path(subject), f"{_need(subject, needed)}, and the schedule leaves {drain} s")
    if grace > drain:
        yield Fault(f"{_below(subject)}{_GRACE_PERIOD}", f"may stay for {grace} s, and the schedule leaves {drain} s")


def _needed(subject: Subject) -> int | None:
    """Seconds from the signal to the end of the last save; None where the pod does not say how long it saves, which LINT-301 tells."""
    saving = subject.annotation(CHECKPOINT_SAVE_ANNOTATION)
    if not re.fullmatch(SECONDS, saving):
        return None
    return _hook_seconds(subject) + int(saving) + subject.surroundings.admission.save_margin_seconds


def _need(subject: Subject, needed: int) -> str:
    hook, margin = _hook_seconds(subject), subject.surroundings.admission.save_margin_seconds
    before = f"{hook} s preStop, " if hook else ""
    return f"needs {needed} s ({before}{subject.annotation(CHECKPOINT_SAVE_ANNOTATION)} s saving, {margin} s margin)"


def _end_of(flavor: FlavorContract) -> str:
    return f"the end of a Spot node of {flavor.name}" if flavor.role is Role.SPOT else f"the drain of a node of {flavor.name}"


def _grace_period(subject: Subject) -> int:
    declared = subject.pod.at(_GRACE_PERIOD).number()
    return DEFAULT_GRACE_SECONDS if declared is None else declared


def _hook_seconds(subject: Subject) -> int:
    """Seconds that the slowest preStop hook sleeps, as far as it says so."""
    hooks = (container.at("lifecycle.preStop") for container in subject.containers)
    return max((_sleep(hook) for hook in hooks if hook.is_set()), default=0)


def _sleep(hook: Value) -> int:
    command = " ".join(part.text() or "" for part in hook.at("exec.command").items())
    slept = sum(int(seconds) for seconds in re.findall(r"\bsleep\s+([0-9]{1,6})\b", command))
    return slept + (hook.at("sleep.seconds").number() or 0)


def _save_path(subject: Subject) -> str:
    return f"{_below(subject)}metadata.annotations.{CHECKPOINT_SAVE_ANNOTATION}"


def _below(subject: Subject) -> str:
    return f"{subject.pod.path}." if subject.pod.path else ""
