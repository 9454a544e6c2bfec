"""What the scheduler judges: generated jobs of honest teams, and what a hostile person tries, as pods, jobs and services.

The hostile ones are the strategies of the workload rules, made fit for a cluster: they ask for little, and name nodes that are there.
"""

import copy
import itertools
import os
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    GPU_KEY,
    MAX_EXEC_LABEL,
    QUEUE_LABEL,
    SPOT_CLASSES,
    WorkloadClass,
    team_namespace,
)
from tests.cluster.stack import WEIGHTS
from tests.workload_strategies import job_sets, jobs, namespaces, pods, templates
from tests.workloads import TEAM, Manifest, honest_job_set, honest_job_spec, honest_template, named, placed, queue_labels

SIZE = 3000 if os.environ.get("HYPOTHESIS_PROFILE") == "sweep" else 600
"""Objects of one run."""

DETOUR = "detour"
"""A local queue that a person makes."""

_NUMBERS = itertools.count()
"""Names are never used twice. Kueue finds a job's workload by the job's name, and controllers wait longer before they try a name again that
has failed: what one batch leaves behind would hold up the next."""

_MARGIN, _GRACE = 5, 105
_ANY_GPU = {"key": GPU_KEY, "operator": "Exists", "effect": "NoSchedule"}
"""What the API server gives to pods that ask for GPUs; these ask for none, so that many have room."""


def drawn(strategy: st.SearchStrategy[Manifest], number: int, spot_node: str) -> list[Manifest]:
    """So many cases of a strategy, fit for a cluster, with names of their own."""
    made: list[Manifest] = []

    @settings(max_examples=number, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def draw(case: Manifest) -> None:
        made.append(case)

    draw()
    # A strategy with few cases ends early.
    return [_fit(copy.deepcopy(made[index % len(made)]), spot_node) for index in range(number)]


@st.composite
def _honest_templates(draw: st.DrawFn, team: str) -> Manifest:
    template = honest_template(draw(st.sampled_from(SPOT_CLASSES)))
    save = draw(st.integers(1, _GRACE - _MARGIN))
    folder = draw(st.from_regex(r"[a-z][a-z0-9-]{0,8}(/[a-z0-9_]{1,6}){0,2}", fullmatch=True))
    template["metadata"]["annotations"] = {
        CHECKPOINT_URI_ANNOTATION: f"gs://acme-checkpoints/runs/{team}/{folder}",
        CHECKPOINT_SAVE_ANNOTATION: str(save),
    }
    template["spec"]["terminationGracePeriodSeconds"] = save + _MARGIN + draw(st.integers(0, 20))
    return placed(template) if draw(st.integers(0, 4)) == 4 else template


@st.composite
def honest(draw: st.DrawFn) -> Manifest:
    """Jobs and job sets of teams that follow the rules, through their queues."""
    team = draw(st.sampled_from(sorted(WEIGHTS)))
    template = draw(_honest_templates(team))
    workload_class = next(one for one in SPOT_CLASSES if one.value in template["spec"]["priorityClassName"])
    # Deferred work has no quota on stable nodes, where the coordinator of a job set stays.
    if workload_class is WorkloadClass.TRAINING and draw(st.integers(0, 3)) == 3:
        made = honest_job_set(template)
        made["spec"]["replicatedJobs"][1]["replicas"] = draw(st.integers(1, 2))
    else:
        parallel = draw(st.integers(1, 2))
        made = named("batch/v1", "Job", {**honest_job_spec(template), "parallelism": parallel, "completions": parallel})
    labels = {**queue_labels(workload_class), MAX_EXEC_LABEL: str(draw(st.integers(3600, 10**6)))}
    return {**made, "metadata": {"name": "run", "namespace": team_namespace(team), "labels": labels}}


@st.composite
def _services(draw: st.DrawFn) -> Manifest:
    kind = draw(st.sampled_from(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"]))
    template = draw(templates())
    template["metadata"]["labels"]["app"] = "web"
    template["spec"]["restartPolicy"] = "Always"
    spec: Manifest = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    return named("apps/v1", kind, spec, namespace=draw(namespaces))


@st.composite
def _forged(draw: st.DrawFn) -> Manifest:
    """Pods that claim a job as their owner."""
    pod = draw(pods())
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "run", "uid": "6c2a0d4e-0000-4000-8000-000000000000"}
    pod["metadata"]["ownerReferences"] = [{**owner, "controller": draw(st.booleans())}]
    return pod


@st.composite
def _nearly_honest(draw: st.DrawFn) -> Manifest:
    """Pods that are honest in everything but their maker."""
    return named("v1", "Pod", {}) | {"metadata": {"namespace": TEAM}} | _pod(placed(draw(_honest_templates("audio"))))


def _pod(template: Manifest) -> Manifest:
    return {"metadata": {**template["metadata"], "namespace": TEAM}, "spec": template["spec"]}


@st.composite
def _detoured(draw: st.DrawFn) -> Manifest:
    """Jobs through a queue that somebody has made before a team's cluster queue, and that the rules do not know."""
    job = draw(jobs())
    job["metadata"] = {**job["metadata"], "namespace": TEAM, "labels": {QUEUE_LABEL: DETOUR}}
    return job


def hostile(number: int, spot_node: str) -> list[Manifest]:
    """So many objects of every kind that a person tries; some happen to follow the rules."""
    shares: Sequence[tuple[st.SearchStrategy[Manifest], int]] = (
        (jobs(), 30), (_detoured(), 5), (job_sets(), 15), (pods(), 20), (_forged(), 5), (_nearly_honest(), 5), (_services(), 20),
    )  # fmt: skip
    return [one for strategy, share in shares for one in drawn(strategy, number * share // 100, spot_node)]


def pods_in(manifest: Manifest) -> list[Manifest]:
    """The pod of a pod, the templates of everything else."""
    if manifest["kind"] == "Pod":
        return [manifest]
    if manifest["kind"] == "JobSet":
        return [job["template"]["spec"]["template"] for job in manifest["spec"]["replicatedJobs"]]
    return [manifest["spec"]["template"]]


def _fit(manifest: Manifest, spot_node: str) -> Manifest:
    manifest["metadata"]["name"] = f"{manifest['kind'].lower()}-{next(_NUMBERS)}"
    for pod in pods_in(manifest):
        spec: Any = pod["spec"]
        for container in spec["containers"]:
            container["resources"] = {"requests": {"cpu": "20m", "memory": "16Mi"}}
        if spec.get("nodeName"):
            spec["nodeName"] = spot_node
        if spec.get("tolerations") and _ANY_GPU not in spec["tolerations"]:
            spec["tolerations"].append(_ANY_GPU)
    return manifest
