"""The jobs that open and close the buffer. What the script does is tested on the real Kueue in `tests/cluster/test_buffer_switch.py`."""

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.blueprint.vocabulary import ROLE_LABEL, SYSTEM_NAMESPACE, Role
from hybrid_pools.manifests.buffer import buffer, switch_script, switch_variables
from hybrid_pools.manifests.queues import buffer_groups
from tests.environments import blueprint_of
from tests.hybrid_pools.manifests.test_queues import inside


@pytest.fixture
def kubernetes() -> Kubernetes:
    return inside(blueprint_of("local"))


def jobs(kubernetes: Kubernetes) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one["spec"] for one in buffer(kubernetes) if one["kind"] == "CronJob"}


def pod(job: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = job["jobTemplate"]["spec"]["template"]["spec"]
    return spec


class TestEveryJob:
    def test_runs_at_the_time_of_its_switch_in_the_calendar_s_zone(self, kubernetes: Kubernetes) -> None:
        assert kubernetes.queues.buffer is not None
        made = jobs(kubernetes)
        assert made.keys() == {switch.name for switch in kubernetes.queues.buffer.switches}
        for switch in kubernetes.queues.buffer.switches:
            job = made[switch.name]
            assert (job["schedule"], job["timeZone"], job["suspend"]) == (switch.cron, switch.time_zone, switch.suspended)

    def test_neither_overlaps_with_itself_nor_comes_after_the_next_switch(self, kubernetes: Kubernetes) -> None:
        for job in jobs(kubernetes).values():
            assert job["concurrencyPolicy"] == "Forbid"
            assert job["startingDeadlineSeconds"] <= 3600

    def test_is_given_longer_than_pods_may_take_to_end(self, kubernetes: Kubernetes) -> None:
        assert kubernetes.queues.buffer is not None
        for job in jobs(kubernetes).values():
            assert job["jobTemplate"]["spec"]["activeDeadlineSeconds"] > 2 * kubernetes.queues.buffer.drain_seconds

    def test_meets_the_restricted_standard_of_its_namespace_and_runs_where_nothing_is_taken_back(self, kubernetes: Kubernetes) -> None:
        for job in jobs(kubernetes).values():
            spec = pod(job)
            (container,) = spec["containers"]
            assert spec["securityContext"]["runAsNonRoot"] is True
            assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert spec["nodeSelector"] == {ROLE_LABEL: Role.STABLE}
            assert "tolerations" not in spec
            assert "@sha256:" in container["image"]

    def test_sets_exactly_the_quota_of_its_side(self, kubernetes: Kubernetes) -> None:
        quota = kubernetes.queues.buffer
        assert quota is not None
        for switch in quota.switches:
            variables = {one["name"]: one["value"] for one in pod(jobs(kubernetes)[switch.name])["containers"][0]["env"]}
            assert variables == switch_variables(kubernetes, quota, opens=switch.opens)
            assert json.loads(variables["QUOTA"]) == buffer_groups(quota, opened=switch.opens)


def test_the_account_may_change_one_cohort_and_workloads_of_teams_and_nothing_else(kubernetes: Kubernetes) -> None:
    quota = kubernetes.queues.buffer
    assert quota is not None
    roles = {one["metadata"]["name"]: one["rules"] for one in buffer(kubernetes) if one["kind"] == "ClusterRole"}
    everywhere: set[tuple[str, str, str]] = set()
    in_teams: set[tuple[str, str, str]] = set()
    for one in buffer(kubernetes):
        if one["kind"] in ("ClusterRoleBinding", "RoleBinding"):
            assert one["subjects"] == [{"kind": "ServiceAccount", "name": "buffer-switch", "namespace": SYSTEM_NAMESPACE}]
            held = everywhere if one["kind"] == "ClusterRoleBinding" else in_teams
            for rule in roles[one["roleRef"]["name"]]:
                names = rule.get("resourceNames", ["*"])
                held |= {(verb, resource, name) for verb in rule["verbs"] for resource in rule["resources"] for name in names}
    assert everywhere == {("get", "cohorts", quota.cohort), ("patch", "cohorts", quota.cohort)}
    assert in_teams == {(verb, "workloads", "*") for verb in ("get", "list", "patch", "watch")}


def test_the_script_is_one_for_any_posix_shell() -> None:
    checked = subprocess.run(["/bin/sh", "-n"], input=switch_script(), text=True, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_there_are_no_jobs_where_services_keep_the_buffer(kubernetes: Kubernetes) -> None:
    assert buffer(replace(kubernetes, queues=replace(kubernetes.queues, buffer=None))) == ()
