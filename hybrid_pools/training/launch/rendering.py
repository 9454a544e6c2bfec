"""The manifest of a run: a Job for a single worker, a JobSet for a gang or for a run with a coordinator.

A gang that loses one worker stands still, so all of it starts again together, from the last checkpoint. A Job cannot do that: it makes the
lost pod anew and leaves the others hanging. What may end a run is kept apart:

| What happened | How it shows | What follows |
| --- | --- | --- |
| the node was taken, drained or lost | condition DisruptionTarget | starts again, not counted |
| the trainer was asked to stop | exit code 42, or 143 where it does not listen | starts again, not counted |
| there is no such command in the image | exit code 126 or 127 | ends at once: no retry can help |
| anything else | any other code | starts again, a bounded number of times |

The job controller waits before it makes a pod anew, 10 s, 20 s and so on to 10 min, also after ends that are not counted; JobSet starts
again at once. What is not counted is bounded by the time of the whole run. The bound is Kueue's, because it adds up the time of all starts;
a Job's own deadline begins anew whenever Kueue suspends it. Sources: types of batch/v1 and of JobSet v1alpha2; pkg/controller/job of
Kubernetes; KEP 1282 of JobSet.
"""

import re
from typing import Any

import yaml

from hybrid_pools.blueprint.vocabulary import KUEUE_PRIORITY_LABEL, MAX_EXEC_LABEL, QUEUE_LABEL, RESUME_EXIT_CODE, TERMINATED_EXIT_CODE
from hybrid_pools.training.launch.plan import Plan
from hybrid_pools.training.launch.pods import WORKERS, coordinator_template, worker_template

Manifest = dict[str, Any]

COORDINATOR = "coordinator"

_RETRIES = 3
"""Failures of a single worker after which the run ends."""

_GANG_RETRIES = 10
"""Failures of a gang after which the run ends. More than of a single worker: when one of its nodes is lost without a word, the others
fail by themselves before anybody knows why."""

_STOPPED = (RESUME_EXIT_CODE, TERMINATED_EXIT_CODE)
"""Kueue's eviction leaves no other trace of a stop (jobset#1117)."""

_NO_COMMAND = (126, 127)
"""Exit codes of a shell or a runtime that finds no command or may not run it."""

_FAILED_BY_POLICY = "PodFailurePolicy"


def manifest(plan: Plan) -> Manifest:
    """The object to apply, in Kubernetes' order of keys."""
    return _job(plan) if _is_alone(plan) else _job_set(plan)


def retries(plan: Plan) -> int:
    """How many failures of its own the run is started again after."""
    return _RETRIES if _is_alone(plan) else _GANG_RETRIES


def _is_alone(plan: Plan) -> bool:
    return plan.job.workers.count == 1 and plan.coordinator is None


def text(made: Manifest) -> str:
    """A manifest as a YAML file."""
    return yaml.dump(made, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)


class _Dumper(yaml.SafeDumper):
    """Without aliases, which send a reader elsewhere, and with quotes around what a reader of YAML may take for something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own form
        return True

    def text_of(self, data: str) -> yaml.Node:
        """A text, plain only where it is a word like `trainer.task` or a path."""
        plain = _WORD.fullmatch(data) and data.lower() not in _NO_WORDS
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=None if plain else "'")


_Dumper.add_representer(str, _Dumper.text_of)

_WORD = re.compile(r"[A-Za-z/-][A-Za-z0-9_./:@=-]*")
_NO_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"}


def _object(plan: Plan, api_version: str, kind: str, spec: Manifest) -> Manifest:
    labels = {
        QUEUE_LABEL: plan.queue.name,
        KUEUE_PRIORITY_LABEL: plan.workload_class.priority_class,
        MAX_EXEC_LABEL: str(plan.bound_seconds),
    }
    metadata = {"name": plan.job.name, "namespace": plan.team.namespace, "labels": labels}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def _job(plan: Plan) -> Manifest:
    policy = [
        {"action": "Ignore", "onPodConditions": _DISRUPTED},
        {"action": "Ignore", "onExitCodes": _exit_codes(*_STOPPED)},
        {"action": "FailJob", "onExitCodes": _exit_codes(*_NO_COMMAND)},
    ]
    spec = {"backoffLimit": _RETRIES, "podFailurePolicy": {"rules": policy}, "template": worker_template(plan, None)}
    return _object(plan, "batch/v1", "Job", spec)


def _job_set(plan: Plan) -> Manifest:
    name = plan.job.name
    meeting_address = f"{name}-{COORDINATOR if plan.coordinator else WORKERS}-0-0.{name}"
    coordinator = [_part(COORDINATOR, 1, coordinator_template(plan, plan.coordinator, meeting_address))] if plan.coordinator else []
    rules = [
        # Both reasons are the same, so the message must tell them apart, and this rule must come first.
        {
            "name": "noCommand",
            "action": "FailJobSet",
            "onJobFailureReasons": [_FAILED_BY_POLICY],
            "onJobFailureMessagePatterns": [f"exit code ({'|'.join(map(str, _NO_COMMAND))}) "],
        },
        {"name": "disrupted", "action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": [_FAILED_BY_POLICY]},
    ]
    spec = {
        # A coordinator that goes on after its workers are done does not keep the run.
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [WORKERS]},
        # No new worker meets an old one.
        "failurePolicy": {"maxRestarts": _GANG_RETRIES, "restartStrategy": "BlockingRecreate", "rules": rules},
        # Those who start early look for those who are not ready yet.
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "replicatedJobs": [*coordinator, _part(WORKERS, plan.job.workers.count, worker_template(plan, meeting_address))],
    }
    return _object(plan, "jobset.x-k8s.io/v1alpha2", "JobSet", spec)


def _part(name: str, count: int, template: Manifest) -> Manifest:
    """One of the jobs of a set. It retries nothing itself: the set starts again as a whole."""
    policy = [
        {"action": "FailJob", "onPodConditions": _DISRUPTED},
        {"action": "FailJob", "onExitCodes": _exit_codes(*_STOPPED)},
        {"action": "FailJob", "onExitCodes": _exit_codes(*_NO_COMMAND)},
    ]
    spec = {
        "parallelism": count,
        "completions": count,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": policy},
        "template": template,
    }
    return {"name": name, "replicas": 1, "template": {"spec": spec}}


_DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


def _exit_codes(*codes: int) -> Manifest:
    return {"operator": "In", "values": list(codes)}
