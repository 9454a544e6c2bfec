"""A week of the buffer as an SVG picture: who has it when, on the wall clock of the schedule's zone.

The card brings its own background, so that it reads the same on a dark and on a light page. Who has the buffer is told by colour, by the
height of the block and in words, since not everybody sees colours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from hybrid_pools.blueprint.calendar.week import Block, Phase, week_of
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.model import Schedule
from hybrid_pools.documents.canvas import CARD, EDGE, FAINT, INK, SOFT, Canvas

_MARGIN, _LABEL, _HOUR, _ROW, _HEAD = 28, 106, 32, 46, 108
_LINE = 20
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MINUTES_FOR_WORDS = 150
_MINUTES_FOR_A_TIME = 90


@dataclass(frozen=True)
class _Look:
    """How a phase is drawn. `strong` on `pale` has a contrast of at least 4.5 to 1; `inset` makes the block lower, in pixels."""

    strong: str
    pale: str
    inset: int
    words: str


_LOOKS = {
    Phase.SERVICES: _Look("#0a5394", "#e7f1fb", 6, "services"),
    Phase.TRAINING: _Look("#9c4a00", "#fbd9b0", 0, "training"),
    Phase.RETURNING: _Look("#04694e", "#bfe6d8", 3, "training drains, nodes start"),
}


def week_picture(environment: str, schedule: Schedule, monday: date, *, dated: bool) -> str:
    """The picture as SVG text. The same schedule and week give the same text.

    Args:
        environment: Its short name.
        monday: First day of the week.
        dated: Whether the days are told with their dates; otherwise the week stands for every week without exceptions.
    """
    width = 2 * _MARGIN + _LABEL + 24 * _HOUR
    height = _HEAD + 7 * _ROW + 34 + _LINE * (1 + len(schedule.pools))
    canvas = Canvas()
    blocks = week_of(schedule.calendar, monday)
    canvas.add("title").text = f"The buffer of {environment} in a week"
    canvas.add("desc").text = " ".join(_sentence(block) for block in blocks if block.phase is not Phase.SERVICES)
    canvas.box(1, 1, width - 2, height - 2, rx=14, fill=CARD, stroke=EDGE)
    canvas.text(_MARGIN, 38, f"The buffer of {environment}", 20, font_weight=700)
    frozen = "; frozen: services keep it" if schedule.calendar.frozen else ""
    when = f"week of {monday:%Y-%m-%d}" if dated else "every week"
    canvas.text(_MARGIN, 60, f"{when}, times in {schedule.calendar.zone}{frozen}", 13, SOFT)
    _hours(canvas)
    for day, name in enumerate(_DAYS):
        y = _HEAD + day * _ROW
        canvas.text(_MARGIN, y + 20, name, 14, font_weight=600)
        if dated:
            canvas.text(_MARGIN, y + 36, f"{monday + timedelta(days=day):%d %b}", 12, SOFT)
    for block in blocks:
        _block(canvas, block)
    _legend(canvas, schedule, _HEAD + 7 * _ROW + 26)
    return canvas.finish(width, height)


def _hours(canvas: Canvas) -> None:
    for hour in range(0, 25, 3):
        x = _x(hour * 60)
        canvas.text(x, _HEAD - 12, f"{hour:02}:00", 12, SOFT, text_anchor="middle")
        canvas.add("line", x1=x, y1=_HEAD - 6, x2=x, y2=_HEAD + 7 * _ROW - 4, stroke=EDGE, stroke_width=1)


def _x(minute: int) -> int:
    return _MARGIN + _LABEL + minute * _HOUR // 60


def _block(canvas: Canvas, block: Block) -> None:
    look = _LOOKS[block.phase]
    x, y = _x(block.start), _HEAD + block.day * _ROW + look.inset
    width, height = _x(block.end) - x, _ROW - 8 - 2 * look.inset
    canvas.box(x, y, width, height, rx=4, fill=look.pale, stroke=look.strong, stroke_width=1)
    if block.phase is not Phase.RETURNING and block.end - block.start >= _MINUTES_FOR_WORDS:
        canvas.text(
            x + width // 2,
            y + height // 2 + (9 if block.phase is Phase.TRAINING else 5),
            look.words,
            13,
            look.strong,
            text_anchor="middle",
            font_weight=600,
        )
    if block.phase is Phase.TRAINING:
        for minute, anchor, inwards in ((block.start, "start", 5), (block.end, "end", -5)):
            if minute % 1440 and block.end - block.start >= 2 * _MINUTES_FOR_A_TIME:
                canvas.text(_x(minute) + inwards, y + 13, _time(minute), 11, look.strong, text_anchor=anchor)


def _legend(canvas: Canvas, schedule: Schedule, y: int) -> None:
    x = _MARGIN
    for look in _LOOKS.values():
        canvas.box(x, y - 11, 14, 14, rx=3, fill=look.pale, stroke=look.strong)
        canvas.text(x + 20, y, look.words, 12, INK)
        x += 44 + 7 * len(look.words)
    for line, text in enumerate(_limits(schedule), start=1):
        canvas.text(_MARGIN, y + line * _LINE, text, 12, FAINT)


def _limits(schedule: Schedule) -> Iterator[str]:
    for pool in schedule.pools:
        sides = (f"{pool.limits[profile].minimum} to {pool.limits[profile].maximum} nodes for {profile}" for profile in Profile)
        yield f"{pool.name}: {', '.join(sides)}" + (f", {pool.delay} minutes later" if pool.delay else "")


def _sentence(block: Block) -> str:
    return f"{_DAYS[block.day]} {_time(block.start)} to {_time(block.end)}: {_LOOKS[block.phase].words}."


def _time(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
