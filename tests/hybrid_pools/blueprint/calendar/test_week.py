"""A week has every minute once."""

from datetime import date, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.calendar import calendar_of
from hybrid_pools.blueprint.calendar.switching import profile_on_wall
from hybrid_pools.blueprint.calendar.week import Phase, week_of
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from tests.schedules import schedule, schedules

patient = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
mondays = st.integers(0, 60).map(lambda weeks: date(2026, 8, 31) + weeks * timedelta(days=7))


class TestEveryWeek:
    @given(schedules(), mondays)
    @patient
    def test_has_every_minute_of_every_day_in_exactly_one_block(self, made: ScheduleConfiguration, monday: date):
        blocks = week_of(calendar_of(made), monday)
        for day in range(7):
            mine = [block for block in blocks if block.day == day]
            assert [block.start for block in mine] == [0, *(block.end for block in mine[:-1])]
            assert mine[-1].end == 1440

    @given(schedules(), mondays)
    @patient
    def test_shows_training_where_the_calendar_gives_it_the_buffer(self, made: ScheduleConfiguration, monday: date):
        calendar = calendar_of(made)
        for block in week_of(calendar, monday):
            wall = datetime.combine(monday, datetime.min.time()) + timedelta(days=block.day, minutes=block.start)
            assert (block.phase is Phase.TRAINING) == (profile_on_wall(calendar, wall) is Profile.TRAINING)


def test_a_night_is_seen_on_two_days_and_ends_with_the_way_back() -> None:
    blocks = week_of(calendar_of(schedule(windows={"night": {"days": ["mon"], "start": "20:00", "end": "06:00"}})), date(2026, 11, 30))
    assert [(block.day, block.start, block.end, block.phase) for block in blocks if block.phase is not Phase.SERVICES] == [
        (0, 1200, 1440, Phase.TRAINING),
        (1, 0, 315, Phase.TRAINING),
        (1, 315, 360, Phase.RETURNING),
    ]
