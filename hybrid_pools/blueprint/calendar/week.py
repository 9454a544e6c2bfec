"""One week of the calendar as blocks, for those who draw or print it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from hybrid_pools.blueprint.calendar.switching import Calendar, trainings

_DAY = timedelta(days=1)


class Phase(StrEnum):
    """What the buffer is for, as people see it."""

    SERVICES = "services"
    TRAINING = "training"
    RETURNING = "returning"
    """Services' limits hold again, while training drains and nodes start for the peak."""


@dataclass(frozen=True)
class Block:
    """A part of one day.

    Attributes:
        day: 0 for the first day of the week.
        start: Minute of the day on the wall.
        end: Minute on the wall at which it ends; 1440 is midnight.
    """

    day: int
    start: int
    end: int
    phase: Phase


def week_of(calendar: Calendar, monday: date) -> tuple[Block, ...]:
    """The blocks of the week that begins on `monday`: every minute of every day is in exactly one, in order."""
    begin = datetime.combine(monday, datetime.min.time())
    edges = list(_edges(calendar, begin, begin + 7 * _DAY))
    blocks = []
    for (start, phase), (end, _) in zip(edges, [*edges[1:], (begin + 7 * _DAY, Phase.SERVICES)], strict=True):
        day = (start - begin) // _DAY
        midnight = begin + day * _DAY
        blocks.append(Block(day, _minutes(start - midnight), _minutes(end - midnight), phase))
    return tuple(blocks)


def _edges(calendar: Calendar, begin: datetime, end: datetime) -> Iterator[tuple[datetime, Phase]]:
    """Where a block begins: at each change of phase and at each midnight."""
    changes: dict[datetime, Phase] = {}
    for training in trainings(calendar, begin, end):
        changes |= {training.start: Phase.TRAINING, training.back: Phase.RETURNING, training.end: Phase.SERVICES}
    phase = Phase.SERVICES
    # What began before the week comes first and sets the phase of its first minute.
    for at in sorted({*changes, *(begin + day * _DAY for day in range(7))}):
        phase = changes.get(at, phase)
        if begin <= at < end:
            yield at, phase


def _minutes(length: timedelta) -> int:
    return length // timedelta(minutes=1)
