"""When a run may hope for the buffer: as the jobs in the cluster open and close its quota."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.training.launch.buffer import next_training
from tests.environments import ENVIRONMENTS, blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.hybrid_pools.training.launch.test_refusals import changed

START = datetime(2026, 6, 1, tzinfo=UTC)


def fires_next(blueprint: Blueprint, at: datetime, *, opens: bool) -> datetime:
    """When the next job of the cluster opens or closes the buffer's quota."""
    assert blueprint.kubernetes is not None
    buffer = blueprint.kubernetes.queues.buffer
    assert buffer is not None
    return min(next(CronSim(one.cron, at.astimezone(ZoneInfo(one.time_zone)))) for one in buffer.switches if one.opens is opens)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_buffer_is_told_as_its_quota_opens_and_closes(environment: str):
    blueprint = blueprint_of(environment)
    schedule = contract_of(blueprint).schedule
    assert schedule is not None
    for hours in range(0, 7 * 24, 5):
        now = START + timedelta(hours=hours)
        found = next_training(schedule, now)
        assert found is not None
        opens, leaves = found
        assert leaves == fires_next(blueprint, max(now, opens), opens=False)
        assert opens <= now or opens == fires_next(blueprint, now, opens=True)


def test_a_frozen_schedule_opens_nothing():
    contract = contract_of(blueprint_of("prod"))
    assert contract.schedule is not None
    frozen = changed(contract, schedule=contract.schedule.model_dump() | {"frozen": True}).schedule
    assert frozen is not None
    assert next_training(frozen, START) is None
