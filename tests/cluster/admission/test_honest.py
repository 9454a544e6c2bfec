"""What follows the rules is admitted by the real API server, every kind of it, and what has nothing to do with spot too."""

import pytest

from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    JOB_CONTROLLER,
    SYSTEM_NAMESPACE,
    WorkloadClass,
)
from tests.cluster.admission.api import Api
from tests.cluster.admission.corpus import patched, read, shaped
from tests.workloads import (
    NO_TEAM,
    PERSON,
    Manifest,
    honest_cron_job,
    honest_deployment,
    honest_job,
    honest_job_set,
    honest_job_spec,
    honest_pod,
    honest_pytorch_job,
    honest_ray_job,
    honest_template,
    honest_workload,
    named,
    placed,
    pod_of,
    queue_labels,
    service_template,
)

pytestmark = pytest.mark.cluster

_EXITS = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
_FAILS = {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}}
_IGNORES = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
_LONG = {
    "metadata": {"annotations": {CHECKPOINT_SAVE_ANNOTATION: "100"}},
    "spec": {"nodeSelector": {ACCELERATOR_LABEL: "nvidia-l4"}, "terminationGracePeriodSeconds": 105},
}

HONEST: dict[str, Manifest] = {
    "job for a queue": honest_job(),
    "job that Kueue placed": honest_job(placed(honest_template())),
    "deferred job": named(
        "batch/v1", "Job", honest_job_spec(honest_template(WorkloadClass.DEFERRED)), labels=queue_labels(WorkloadClass.DEFERRED)
    ),
    "job with a deadline": named("batch/v1", "Job", {**honest_job_spec(placed(honest_template())), "activeDeadlineSeconds": 3600}),
    "job that fails on its own exit code first": patched(honest_job(), {"spec": {"podFailurePolicy": {"rules": [_EXITS, _IGNORES]}}}),
    "job that fails on all else after": patched(honest_job(), {"spec": {"podFailurePolicy": {"rules": [_IGNORES, _FAILS]}}}),
    "job that saves long where it may": honest_job(patched(honest_template(), _LONG)),
    "job set with a coordinator": honest_job_set(),
    "job set that Kueue placed": honest_job_set(placed(honest_template())),
    "cron job": honest_cron_job(),
    "PyTorch job": honest_pytorch_job(),
    "Ray job": honest_ray_job(),
    "workload of Kueue": honest_workload(),
    "service that may overflow to the buffer": honest_deployment(),
    "pod of a service": pod_of(service_template()),
}


class TestWhatFollowsTheRules:
    @pytest.mark.parametrize("name", HONEST)
    def test_is_admitted(self, api: Api, name: str):
        answer = api.create(HONEST[name], PERSON)
        assert answer.admitted, answer.body.get("message")

    def test_is_admitted_as_the_pod_of_a_job(self, api: Api):
        answer = api.create(honest_pod(), JOB_CONTROLLER)
        assert answer.admitted, answer.body.get("message")


class TestWhatHasNothingToDoWithSpot:
    @pytest.mark.parametrize("shape", read("kinds.yaml"), ids=lambda shape: f"{shape['kind']} of {shape['apiVersion']}")
    def test_is_admitted_whatever_its_kind(self, api: Api, shape: Manifest):
        template: Manifest = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "one", "image": "one"}]}}
        if shape["kind"] in ("Job", "CronJob"):
            template["spec"]["restartPolicy"] = "Never"
        answer = api.create(shaped(shape, template), PERSON)
        assert answer.admitted, answer.body.get("message")

    @pytest.mark.parametrize("namespace", [NO_TEAM, SYSTEM_NAMESPACE])
    def test_is_admitted_where_no_team_is(self, api: Api, namespace: str):
        pod = pod_of({"spec": {"priorityClassName": "mine", "containers": [{"name": "one", "image": "one"}]}}, namespace=namespace)
        answer = api.create(pod, PERSON)
        assert answer.admitted, answer.body.get("message")


class TestASystemNamespace:
    def test_is_exempt_by_its_name(self, api: Api):
        agent = {"metadata": {"labels": {"app": "agent"}}, "spec": {"tolerations": [{"operator": "Exists"}], **_CONTAINERS}}
        spec = {"selector": {"matchLabels": {"app": "agent"}}, "template": agent}
        answer = api.create(named("apps/v1", "DaemonSet", spec, namespace="kube-system"), PERSON)
        assert answer.admitted, answer.body.get("message")

    def test_has_pods_of_a_kubelets_files_on_its_node(self, api: Api):
        mirror = pod_of({"spec": {"nodeName": "one", "tolerations": [{"operator": "Exists", "effect": "NoExecute"}], **_CONTAINERS}})
        mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "1"}
        assert api.create(mirror, "system:node:one", "system:nodes").refusal == ""


_CONTAINERS = {"containers": [{"name": "one", "image": "one"}]}


class TestARequestAtTheLimit:
    def test_is_judged_within_the_budget(self, api: Api):
        """A pod with 500 tolerations and 64 containers, which is more than anybody writes: judged, not given up."""
        many = [{"key": f"example.com/{'k' * 40}-{index}", "operator": "Exists", "effect": "NoSchedule"} for index in range(500)]
        pod = honest_pod()
        pod["spec"]["tolerations"] += many
        pod["spec"]["containers"] = [{"name": f"c{index}", "image": "one"} for index in range(64)]
        answer = api.create(pod, JOB_CONTROLLER)
        assert answer.admitted, answer.body.get("message")
        pod["metadata"]["labels"] = {}
        refused = api.create(pod, JOB_CONTROLLER)
        assert "WORK-002" in refused.refusal, refused.body.get("message")
