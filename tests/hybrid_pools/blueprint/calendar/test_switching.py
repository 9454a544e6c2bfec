"""Every minute has exactly one profile, and the declared jobs bring exactly that one."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.calendar import calendar_of, firings, profile_at, switches, validity, zones
from hybrid_pools.blueprint.calendar.switching import Calendar, trainings
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from tests.schedules import ZONES, History, history, problems, schedule, schedules

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
delays = st.sampled_from([0, 1, 2, 5])
patient = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def period(calendar: Calendar, delay: int) -> tuple[datetime, datetime]:
    """The time in which the jobs are right: five years, or what the exceptions leave."""
    valid = validity(calendar, delay)
    start, end = (valid.start, valid.end) if valid else (date(2024, 1, 1), date(2029, 1, 1))
    return tuple(datetime.combine(day, datetime.min.time(), ZoneInfo(calendar.zone)).astimezone(UTC) for day in (start, end))  # type: ignore[return-value]


def telling_minutes(calendar: Calendar, start: datetime, end: datetime, delay: int) -> list[datetime]:
    """Minutes at which something could go wrong: around every switch, and every one around changes of the clock."""
    found = [switch.at + step * MINUTE for switch in switches(calendar, start, end, delay) for step in (-1, 0, 1)]
    for change in zones.clock_changes(calendar.zone):
        if start <= change.at < end:
            found += [change.at + step * MINUTE for step in range(-150, 150)]
    return found


def changes(profile: Profile, done: History) -> list[tuple[datetime, Profile]]:
    """The firings that bring another profile than the one before."""
    found = []
    for instant, brought in zip(done.instants, done.profiles, strict=True):
        if brought is not profile:
            found.append((instant, brought))
        profile = brought
    return found


def by_definition(calendar: Calendar, instant: datetime) -> Profile:
    """The profile as the configuration's documentation says it, minute by minute and without merging anything."""
    if calendar.frozen:
        return Profile.SERVICES
    wall = instant.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None)
    ahead = [wall + step * MINUTE for step in range(calendar.lead + 1)]
    return Profile.TRAINING if all(given_to_training(calendar, time) for time in ahead) else Profile.SERVICES


def given_to_training(calendar: Calendar, wall: datetime) -> bool:
    for override in calendar.overrides:
        if override.start <= wall < override.end:
            return override.profile is Profile.TRAINING
    for window in calendar.windows:
        for weeks in (0, 1):
            monday = datetime.combine(wall.date() - wall.weekday() * DAY, datetime.min.time()) - weeks * 7 * DAY
            opens = monday + window.day * DAY + window.start * MINUTE
            if opens.date() not in calendar.dates_off and opens <= wall < opens + window.minutes * MINUTE:
                return True
    return False


class TestEverySchedule:
    @given(schedules(), delays, st.integers(1, 40))
    @patient
    def test_is_walked_by_its_switches_through_the_profile_of_every_minute(self, made: ScheduleConfiguration, delay: int, step: int):
        calendar = calendar_of(made)
        start, end = period(calendar, delay)
        found = switches(calendar, start, end, delay)
        assert all(one.at < other.at and one.profile is not other.profile for one, other in pairwise(found))
        near = [change.at for change in zones.clock_changes(calendar.zone)]
        for index, (one, other) in enumerate(pairwise(found)):
            if index % step == 0 or any(one.at - DAY < change < other.at + DAY for change in near):
                for instant in (one.at, one.at + (other.at - one.at) // 2, other.at - MINUTE):
                    assert profile_at(calendar, instant, delay) is one.profile

    @given(schedules(), st.data())
    @patient
    def test_means_what_its_configuration_says(self, made: ScheduleConfiguration, data: st.DataObject):
        calendar = calendar_of(made)
        start, end = period(calendar, 0)
        telling = telling_minutes(calendar, start, end, 0)
        chosen = data.draw(st.lists(st.sampled_from(telling), max_size=40))
        chosen += [start + minutes * MINUTE for minutes in data.draw(st.lists(st.integers(0, (end - start) // MINUTE - 1), max_size=40))]
        for instant in chosen:
            assert profile_at(calendar, instant) is by_definition(calendar, instant), instant

    @given(schedules(), delays)
    @patient
    def test_is_done_to_the_minute_by_its_jobs(self, made: ScheduleConfiguration, delay: int):
        calendar = calendar_of(made)
        start, end = period(calendar, delay)
        done = history(calendar, firings(calendar, delay), start, end)
        wanted = [(switch.at, switch.profile) for switch in switches(calendar, start, end, delay)]
        # What fires besides the switches repeats the profile that holds anyway.
        assert changes(profile_at(calendar, start - MINUTE, delay), done) == wanted

    @given(schedules())
    @patient
    def test_gives_services_their_nodes_before_every_peak_whatever_the_clock_does(self, made: ScheduleConfiguration):
        calendar, zone = calendar_of(made), ZoneInfo(made.time_zone)
        start, end = period(calendar, 0)
        walls = [time.astimezone(zone).replace(tzinfo=None) for time in (start, end)]
        for training in trainings(calendar, *walls):
            back, peak = (wall.replace(tzinfo=zone).astimezone(UTC) for wall in (training.back, training.end))
            assert peak - back > (made.drain_minutes + made.boot_minutes) * MINUTE

    @given(schedules(), delays)
    @patient
    def test_has_nothing_but_services_when_frozen(self, made: ScheduleConfiguration, delay: int):
        calendar = replace(calendar_of(made), frozen=True)
        start, end = period(calendar, delay)
        assert switches(calendar, start, end, delay) == []
        assert firings(calendar, delay) == firings(replace(calendar, frozen=False), delay)


NIGHTS = calendar_of(schedule())
BERLIN = ZoneInfo("Europe/Berlin")


class TestAWindowOverMidnight:
    @pytest.mark.parametrize(
        ("wall", "profile"),
        [
            ("2026-11-02T19:59", Profile.SERVICES),  # a Monday
            ("2026-11-02T20:00", Profile.TRAINING),
            ("2026-11-03T05:14", Profile.TRAINING),
            ("2026-11-03T05:15", Profile.SERVICES),
            ("2026-11-08T23:00", Profile.SERVICES),  # a Sunday
        ],
    )
    def test_belongs_to_the_day_on_which_it_opens(self, wall, profile):
        assert profile_at(NIGHTS, datetime.fromisoformat(wall).replace(tzinfo=BERLIN)) is profile

    def test_does_not_open_on_a_date_off_and_the_one_of_the_day_before_ends_as_always(self):
        calendar = calendar_of(schedule(datesOff=["2026-12-24"]))
        assert profile_at(calendar, datetime(2026, 12, 24, 3, tzinfo=BERLIN)) is Profile.TRAINING
        assert profile_at(calendar, datetime(2026, 12, 24, 22, tzinfo=BERLIN)) is Profile.SERVICES
        assert profile_at(calendar, datetime(2026, 12, 25, 3, tzinfo=BERLIN)) is Profile.SERVICES


class TestTheExpressions:
    def test_come_by_weekday_where_every_week_is_alike(self):
        assert [(firing.profile, firing.cron) for firing in firings(NIGHTS)] == [
            (Profile.SERVICES, "15 5 * * 2,3,4,5,6"),
            (Profile.TRAINING, "0 20 * * 1,2,3,4,5"),
        ]

    def test_list_the_dates_of_a_month_with_an_exception(self):
        calendar = calendar_of(schedule(datesOff=["2026-12-24", "2026-12-31"]))
        assert [firing.cron for firing in firings(calendar) if firing.profile is Profile.TRAINING] == [
            "0 20 * 1,2,3,4,5,6,7,8,9,10,11 1,2,3,4,5",
            "0 20 1,2,3,4,7,8,9,10,11,14,15,16,17,18,21,22,23,25,28,29,30 12 *",
        ]

    def test_leave_the_switch_back_alone_on_a_date_off_since_it_changes_nothing(self):
        calendar = calendar_of(schedule(datesOff=["2026-12-24"]))
        assert [firing.cron for firing in firings(calendar) if firing.profile is Profile.SERVICES] == ["15 5 * * 2,3,4,5,6"]

    def test_are_right_for_more_than_a_year_and_say_how_long(self):
        valid = validity(calendar_of(schedule(datesOff=["2026-12-24", "2027-02-01"])))
        assert valid is not None
        assert (valid.start, valid.end) == (date(2026, 3, 1), date(2027, 12, 1))


class TestClockChanges:
    @pytest.mark.parametrize("zone", ZONES)
    def test_are_those_after_which_the_clock_shows_another_time(self, zone):
        place = ZoneInfo(zone)
        for change in zones.clock_changes(zone):
            before, after = ((change.at + step).astimezone(place).utcoffset() for step in (-MINUTE, timedelta(0)))
            assert before != after
            assert change.skipped is (after > before)  # type: ignore[operator]
            assert change.length == abs(after - before)  # type: ignore[operator]

    def test_of_lord_howe_are_half_an_hour(self):
        assert {change.length for change in zones.clock_changes("Australia/Lord_Howe")} == {HOUR / 2}


@pytest.mark.sweep
@pytest.mark.parametrize("zone", ZONES)
def test_every_minute_of_eighteen_months_is_as_the_jobs_leave_it(zone: str) -> None:
    """The same laws without sampling; minutes enough to want a target of their own, `make sweep`."""
    made = schedule(timeZone=zone, datesOff=["2026-12-24", "2027-01-06"])
    made = made if not problems(made) else schedule(timeZone=zone)
    calendar = calendar_of(made)
    start, end = datetime(2026, 6, 1, tzinfo=UTC), datetime(2027, 11, 30, tzinfo=UTC)
    done = history(calendar, firings(calendar), start, end)
    instant = done.instants[0]
    while instant < end:
        assert done.at(instant) is profile_at(calendar, instant), instant
        instant += MINUTE
