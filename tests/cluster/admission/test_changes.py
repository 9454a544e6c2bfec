"""What is there already: hostile changes are refused, and whatever goes on by itself is not."""

import copy
import uuid

import pytest

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_LABEL,
    FLAVOR_LABEL,
    HOSTNAME_LABEL,
    JOB_CONTROLLER,
    JOBSET_CONTROLLERS,
    KUEUE_CONTROLLER,
    ROLE_LABEL,
)
from tests.cluster.admission.api import Api
from tests.cluster.admission.corpus import USERS, patched, read
from tests.workloads import (
    PERSON,
    Manifest,
    honest_cron_job,
    honest_job,
    honest_job_set,
    honest_pod,
    named,
    placed,
    pod_of,
    service_template,
    spot_tolerations,
)

pytestmark = pytest.mark.cluster

_COLLECTOR = "system:serviceaccount:kube-system:pod-garbage-collector"
_CONTAINERS = [{"name": "one", "image": "example.com/one"}]
_PLAIN = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": _CONTAINERS, "restartPolicy": "Never"}}
_SERVED = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": _CONTAINERS}}

_THERE: dict[str, tuple[str, Manifest]] = {
    "plainPod": ("person", pod_of(_PLAIN)),
    "pendingPod": ("jobs", pod_of(_PLAIN)),
    "gatedPod": ("person", patched(pod_of(_PLAIN), {"spec": {"schedulingGates": [{"name": "example.com/wait"}]}})),
    "servicePod": ("person", pod_of(service_template())),
    "honestPod": ("jobs", honest_pod()),
    "deployment": ("person", named("apps/v1", "Deployment", {"selector": {"matchLabels": {"app": "web"}}, "template": _SERVED})),
    "suspendedJob": ("person", named("batch/v1", "Job", {"suspend": True, "template": _PLAIN})),
    "honestJob": ("person", patched(honest_job(), {"spec": {"suspend": True}})),
    "cronJob": ("person", named("batch/v1", "CronJob", {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": _PLAIN}}})),
    "podTemplate": ("person", {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"namespace": "team-audio"}, "template": _PLAIN}),
}
"""What a change starts from, with who made it."""


def there(api: Api, name: str) -> Manifest:
    """Such an object, made for good under a name of its own."""
    maker, manifest = _THERE[name]
    return kept(api, manifest, USERS[maker])


def kept(api: Api, manifest: Manifest, user: str) -> Manifest:
    made = copy.deepcopy(manifest)
    made["metadata"]["name"] = f"{manifest['kind'].lower()}-{uuid.uuid4().hex[:8]}"
    answer = api.create(made, user, keep=True)
    assert answer.admitted, answer.body.get("message")
    return dict(answer.body)


def added(manifest: Manifest, patch: Manifest) -> Manifest:
    """The patch for a pod with the tolerations that it has already: those cannot be taken away."""
    tolerations = patch.get("spec", {}).get("tolerations")
    if manifest["kind"] != "Pod" or tolerations is None:
        return patch
    return patched(patch, {"spec": {"tolerations": [*manifest["spec"]["tolerations"], *tolerations]}})


class TestAHostileChange:
    @pytest.mark.parametrize("entry", read("updates.yaml"), ids=lambda entry: entry["name"])
    def test_is_refused_by_the_expected_rule(self, api: Api, entry: Manifest):
        before = there(api, entry["of"])
        answer = api.change(before, added(before, entry["patch"]), USERS[entry.get("by", "person")])
        assert entry["rule"] in answer.refusal, answer.body.get("message", "admitted")


class TestWhatGoesOnByItself:
    def test_controllers_write_status_and_take_finalizers_away(self, api: Api):
        pod = kept(api, patched(honest_pod(), {"metadata": {"finalizers": ["batch.kubernetes.io/job-tracking"]}}), JOB_CONTROLLER)
        assert api.change(pod, {"status": {"phase": "Running"}}, _COLLECTOR, sub="status").admitted
        assert api.change(pod, {"metadata": {"finalizers": None}}, JOB_CONTROLLER).admitted
        assert api.delete(pod, PERSON).admitted

    def test_other_labels_and_annotations_of_a_pod_on_spot_may_change(self, api: Api):
        pod = kept(api, honest_pod(), JOB_CONTROLLER)
        assert api.change(pod, {"metadata": {"labels": {"step": "4"}, "annotations": {"seen": "yes"}}}, PERSON).admitted

    def test_a_controller_may_narrow_where_a_pod_that_waits_at_a_gate_goes(self, api: Api):
        gated = patched(honest_pod(), {"spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/topology"}]}})
        pod = kept(api, gated, JOB_CONTROLLER)
        assert api.change(pod, {"spec": {"schedulingGates": [], "nodeSelector": {HOSTNAME_LABEL: "one"}}}, KUEUE_CONTROLLER).admitted

    def test_a_harmless_toleration_may_be_added_to_a_pod(self, api: Api):
        toleration = {"key": "example.com/slow", "operator": "Exists", "effect": "NoSchedule"}
        pod = there(api, "plainPod")
        assert api.change(pod, added(pod, {"spec": {"tolerations": [toleration]}}), PERSON).admitted

    def test_a_job_that_is_not_for_spot_starts_stops_and_ends(self, api: Api):
        job = there(api, "suspendedJob")
        assert api.change(job, {"spec": {"suspend": False}}, KUEUE_CONTROLLER, keep=True).admitted
        assert api.change(job, {"metadata": {"labels": {"step": "4"}}}, PERSON).admitted
        assert api.delete(job, PERSON).admitted


class TestKueueWithAnHonestJob:
    """Kueue gives the flavor's labels and tolerations when it admits a job, and takes them back when it evicts it."""

    def test_admits_and_evicts_a_job(self, api: Api):
        job = there(api, "honestJob")
        spec = {"nodeSelector": {FLAVOR_LABEL: "spot-l4", ROLE_LABEL: "spot"}, "tolerations": spot_tolerations()}
        assert api.change(job, {"spec": {"suspend": False, "template": {"spec": spec}}}, KUEUE_CONTROLLER, keep=True).admitted
        assert api.change(job, {"spec": {"suspend": True}}, KUEUE_CONTROLLER, keep=True).admitted
        assert api.change(job, {"status": {"startTime": None}}, JOB_CONTROLLER, sub="status", keep=True).admitted
        taken = {"nodeSelector": None, "tolerations": None}
        answer = api.change(job, {"spec": {"template": {"spec": taken}}}, KUEUE_CONTROLLER)
        assert answer.admitted, answer.body

    def test_takes_a_toleration_back_from_a_job_that_would_not_be_taken_today(self, api: Api):
        job = there(api, "honestJob")
        given = {"spec": {"template": {"spec": {"tolerations": spot_tolerations()}}}}
        assert api.change(job, given, KUEUE_CONTROLLER, keep=True).admitted
        taken = {"spec": {"template": {"metadata": {"labels": {CHECKPOINT_LABEL: None}}, "spec": {"tolerations": None}}}}
        assert api.change(job, taken, KUEUE_CONTROLLER).admitted

    def test_admits_the_workers_of_a_job_set(self, api: Api):
        job_set = kept(api, patched(honest_job_set(), {"spec": {"suspend": True}}), PERSON)
        jobs = copy.deepcopy(job_set["spec"]["replicatedJobs"])
        jobs[1]["template"]["spec"]["template"] = placed(jobs[1]["template"]["spec"]["template"])
        answer = api.change(job_set, {"spec": {"suspend": False, "replicatedJobs": jobs}}, KUEUE_CONTROLLER)
        assert answer.admitted, answer.body


class TestAPartOfAJobSet:
    def _part(self) -> Manifest:
        """A Job as the JobSet controller makes it: what holds for the whole stands in the JobSet alone."""
        template = honest_job_set()["spec"]["replicatedJobs"][1]["template"]["spec"]
        return named("batch/v1", "Job", {**template, "template": placed(template["template"])}, name="run-workers-0")

    @pytest.mark.parametrize("controller", JOBSET_CONTROLLERS)
    def test_is_made_by_its_controller(self, api: Api, controller: str):
        answer = api.create(self._part(), controller)
        assert answer.admitted, answer.body

    def test_is_a_job_like_any_other_when_a_person_makes_it(self, api: Api):
        assert "WORK-009" in api.create(self._part(), PERSON).refusal

    def test_must_have_pods_that_may_run_on_spot_whoever_makes_it(self, api: Api):
        part = patched(self._part(), {"spec": {"template": {"spec": {"serviceAccountName": "builder"}}}})
        assert "WORK-005" in api.create(part, JOBSET_CONTROLLERS[0]).refusal


def test_a_cron_job_makes_its_jobs(api: Api) -> None:
    job_template = honest_cron_job()["spec"]["jobTemplate"]
    job = named("batch/v1", "Job", job_template["spec"], labels=job_template["metadata"]["labels"])
    assert api.create(job, "system:serviceaccount:kube-system:cronjob-controller").admitted
