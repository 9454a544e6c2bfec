"""Generated schedules that the rules accept, and what their jobs do over the years, told by an evaluator of cron that is not ours."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim
from hypothesis import assume
from hypothesis import strategies as st

from hybrid_pools.blueprint.calendar import Calendar, Firing
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration, Weekday
from hybrid_pools.blueprint.rules import SECTION_RULES

NOW = datetime(2026, 11, 1, tzinfo=UTC)
"""When the generated schedules are judged."""

ZONES = (
    "Etc/UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Pacific/Auckland",
    "Africa/Casablanca",
    "America/Sao_Paulo",
)
"""Both hemispheres, whole and half hours, a clock that is set by half an hour, one that is set for a month, some that are never set."""

_ALL_BUT_POOLS = ("CFG-840", "CFG-841", "CFG-842", "CFG-843", "CFG-844", "CFG-845", "CFG-849", "CFG-850", "CFG-851")


def schedule(**changes: Any) -> ScheduleConfiguration:
    """A small schedule with other values, spelled as in a stack file."""
    sections: dict[str, Any] = {
        "timeZone": "Europe/Berlin",
        "windows": {"nights": {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "20:00", "end": "06:00"}},
        "leadMinutes": 45,
        "drainMinutes": 15,
        "pools": {"buffer": {"training": {"maximum": 4}}},
    }
    return ScheduleConfiguration.model_validate(sections | changes, strict=False)


def problems(configuration: ScheduleConfiguration, now: datetime = NOW) -> list[str]:
    """Ids of the rules that a schedule breaks, pools and maintenance left out."""
    reading = Reading(now=now, schedule=configuration)
    return [rule for rule in _ALL_BUT_POOLS for _ in SECTION_RULES[rule][1](reading, catalogue())]


@st.composite
def schedules(draw: st.DrawFn, zones: Iterable[str] = ZONES) -> ScheduleConfiguration:
    """Schedules over all zones, with windows over midnight and weekends, dates off, overrides and long and short leads."""
    drain, boot = draw(st.integers(0, 30)), draw(st.integers(1, 15))
    pools = draw(st.integers(1, 3))
    windows = draw(
        st.dictionaries(
            st.sampled_from(["nights", "noon", "weekend"]),
            st.fixed_dictionaries(
                {
                    "days": st.lists(st.sampled_from([day.value for day in Weekday]), min_size=1, max_size=7, unique=True),
                    "start": _times(),
                    "end": _times(),
                }
            )
            | st.fixed_dictionaries(
                {
                    "days": st.sampled_from([["fri"], ["sat"]]),
                    "start": _times(),
                    "end": _times(),
                    "endDay": st.sampled_from(["sun", "mon"]),
                }
            ),
            min_size=1,
            max_size=2,
        )
    )
    made = schedule(
        timeZone=draw(st.sampled_from(list(zones))),
        windows=windows,
        datesOff=sorted(text.isoformat() for text in draw(st.sets(_days(), max_size=3))),
        leadMinutes=drain + boot + 2 * pools + draw(st.integers(0, 120)),
        drainMinutes=drain,
        bootMinutes=boot,
        pools={f"buffer-{index}": {"training": {"maximum": 4}} for index in range(pools)},
        overrides=draw(st.dictionaries(st.sampled_from(["launch", "holidays"]), _overrides(), max_size=2)),
        frozen=False,
    )
    assume(not problems(made))
    return made


def _times() -> st.SearchStrategy[str]:
    return st.tuples(st.integers(0, 23), st.sampled_from([0, 1, 15, 59])).map(lambda time: f"{time[0]:02}:{time[1]:02}")


def _days() -> st.SearchStrategy[date]:
    return st.dates(date(2026, 9, 1), date(2027, 5, 31))


@st.composite
def _overrides(draw: st.DrawFn) -> Mapping[str, str]:
    start = datetime.combine(draw(_days()), datetime.min.time()) + timedelta(minutes=draw(st.integers(0, 1439)))
    end = start + timedelta(minutes=draw(st.integers(60, 20 * 1440)))
    return {
        "start": f"{start:%Y-%m-%dT%H:%M}",
        "end": f"{end:%Y-%m-%dT%H:%M}",
        "profile": draw(st.sampled_from([profile.value for profile in Profile])),
    }


@dataclass(frozen=True)
class History:
    """The profile over time: which one begins when, in order."""

    instants: list[datetime]
    profiles: list[Profile]

    def at(self, instant: datetime) -> Profile:
        """The profile in the minute that begins then; there must have been a switch before."""
        return self.profiles[bisect_right(self.instants, instant) - 1]


def history(calendar: Calendar, firings: Iterable[Firing], start: datetime, end: datetime) -> History:
    """What the cron expressions do from `start` to `end`, from the first of them on."""
    fired = sorted(event for firing in firings for event in _fired(calendar.zone, firing, start, end))
    return History([instant for instant, _ in fired], [profile for _, profile in fired])


def _fired(zone: str, firing: Firing, start: datetime, end: datetime) -> Iterator[tuple[datetime, Profile]]:
    for wall in CronSim(firing.cron, (start - timedelta(seconds=1)).astimezone(ZoneInfo(zone))):
        instant = wall.astimezone(UTC)
        if instant >= end:
            return
        yield instant, firing.profile
