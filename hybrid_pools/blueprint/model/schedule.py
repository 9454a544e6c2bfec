"""When the buffer changes hands, fully decided: the calendar, each pool's two profiles, and the calls that switch them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hybrid_pools.blueprint.calendar.firings import Validity
from hybrid_pools.blueprint.calendar.switching import Calendar
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from hybrid_pools.blueprint.model.pools import NodeLimits

MINUTES_A_POOL = 2
"""Minutes that each pool has for its calls: limits in the first, size in the second. GKE runs one operation at a time on a cluster."""


@dataclass(frozen=True)
class Retries:
    """How a call that is refused or lost is tried again. Durations are in seconds.

    Attributes:
        count: Tries after the first one; Cloud Scheduler allows 5.
        first_pause: Before the first retry; doubled `doublings` times, at most `longest_pause`.
        deadline: How long one try may take.
    """

    count: int
    first_pause: int
    doublings: int
    longest_pause: int
    deadline: int

    @property
    def longest(self) -> int:
        """Seconds from the first try to the end of the last one, at the most."""
        pauses: list[int] = [min(self.longest_pause, self.first_pause * 2 ** min(number, self.doublings)) for number in range(self.count)]
        return sum(pauses) + (self.count + 1) * self.deadline


RETRIES = Retries(count=5, first_pause=30, doublings=3, longest_pause=240, deadline=60)
LONGEST_SWITCH_MINUTES = -(-RETRIES.longest // 60)
"""Minutes after which no try of a call is under way any more; the next switch comes later (rule CFG-849)."""

SWITCHING_PERMISSIONS = ("container.clusters.get", "container.clusters.update", "container.operations.get")
"""The fewest with which GKE's limits and sizes can be set. A finer right than on clusters does not exist."""


class Method(StrEnum):
    """Methods of GKE's API on a node pool."""

    SET_AUTOSCALING = "setAutoscaling"
    SET_SIZE = "setSize"


@dataclass(frozen=True)
class ScheduledPool:
    """One buffer pool with both profiles.

    Attributes:
        limits: Limits by profile, over all zones together.
        delay: Minutes by which this pool's calls come after the calendar's switch.
        all_at_once: Profiles whose maximum is brought at once.
    """

    name: str
    limits: Mapping[Profile, NodeLimits]
    delay: int
    all_at_once: frozenset[Profile]


@dataclass(frozen=True)
class SwitchJob:
    """One Cloud Scheduler job.

    Attributes:
        name: Unique within the schedule.
        pool: Whose limits or size it sets.
        body: What it sends, as GKE's API spells it.
        cron: In unix-cron form, in the calendar's zone.
        paused: Whether it does not run: a frozen schedule opens no window.
        purpose: In words, for whoever looks at the job.
    """

    name: str
    pool: str
    profile: Profile
    method: Method
    body: Mapping[str, Any]
    cron: str
    paused: bool
    purpose: str


@dataclass(frozen=True)
class Schedule:
    """When the buffer changes hands.

    Attributes:
        configuration: As written, for readers.
        validity: Between which dates the jobs do what the calendar says; None for ever.
        account_id: Account that the jobs call as.
    """

    configuration: ScheduleConfiguration
    calendar: Calendar
    pools: tuple[ScheduledPool, ...]
    jobs: tuple[SwitchJob, ...]
    validity: Validity | None
    account_id: str
