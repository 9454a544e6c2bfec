"""Days of switching, run for real: the engine's own jobs, fired by a clock as HTTP calls."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hybrid_pools.blueprint.calendar import profile_at
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Schedule
from lab.google import faults, functions
from lab.google.catalogue import load_catalogue
from lab.google.computed import NODE_POOL, SCHEDULER_JOB
from lab.google.http import Clock, ContainerApi, serving
from lab.google.scheduler import Attempt, jobs_of, run
from tests.engine.conftest import World
from tests.engine.project import changed

pytestmark = pytest.mark.engine

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")
POOL = "buffer-l4"

Change = Callable[[dict[str, Any]], None]


def nothing(_: dict[str, Any]) -> None:
    """The stack file as it is."""


@dataclass(frozen=True)
class Played:
    """What the jobs of the stack `local` did in a while.

    Attributes:
        limits: Minimum and maximum of the buffer pool after each attempt.
        sizes: Its nodes in each zone after each attempt.
    """

    schedule: Schedule
    attempts: list[Attempt]
    limits: list[tuple[int, int]]
    sizes: list[int]

    def limits_at(self, instant: datetime) -> tuple[int, int]:
        at = [attempt.at for attempt in self.attempts]
        return self.limits[bisect_right(at, instant) - 1]

    def wanted_at(self, instant: datetime) -> tuple[int, int]:
        (pool,) = self.schedule.pools
        limits = pool.limits[profile_at(self.schedule.calendar, instant, pool.delay)]
        return limits.minimum, limits.maximum

    def calls(self) -> list[tuple[str, str, bool]]:
        """Wall time, method and success of each attempt."""
        return [(f"{a.at.astimezone(BERLIN):%H:%M:%S}", a.url.rpartition(":")[2], a.ok) for a in self.attempts]


def declare(world: World, change: Change = nothing) -> None:
    world.declare("local", change)
    done = world.up("local")
    assert done.ok, done.output


def play(world: World, start: datetime, end: datetime, change: Change = nothing) -> Played:
    schedule = derive(check("Pulumi.local.yaml", changed("local", change))).schedule
    assert schedule is not None
    played = Played(schedule, [], [], [])
    clock = Clock(start)
    api = ContainerApi(load_catalogue(world.engine.lab.directory, functions.TOKENS), world.store, clock)
    with serving(api) as address:
        for attempt in run(world.store, jobs_of(world.store), address, clock, start.astimezone(UTC), end.astimezone(UTC)):
            pool = world.pools()[POOL]
            played.attempts.append(attempt)
            played.limits.append((pool["autoscaling"]["totalMinNodeCount"], pool["autoscaling"]["totalMaxNodeCount"]))
            played.sizes.append(pool["nodeCount"])
    return played


def assert_every_minute_is_right(played: Played, end: datetime, late: timedelta = timedelta(0)) -> None:
    """From the first call on; `late` is for how long a call may be on its way."""
    instant = played.attempts[0].at + late
    while instant < end.astimezone(UTC):
        assert played.limits_at(instant) == played.wanted_at(instant - late) or played.limits_at(instant) == played.wanted_at(instant), (
            instant
        )
        instant += MINUTE


NOON = datetime(2026, 12, 1, 12, tzinfo=BERLIN)


def test_a_day_of_switching_gives_the_pool_the_limits_of_its_calendar_at_every_minute(world: World) -> None:
    declare(world)
    played = play(world, NOON, NOON + DAY)
    assert played.calls() == [("20:00:00", "setAutoscaling", True), ("08:15:00", "setAutoscaling", True), ("08:16:00", "setSize", True)]
    assert_every_minute_is_right(played, NOON + DAY)
    assert played.limits == [(0, 2), (1, 4), (1, 4)]
    assert played.sizes[-1] * 2 == 4, "the services' nodes come at once, as many in each of two zones"
    assert world.pools()[POOL]["autoscaling"]["locationPolicy"] == "ANY", "the whole object was sent"
    # The program leaves alone what the schedule owns, at whatever hour it runs.
    assert world.engine.preview("local", "--expect-no-changes").ok
    assert world.engine.refresh("local").ok
    assert world.engine.preview("local", "--expect-no-changes").ok


def test_the_calendar_is_kept_over_both_changes_of_the_clock(world: World) -> None:
    declare(world)
    for change in (date(2026, 10, 25), date(2027, 3, 28)):
        start = datetime.combine(change, datetime.min.time(), BERLIN) - DAY
        played = play(world, start, start + 3 * DAY)
        assert [ok for _, _, ok in played.calls()] == [True] * 9
        assert {time for time, _, _ in played.calls()} == {"20:00:00", "08:15:00", "08:16:00"}
        assert_every_minute_is_right(played, start + 3 * DAY)


FAILURES = (
    (faults.lost_call(times=2), 5),
    (faults.busy(times=2), 5),
    # Tried again after 30 seconds, it meets its own operation, which still runs.
    (faults.lost_answer("NodePool", method="setAutoscaling"), 5),
    (faults.permission_denied("NodePool", method="setAutoscaling", times=1), 4),
)


def test_a_call_that_fails_is_tried_again_until_it_is_done(world: World) -> None:
    declare(world)
    for day, (fault, tries) in enumerate(FAILURES):
        world.store.add_fault(fault)
        start = NOON + day * DAY
        played = play(world, start, start + DAY)
        assert len(played.attempts) == tries, fault.kind
        assert not played.attempts[0].ok
        assert_every_minute_is_right(played, start + DAY, late=2 * MINUTE)


def test_a_call_that_comes_twice_changes_nothing_more(world: World) -> None:
    declare(world)
    world.store.add_fault(faults.doubled_call(times=3))
    played = play(world, NOON, NOON + DAY)
    assert len([attempt for attempt in played.attempts if attempt.number == 1]) == 6
    assert_every_minute_is_right(played, NOON + DAY)
    assert played.sizes[-1] == 2


def test_a_frozen_schedule_opens_no_window_and_still_ends_the_one_that_is_open(world: World) -> None:
    def freeze(sections: dict[str, Any]) -> None:
        sections["schedule"]["frozen"] = True

    declare(world)
    opened = play(world, NOON, NOON + DAY / 2)
    assert opened.limits[-1] == (0, 2)
    declare(world, freeze)
    states = {record.document["paused"] for record in world.store.resources(SCHEDULER_JOB) if "training" in record.name}
    assert states == {True}
    played = play(world, NOON + DAY / 2, NOON + 3 * DAY, freeze)
    assert set(played.limits) == {(1, 4)}
    assert played.schedule.calendar.frozen
    declare(world)
    assert play(world, NOON + 3 * DAY, NOON + 3 * DAY + DAY / 2).limits == [(0, 2)]


def test_on_a_date_off_and_in_an_override_the_pool_has_what_the_calendar_says(world: World) -> None:
    today = datetime.now(BERLIN).date()
    off, special = today + 20 * DAY, today + 23 * DAY

    def except_(sections: dict[str, Any]) -> None:
        sections["schedule"]["datesOff"] = [off.isoformat()]
        sections["schedule"]["overrides"] = {
            "rehearsal": {"start": f"{special}T11:00", "end": f"{special}T16:00", "profile": Profile.TRAINING.value}
        }

    declare(world, except_)
    start = datetime.combine(off - 2 * DAY, datetime.min.time(), BERLIN)
    played = play(world, start, start + 7 * DAY, except_)
    assert all(attempt.ok for attempt in played.attempts)
    assert_every_minute_is_right(played, start + 7 * DAY)
    assert played.limits_at(datetime.combine(off, datetime.min.time(), BERLIN) + timedelta(hours=22)) == (1, 4)
    assert played.limits_at(datetime.combine(special, datetime.min.time(), BERLIN) + timedelta(hours=12)) == (0, 2)


def test_no_job_can_be_done_by_an_account_without_the_role(world: World) -> None:
    declare(world)
    grant = next(r for r in world.store.resources("gcp:projects/iAMMember:IAMMember") if r.urn.endswith("local-schedule-grant"))
    world.store.delete(grant.id)
    before = world.pools()[POOL]["autoscaling"]
    played = play(world, NOON, NOON + DAY)
    assert {attempt.status for attempt in played.attempts} == {403}
    assert world.pools()[POOL]["autoscaling"] == before
    assert [op for op in world.store.operations() if op.type == NODE_POOL and op.method == "setAutoscaling" and op.outcome == "done"] == []
