"""The jobs that a schedule becomes."""

import pytest
from hypothesis import given

from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.contract.schedule import schedule_contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.schedule import LONGEST_SWITCH_MINUTES, RETRIES, Method
from hybrid_pools.blueprint.vocabulary import Role
from tests.environments import ENVIRONMENTS, blueprint_of
from tests.strategies import blueprints


class TestEverySchedule:
    @given(blueprints())
    def test_has_every_buffer_pool_with_both_profiles_and_the_pools_own_limits_by_day(self, blueprint: Blueprint):
        if blueprint.schedule is None:
            return
        own = {pool.name: pool.limits for pool in blueprint.pools_of(Role.BUFFER)}
        assert {pool.name: pool.limits[Profile.SERVICES] for pool in blueprint.schedule.pools} == own
        assert all(set(pool.limits) == set(Profile) for pool in blueprint.schedule.pools)

    @given(blueprints())
    def test_sends_the_whole_autoscaling_object_of_the_profile(self, blueprint: Blueprint):
        if blueprint.schedule is None:
            return
        limits = {pool.name: pool.limits for pool in blueprint.schedule.pools}
        for job in blueprint.schedule.jobs:
            if job.method is Method.SET_AUTOSCALING:
                wanted = limits[job.pool][job.profile]
                assert job.body == {
                    "autoscaling": {
                        "enabled": True,
                        "totalMinNodeCount": wanted.minimum,
                        "totalMaxNodeCount": wanted.maximum,
                        "locationPolicy": "ANY",
                    }
                }

    @given(blueprints())
    def test_never_calls_twice_in_one_minute_and_names_each_job_once(self, blueprint: Blueprint):
        if blueprint.schedule is None:
            return
        jobs = blueprint.schedule.jobs
        assert len({job.name for job in jobs}) == len(jobs)
        times = [tuple(job.cron.split()[:2]) for job in jobs]
        assert len(set(times)) == len(times)

    @given(blueprints())
    def test_pauses_exactly_the_jobs_that_open_windows_when_it_is_frozen(self, blueprint: Blueprint):
        if blueprint.schedule is None:
            return
        for job in blueprint.schedule.jobs:
            assert job.paused == (blueprint.schedule.calendar.frozen and job.profile is Profile.TRAINING)

    @given(blueprints())
    def test_is_promised_as_it_is(self, blueprint: Blueprint):
        if blueprint.schedule is None:
            return
        promised = schedule_contract(blueprint.schedule)
        assert [pool.name for pool in promised.pools] == sorted(pool.name for pool in blueprint.pools_of(Role.BUFFER))
        assert promised.frozen == blueprint.schedule.calendar.frozen


def test_a_resize_comes_a_minute_after_the_limits_and_brings_the_maximum() -> None:
    schedule = blueprint_of("local").schedule
    assert schedule is not None
    found = {job.name: (job.cron, dict(job.body)) for job in schedule.jobs if job.profile is Profile.SERVICES}
    assert found["buffer-l4-services-0815"][0] == "15 8 * * *"
    assert found["buffer-l4-services-0816-size"] == ("16 8 * * *", {"nodeCount": 2}), "4 nodes over 2 zones"


def test_no_try_of_a_call_is_under_way_when_the_next_switch_may_come() -> None:
    assert RETRIES.longest == 30 + 60 + 120 + 240 + 240 + 6 * 60
    assert RETRIES.longest <= LONGEST_SWITCH_MINUTES * 60


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_scheduler_is_turned_on_exactly_where_there_is_a_schedule(environment: str) -> None:
    blueprint = blueprint_of(environment)
    assert ("cloudscheduler.googleapis.com" in blueprint.apis) == (blueprint.schedule is not None)
