"""`docs/admission.md`: what the cluster admits to spot nodes, what it refuses and why."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    MAX_EXEC_LABEL,
    QUEUE_LABEL,
    WorkloadClass,
    local_queue,
    priority_class,
)
from hybrid_pools.documents.markdown import code, codes, document, table
from hybrid_pools.manifests.admission_protection import protection_policies
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.kinds import kinds
from hybrid_pools.workload.rule import Verdict
from hybrid_pools.workload.rules import all_rules

_INTRODUCTION = """\
Spot nodes end at any time, so only work that can be resumed may run there. Taints keep everything else away, but whoever writes a pod also
writes what it tolerates. These rules say who may tolerate what; they are asked three times, by the same code: in a pull request and a
preview by the policy pack, when a job is made, and when its pods are. The last one is the barrier: it sees what Kueue and all other
controllers have added.

A pod **asks for spot** if it tolerates a guarded taint, in whatever way Kubernetes lets it, if it selects spot nodes or a compute class, or
if its queue leads to spot. A pod that does not ask is asked only for its node, its scheduler and, in a team's namespace, its priority."""

_WHY = """\
A controller makes pods, so a refused pod shows in the events of its job: `kubectl describe job NAME`. The message begins with the id of the
rule; look it up below. A refused job shows it at once."""

_SEEN = (
    ("`WORK-…` on a job, and no pods", "The template lacks what the message names. Mend the template: pods cannot be changed."),
    ("`WORK-001` on a pod that you made", "Pods by hand never run on spot. Make a Job; an owner reference does not help."),
    ("`WORK-001` on a service that tolerates everything", "Write the tolerations that it needs, one by one, without spot's."),
    (
        "`WORK-001`, `WORK-012` on `kubectl debug node/…`",
        "Debugging pods name a node and tolerate all. Make them in an exempt namespace: `-n kube-system`.",
    ),
    ("`WORK-014`", "The namespace is no team's, or the team may not use spot: `teams` in the stack file."),
    (
        "`WORK-…` on a job that ran yesterday",
        "Something has changed it, or the rules went from `audit` to `deny`. Pods that run go on in any case.",
    ),
    ("`GUARD-…`", "You changed what the platform keeps. Change the stack file instead."),
    ("`failed to evaluate`, `no params found`", "The policies themselves are out of order: apply the stack again."),
)

_MODES = """\
`kubernetes.admission` in the stack file sets what becomes of a violation, so that rules come into a running cluster step by step.

| Mode | A violation is | What cannot be judged is |
| --- | --- | --- |
| `audit` | noted in the audit log (`validation.policy.admission.k8s.io/validation_failure`) | admitted |
| `warn` | also told to whoever makes it | admitted |
| `deny` | refused | refused |

Stay in `audit` until the log is clean for a week, then `warn`, then `deny`. The way back is the same setting; if the API server refuses
even that, `kubectl delete validatingadmissionpolicybinding hybrid-pools-pods` ends the rule on pods."""

_LIMITS = """\
- **Labels are claims.** That a pod is labelled does not make it save. What can be checked is: the address, the account that may write
  there, the time to save, and what happens after a disruption.
- **Static pods** come from a file on the node and never pass the API server.
- **Policies cannot watch over policies.** Who may edit `ValidatingAdmissionPolicy` objects, or webhooks, is a matter of RBAC.
- **Exempt namespaces** are exempt by name: who may make pods there reaches every node.
- **Ephemeral containers** do not change where a pod is, so nothing asks about them.
- **Text** that becomes a pod later, such as Argo's `podSpecPatch`, and templates that another object completes are judged as far as they
  say something, and again when the pods are made."""


def render(blueprint: Blueprint) -> str:
    """The document, with examples of one environment.

    Raises:
        ValueError: The environment declares nothing inside its cluster, or no team of it may use spot.
    """
    kubernetes = blueprint.kubernetes
    if kubernetes is None:
        raise ValueError(f"{blueprint.environment.name} declares nothing inside its cluster")
    admission = kubernetes.admission
    team = next((team for team in admission.teams if team.spot), None)
    if team is None:
        raise ValueError(f"no team of {blueprint.environment.name} may use spot")
    return document(
        "Admission",
        "`hybrid_pools/workload/`, `hybrid_pools/manifests/admission_protection.py` and the stack file of prod",
        _INTRODUCTION,
        "## Why was my pod refused?",
        _WHY,
        table(["What you see", "What it is"], _SEEN),
        "## Accepted and refused",
        *_examples(admission, team),
        "## Rules on workloads",
        table(["Id", "Rule", "On", "Why", "Fix"], ([rule.id, rule.title, rule.scope.value, rule.why, rule.fix] for rule in all_rules())),
        "## Rules on what the platform keeps",
        table(["Id", "Rule, reason and fix"], ([law.id, law.message.partition(": ")[2]] for law in _laws(admission))),
        "## Kinds",
        "Looked at in every version. Pods of batch kinds may ask for spot; pods of the others may not, because they are services or are "
        "made in ways that no rule sees. In any other kind, what looks like a pod is reported as not understood before it reaches a "
        "cluster.",
        table(["API group", "Batch", "Others"], _kinds()),
        "## Rolling out",
        _MODES,
        "## What it does not do",
        _LIMITS,
    )


def _laws(admission: Admission) -> Iterator[Any]:
    for policy in protection_policies(admission):
        yield from policy.laws


def _kinds() -> Iterator[list[str]]:
    for group in sorted({kind.group for kind in kinds().values()}):
        of_group = [kind for kind in kinds().values() if kind.group == group]
        batch, others = ([kind.kind for kind in of_group if kind.batch is wanted] for wanted in (True, False))
        yield [code(group or "core"), codes(batch), codes(others)]


def _job(team: TeamAdmission) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "tone-7",
            "namespace": team.namespace,
            "labels": {QUEUE_LABEL: local_queue(WorkloadClass.TRAINING), MAX_EXEC_LABEL: "172800"},
        },
        "spec": {
            "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]},
            "template": {
                "metadata": {
                    "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: WorkloadClass.TRAINING.value},
                    "annotations": {
                        CHECKPOINT_URI_ANNOTATION: f"{team.checkpoint_prefix.replace('*', 'bucket')}tone-7",
                        CHECKPOINT_SAVE_ANNOTATION: "8",
                    },
                },
                "spec": {
                    "serviceAccountName": team.service_account,
                    "priorityClassName": priority_class(WorkloadClass.TRAINING),
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 30,
                    "containers": [{"name": "trainer", "image": "IMAGE@sha256:…"}],
                },
            },
        },
    }


@dataclass(frozen=True)
class _Change:
    """One thing changed in the accepted job: the place of an object in it, what is set there, and None for what is taken away."""

    says: str
    place: str
    values: dict[str, Any]


_TEMPLATE = "spec.template"
_CHANGES = (
    _Change("Without the label", f"{_TEMPLATE}.metadata.labels", {CHECKPOINT_LABEL: None}),
    _Change(
        "With the checkpoints of another team", f"{_TEMPLATE}.metadata.annotations", {CHECKPOINT_URI_ANNOTATION: "gs://bucket/runs/other/a"}
    ),
    _Change("Saving for ten minutes", f"{_TEMPLATE}.metadata.annotations", {CHECKPOINT_SAVE_ANNOTATION: "600"}),
    _Change("Without a failure policy", "spec", {"podFailurePolicy": None}),
    _Change("Without a bound", "metadata.labels", {MAX_EXEC_LABEL: None}),
    _Change("On a node of one's own choice", f"{_TEMPLATE}.spec", {"nodeName": "gke-prod-train-1"}),
)


def _examples(admission: Admission, team: TeamAdmission) -> Iterator[str]:
    accepted = _job(team)
    yield "This job is accepted. Kueue adds the tolerations and the node selector when there is quota; nobody needs to write them."
    yield _yaml(accepted)
    yield "The same job with one thing changed is refused:"
    yield table(["Change", "Answer"], ([change.says, _answer(_changed(accepted, change), admission)] for change in _CHANGES))
    service = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": team.namespace},
        "spec": {
            "template": {"spec": {"tolerations": [{"operator": "Exists"}], "containers": [{"name": "web", "image": "IMAGE@sha256:…"}]}}
        },
    }
    yield "A service that tolerates everything is refused, because that includes spot:"
    yield _yaml(service)
    yield _answer(service, admission)


def _changed(manifest: dict[str, Any], change: _Change) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    place = changed
    for key in change.place.split("."):
        place = place[key]
    for key, value in change.values.items():
        if value is None:
            del place[key]
        else:
            place[key] = value
    return changed


def _answer(manifest: dict[str, Any], admission: Admission) -> str:
    return " ".join(finding.message for finding in judge(manifest, admission) if finding.verdict is Verdict.VIOLATED)


def _yaml(manifest: dict[str, Any]) -> str:
    return f"```yaml\n{yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=120)}```"
