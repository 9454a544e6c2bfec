"""The manifests of the pinned releases, as the lab puts them into its cluster."""

from pathlib import Path
from typing import Any

import pytest

from lab.cluster import jobset, kueue, kwok
from lab.cluster.certificates import Authority
from lab.cluster.programs import control_plane
from lab.cluster.upstream import module_directory
from lab.errors import LabError

PORT = 23456


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    made = Authority(tmp_path_factory.mktemp("authority"))
    made.prepare()
    return made


def source(name: str) -> Path:
    return module_directory(control_plane()[name], f"sigs.k8s.io/{name}")


@pytest.fixture(scope="module")
def of_kueue(authority: Authority) -> list[dict[str, Any]]:
    return kueue.manifests(source("kueue"), PORT, authority)


@pytest.fixture(scope="module")
def of_jobset(authority: Authority) -> list[dict[str, Any]]:
    return jobset.manifests(source("jobset"), PORT, authority.own.certificate)


def webhooks(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [webhook for manifest in manifests for webhook in manifest.get("webhooks", ())]


def subjects(manifests: list[dict[str, Any]]) -> set[str]:
    found = [subject for manifest in manifests for subject in manifest.get("subjects", ())]
    return {f"system:serviceaccount:{subject['namespace']}:{subject['name']}" for subject in found}


class TestManifests:
    def test_give_the_managers_their_rights_under_the_names_by_which_they_act(self, of_kueue, of_jobset):
        assert subjects(of_kueue) == {kueue.USER}
        assert jobset.USER in subjects(of_jobset)

    @pytest.mark.parametrize("given", ["of_kueue", "of_jobset"])
    def test_bind_only_roles_that_are_among_them(self, given, request):
        manifests = request.getfixturevalue(given)
        roles = {(one["kind"], one["metadata"]["name"]) for one in manifests}
        assert {(one["roleRef"]["kind"], one["roleRef"]["name"]) for one in manifests if "roleRef" in one} <= roles

    @pytest.mark.parametrize("given", ["of_kueue", "of_jobset"])
    def test_call_webhooks_on_this_machine_and_no_service(self, given, request):
        manifests = request.getfixturevalue(given)
        configs = [webhook["clientConfig"] for webhook in webhooks(manifests)]
        configs += [one["spec"]["conversion"]["webhook"]["clientConfig"] for one in manifests if "conversion" in one.get("spec", {})]
        assert configs
        assert all(config["url"].startswith(f"https://127.0.0.1:{PORT}/") and set(config) == {"url", "caBundle"} for config in configs)

    def test_of_kueue_convert_between_its_versions(self, of_kueue):
        converted = {one["spec"]["names"]["kind"] for one in of_kueue if "conversion" in one.get("spec", {})}
        assert {"ClusterQueue", "Cohort", "LocalQueue", "Workload"} <= converted

    def test_of_kueue_judge_jobs_and_no_pods(self, of_kueue):
        judged = {resource for webhook in webhooks(of_kueue) for rule in webhook["rules"] for resource in rule["resources"]}
        assert {"jobs", "jobsets", "workloads", "clusterqueues", "cohorts"} <= judged
        assert "pods" not in judged

    def test_of_jobset_judge_only_pods_of_job_sets(self, of_jobset):
        of_pods = [webhook for webhook in webhooks(of_jobset) if webhook["rules"][0]["resources"] == ["pods"]]
        assert of_pods
        assert all("jobset-name" in webhook["objectSelector"]["matchExpressions"][0]["key"] for webhook in of_pods)

    def test_are_no_services_or_deployments_that_nothing_would_run(self, of_kueue, of_jobset):
        assert not {one["kind"] for one in (*of_kueue, *of_jobset)} & {"Service", "Deployment"}


class TestStages:
    def test_end_a_pod_before_it_is_deleted(self):
        stages = {stage["metadata"]["name"]: stage for stage in kwok.stages(source("kwok"))}
        ends = {"key": ".status.phase", "operator": "In", "values": ["Succeeded", "Failed"]}
        assert ends in stages["pod-delete"]["spec"]["selector"]["matchExpressions"]
        assert "phase: Failed" in stages["pod-terminate"]["spec"]["next"]["statusTemplate"]

    def test_let_pods_of_jobs_run_until_they_are_told_how_long(self):
        stages = {stage["metadata"]["name"]: stage for stage in kwok.stages(source("kwok"))}
        conditions = stages["pod-complete"]["spec"]["selector"]["matchExpressions"]
        assert {"key": f'.metadata.annotations["{kwok.DURATION_ANNOTATION}"]', "operator": "Exists"} in conditions


class TestASourceThatCannotBeRead:
    def test_for_want_of_go_is_told(self, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(LabError, match="Go is not on PATH"):
            source("kwok")

    def test_because_nothing_requires_it_is_told(self):
        with pytest.raises(LabError, match="The source of kwok cannot be fetched"):
            module_directory(control_plane()["kwok"], "example.org/none")
