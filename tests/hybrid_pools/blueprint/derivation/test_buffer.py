"""The buffer's quota is open only while every buffer pool is training's, and long enough before that ends it is closed."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import assume, given

from hybrid_pools.blueprint.calendar import calendar_of, profile_at, switches
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.derivation.buffer import buffer_switches
from hybrid_pools.blueprint.model.queues import BufferQuota, BufferSwitch
from hybrid_pools.blueprint.model.schedule import MINUTES_A_POOL
from hybrid_pools.blueprint.rules import SECTION_RULES
from tests.environments import ENVIRONMENTS, sections_of
from tests.schedules import NOW, schedules

END = NOW + timedelta(days=200)


def fired(switch: BufferSwitch) -> Iterator[datetime]:
    for wall in CronSim(switch.cron, NOW.astimezone(ZoneInfo(switch.time_zone))):
        instant = wall.astimezone(UTC)
        if instant >= END:
            return
        yield instant


def buffer_of(environment: str, schedule: Mapping[str, Any] | None = None) -> BufferQuota:
    sections = sections_of(environment)
    sections["schedule"] |= schedule or {}
    kubernetes = derive(check("a file", sections, now=NOW)).kubernetes
    assert kubernetes is not None
    assert kubernetes.queues.buffer is not None
    return kubernetes.queues.buffer


class TestTheQuotaOfTheBuffer:
    @given(schedules())
    def test_is_open_only_while_all_its_nodes_are_trainings_and_closed_in_time_to_drain(self, schedule: ScheduleConfiguration):
        reading = Reading(now=NOW, schedule=schedule, kubernetes=KubernetesConfiguration())
        assume(not [*SECTION_RULES["CFG-914"][1](reading, catalogue())])
        calendar, pools = calendar_of(schedule), len(schedule.pools)
        jobs = buffer_switches(calendar, schedule.drain_minutes, pools)
        events = sorted((instant, job.opens) for job in jobs for instant in fired(job))
        assert events
        drain, minute = timedelta(minutes=schedule.drain_minutes), timedelta(minutes=1)
        for (opened, opens), (closed, _) in pairwise(events):
            if opens:
                # The first and the last pool to switch are training's, and still are while training goes.
                for delay in (0, (pools - 1) * MINUTES_A_POOL):
                    assert profile_at(calendar, opened, delay) is Profile.TRAINING
                    assert profile_at(calendar, closed - minute, delay) is Profile.TRAINING
                assert profile_at(calendar, closed + drain - minute) is Profile.TRAINING

    @given(schedules())
    def test_is_open_in_every_time_of_training(self, schedule: ScheduleConfiguration):
        reading = Reading(now=NOW, schedule=schedule, kubernetes=KubernetesConfiguration())
        assume(not [*SECTION_RULES["CFG-914"][1](reading, catalogue())])
        calendar, pools = calendar_of(schedule), len(schedule.pools)
        jobs = [*buffer_switches(calendar, schedule.drain_minutes, pools)]
        opened = {instant for job in jobs if job.opens for instant in fired(job)}
        late = timedelta(minutes=pools * MINUTES_A_POOL - 1)
        for switch in switches(calendar, NOW + timedelta(days=1), END - timedelta(days=1)):
            if switch.profile is Profile.TRAINING:
                assert switch.at + late in opened

    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_is_switched_by_jobs_with_names_of_their_own_that_a_cron_job_takes(self, environment: str):
        names = [switch.name for switch in buffer_of(environment, {"datesOff": ["2026-12-24"]}).switches]
        assert len(names) == len(set(names)) > 2
        assert all(len(name) <= 52 and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name) for name in names)

    def test_opens_no_more_where_the_schedule_is_frozen_and_closes_all_the_same(self):
        assert {switch.opens: switch.suspended for switch in buffer_of("local", {"frozen": True}).switches} == {True: True, False: False}

    def test_closes_as_long_before_the_limits_come_back_as_training_takes_to_go(self):
        buffer = buffer_of("local")
        assert {(switch.opens, switch.cron, switch.time_zone) for switch in buffer.switches} == {
            (True, "1 20 * * *", "Europe/Berlin"),
            (False, "0 8 * * *", "Europe/Berlin"),
        }
        assert buffer.drain_seconds == 15 * 60

    def test_is_what_the_pools_hold_by_night(self):
        (quota,) = buffer_of("local").quotas
        assert quota.nominal.gpus == 2
