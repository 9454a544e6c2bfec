"""Judging before the cluster: the honest pass, the hostile do not, and what cannot be judged is never passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.vocabulary import JOB_CONTROLLER, JOBSET_CONTROLLERS
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.reading import UNKNOWN
from hybrid_pools.workload.rule import Finding, Verdict
from tests.cluster.admission.corpus import Case, cases, patched
from tests.workload_strategies import jobs, pods
from tests.workloads import (
    PERSON,
    TEAM,
    Manifest,
    admission,
    honest_cron_job,
    honest_deployment,
    honest_job,
    honest_job_set,
    honest_pod,
    honest_pytorch_job,
    honest_ray_job,
    honest_template,
    honest_workload,
    named,
    placed,
    pod_of,
    service_template,
)

ADMISSION = admission()


def bad(manifest: Manifest, **context: str) -> list[Finding]:
    return [finding for finding in judge(manifest, ADMISSION, **context) if finding.verdict is not Verdict.PASSED]


def broken(manifest: Manifest, **context: str) -> set[str]:
    return {finding.rule.id for finding in bad(manifest, **context) if finding.rule is not None and finding.verdict is Verdict.VIOLATED}


HONEST = {
    "cron job": honest_cron_job(),
    "deployment": honest_deployment(),
    "job": honest_job(),
    "job set": honest_job_set(),
    "job that Kueue placed": honest_job(placed(honest_template())),
    "PyTorch job": honest_pytorch_job(),
    "Ray job": honest_ray_job(),
    "service": pod_of(service_template()),
    "workload": honest_workload(),
}


class TestTheHonest:
    @pytest.mark.parametrize("name", HONEST)
    def test_pass_every_rule_they_are_asked(self, name: str):
        findings = judge(HONEST[name], ADMISSION)
        assert findings
        assert [finding.message for finding in findings if finding.verdict is not Verdict.PASSED] == []

    def test_pods_pass_when_the_controller_of_jobs_makes_them(self):
        assert bad(honest_pod(), creator=JOB_CONTROLLER) == []

    def test_are_judged_in_lists_one_by_one(self):
        several = {"apiVersion": "v1", "kind": "List", "items": [honest_job(), patched(honest_job(), {"spec": {"podFailurePolicy": None}})]}
        assert broken(several) == {"WORK-009"}


class TestTheHostile:
    @pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
    def test_break_the_rule_that_refuses_them_in_the_cluster(self, case: Case):
        assert case.rule in broken(case.manifest, creator=case.user)

    def test_are_told_where_what_why_and_how_to_mend_it(self):
        [finding] = bad(patched(honest_job(), {"spec": {"template": {"spec": {"serviceAccountName": "builder"}}}}))
        assert finding.message == (
            "WORK-005: spec.template has serviceAccountName builder. A pod on spot runs as the training account of its team. "
            "No other account may write the team's checkpoints. "
            "Fix: Set serviceAccountName of the pod template to the team's training account, which the contract names."
        )


class TestWhoMakesIt:
    def test_decides_for_pods_and_no_owner_reference_does(self):
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "run", "uid": "1", "controller": True}
        pod = patched(honest_pod(), {"metadata": {"ownerReferences": [owner]}})
        assert broken(pod) == broken(pod, creator=PERSON) == {"WORK-001"}
        assert broken(pod, creator=JOB_CONTROLLER) == set()

    def test_spares_the_parts_of_a_job_set_what_the_whole_has_answered(self):
        part = patched(honest_job(placed(honest_template())), {"metadata": {"labels": None}, "spec": {"podFailurePolicy": None}})
        assert broken(part) == {"WORK-009", "WORK-010"}
        assert broken(part, creator=JOBSET_CONTROLLERS[0]) == set()


class TestTheNamespace:
    def test_is_the_objects_own_before_the_one_it_goes_to(self):
        assert broken(honest_job(), namespace="team-web") == set()
        somewhere = patched(honest_job(), {"metadata": {"namespace": None}})
        assert broken(somewhere, namespace=TEAM) == set()
        assert "WORK-014" in broken(somewhere)

    def test_exempts_by_its_name(self):
        assert judge(patched(honest_pod(), {"metadata": {"namespace": "kube-system"}}), ADMISSION) == ()


class TestWhatIsNotKnownYet:
    @pytest.mark.parametrize(
        "patch",
        [
            {"spec": {"template": UNKNOWN}},
            {"spec": {"template": {"spec": {"serviceAccountName": UNKNOWN}}}},
            {"spec": {"template": {"metadata": {"annotations": UNKNOWN}}}},
            {"spec": {"podFailurePolicy": UNKNOWN}},
            {"metadata": {"labels": UNKNOWN}},
            {"metadata": {"namespace": UNKNOWN}},
            {"kind": UNKNOWN},
        ],
        ids=str,
    )
    def test_is_neither_passed_nor_a_violation(self, patch: Manifest):
        verdicts = {finding.verdict for finding in bad(patched(honest_job(placed(honest_template())), patch))}
        assert verdicts == {Verdict.UNKNOWN}

    def test_leaves_open_whether_a_service_asks_for_spot(self):
        service = patched(honest_deployment(), {"spec": {"template": {"spec": {"tolerations": UNKNOWN}}}})
        assert {finding.verdict for finding in bad(service)} == {Verdict.UNKNOWN}

    def test_may_be_a_text_that_changes_pods(self):
        workflow = named("argoproj.io/v1alpha1", "Workflow", {"podSpecPatch": UNKNOWN, "templates": [{"podSpecPatch": "nodeName: a"}]})
        assert {finding.verdict for finding in bad(workflow)} == {Verdict.UNKNOWN}

    def test_does_not_matter_where_it_changes_nothing(self):
        """A job for a spot queue asks for spot, whatever it tolerates."""
        assert bad(patched(honest_job(), {"spec": {"template": {"spec": {"tolerations": UNKNOWN}}}})) == []

    def test_does_not_hide_a_violation(self):
        template = patched(placed(honest_template()), {"spec": {"serviceAccountName": UNKNOWN, "restartPolicy": "OnFailure"}})
        assert broken(honest_job(template)) == {"WORK-008"}

    def test_does_not_hide_a_toleration_beside_it(self):
        template = patched(
            honest_template(), {"spec": {"tolerations": [{"key": UNKNOWN}, {"operator": "Exists"}]}, "metadata": {"labels": None}}
        )
        assert "WORK-001" in broken(patched(honest_deployment(), {"spec": {"template": template}}))


class TestWhatIsNotUnderstood:
    @pytest.mark.parametrize(
        "patch",
        [
            {"spec": "a job"},
            {"spec": {"template": {"spec": {"tolerations": "all"}}}},
            {"spec": {"template": {"spec": {"nodeName": 7}}}},
            {"spec": {"template": {"metadata": {"labels": ["training"]}}}},
            {"metadata": {"labels": "training"}},
            {"kind": 7},
        ],
        ids=str,
    )
    def test_is_said_and_never_passed(self, patch: Manifest):
        without_queue = patched(honest_job(), {"metadata": {"labels": None}})
        assert Verdict.NOT_UNDERSTOOD in {finding.verdict for finding in bad(patched(without_queue, patch))}

    def test_is_what_another_object_completes(self):
        job = named("trainer.kubeflow.org/v1alpha1", "TrainJob", {"podTemplateOverrides": [{"spec": placed(honest_template())["spec"]}]})
        assert {finding.verdict for finding in bad(job)} == {Verdict.NOT_UNDERSTOOD}


_PLAIN_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.just(UNKNOWN)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)


class TestEveryObject:
    @given(st.one_of(pods(), jobs()), st.data())
    def test_is_judged_without_failing_whatever_stands_in_it(self, manifest: Manifest, data: st.DataObject):
        place = manifest
        for _ in range(data.draw(st.integers(0, 4))):
            inner = [key for key, value in place.items() if isinstance(value, dict)]
            if not inner:
                break
            place = place[data.draw(st.sampled_from(inner))]
        if place:
            place[data.draw(st.sampled_from(sorted(place)))] = data.draw(_PLAIN_VALUES)
        judge(manifest, ADMISSION, creator=JOB_CONTROLLER)
