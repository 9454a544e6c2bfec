"""The scheduled calls as the engine receives them."""

import base64
import json
from dataclasses import replace

import pytest

from hybrid_pools.blueprint.model.schedule import SWITCHING_PERMISSIONS
from tests.components.recording import Registration, record
from tests.environments import blueprint_of

JOB = "gcp:cloudscheduler/job:Job"
BLUEPRINT = blueprint_of("local")


@pytest.fixture(scope="module")
def registrations() -> list[Registration]:
    return record(BLUEPRINT)


def jobs(registrations: list[Registration]) -> dict[str, Registration]:
    return {r.name.removeprefix("local-"): r for r in registrations if r.type == JOB}


def test_every_job_of_the_blueprint_is_declared_with_its_time_and_body(registrations: list[Registration]) -> None:
    assert BLUEPRINT.schedule is not None
    declared = jobs(registrations)
    assert set(declared) == {job.name for job in BLUEPRINT.schedule.jobs}
    for job in BLUEPRINT.schedule.jobs:
        inputs = declared[job.name].inputs
        assert (inputs["schedule"], inputs["timeZone"], inputs["paused"]) == (job.cron, "Europe/Berlin", job.paused)
        assert json.loads(base64.b64decode(inputs["httpTarget"]["body"])) == job.body


def test_a_job_calls_its_own_pool_on_the_cluster_of_the_stack(registrations: list[Registration]) -> None:
    [pool] = [r for r in registrations if r.name == "buffer-l4-pool"]
    [cluster] = [r for r in registrations if r.type == "gcp:container/cluster:Cluster"]
    uri = jobs(registrations)["buffer-l4-training-2000"].inputs["httpTarget"]["uri"]
    place = f"projects/hybrid-pools-local/locations/us-central1/clusters/{cluster.inputs['name']}/nodePools/{pool.inputs['name']}"
    assert uri == f"https://container.googleapis.com/v1/{place}:setAutoscaling"


def test_no_job_is_made_before_its_account_may_call(registrations: list[Registration]) -> None:
    for job in jobs(registrations).values():
        assert "local-schedule-grant" in {urn.rpartition("::")[2] for urn in job.dependencies}


def test_the_role_has_the_fewest_permissions_and_an_id_that_no_earlier_stack_has_used(registrations: list[Registration]) -> None:
    [role] = [r for r in registrations if r.name == "local-schedule-role"]
    assert tuple(role.inputs["permissions"]) == SWITCHING_PERMISSIONS
    assert role.inputs["roleId"] == "bufferSchedule000000000001", "made from the number that Google gives every account anew"
    [grant] = [r for r in registrations if r.name == "local-schedule-grant"]
    assert grant.inputs["member"] == "serviceAccount:local-schedule@example.iam.gserviceaccount.com"


def test_without_a_schedule_nothing_of_it_is_declared() -> None:
    assert jobs(record(replace(blueprint_of("dev"), schedule=None))) == {}
