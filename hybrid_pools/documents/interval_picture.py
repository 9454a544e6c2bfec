"""What a run loses over the interval between two checkpoints, as an SVG picture, with the interval that was chosen.

The card brings its own background, so that it reads the same on a dark and on a light page. The shares are told apart by colour and by
words beside them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hybrid_pools.documents.canvas import CARD, EDGE, INK, SOFT, Canvas
from hybrid_pools.documents.durations import duration
from hybrid_pools.training.interval import Costs, Interval, Waste, waste

_WIDTH, _HEIGHT = 860, 430
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 28, 118, 62
_AROUND = 12
"""How many times shorter and longer than the chosen interval the axis reaches."""

_POINTS = 96
_TIMES = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 4 * 3600, 8 * 3600, 86400, 2 * 86400, 5 * 86400, 10 * 86400)
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)


@dataclass(frozen=True)
class _Part:
    """A share of the waste. `strong` on the card has a contrast of at least 4.5 to 1."""

    words: str
    share: Callable[[Waste], float]
    strong: str
    pale: str


_PARTS = (
    _Part("restarting", lambda found: found.restarting, "#4d5866", "#dde3ea"),
    _Part("saving", lambda found: found.saving, "#0a5394", "#cfe3f6"),
    _Part("work lost", lambda found: found.lost, "#9c4a00", "#fbd9b0"),
)
"""From the bottom up."""


def interval_picture(costs: Costs, chosen: Interval) -> str:
    """The picture as SVG text. The same numbers give the same text."""
    canvas = Canvas()
    scale = _Scale(costs, chosen)
    share = f"{chosen.waste.total:.1%}".replace("%", " %")
    canvas.add("title").text = "Time lost over the interval between two checkpoints"
    canvas.add(
        "desc"
    ).text = (
        f"Shorter intervals lose more time to saves, longer ones more work. The least, {share}, is lost with {duration(chosen.seconds)}."
    )
    canvas.box(1, 1, _WIDTH - 2, _HEIGHT - 2, rx=14, fill=CARD, stroke=EDGE)
    canvas.text(28, 38, f"A checkpoint every {duration(chosen.seconds)} loses {share} of the time", 20, font_weight=700)
    facts = f"a save takes {duration(costs.save)}, the gang is lost every {duration(chosen.mean_seconds_between_losses)} on average"
    canvas.text(28, 60, facts, 13, SOFT)
    _areas(canvas, scale)
    _axes(canvas, scale)
    _chosen(canvas, scale, chosen)
    _legend(canvas)
    return canvas.finish(_WIDTH, _HEIGHT)


class _Scale:
    """Where an interval and a share stand. Intervals are on a logarithmic axis."""

    def __init__(self, costs: Costs, chosen: Interval) -> None:
        self.first, self.last = chosen.seconds / _AROUND, chosen.seconds * _AROUND
        self.intervals = tuple(self.first * (self.last / self.first) ** (point / _POINTS) for point in range(_POINTS + 1))
        self.wastes = tuple(waste(costs, chosen.mean_seconds_between_losses, interval) for interval in self.intervals)
        # The dear ends may leave the picture where otherwise nothing would be seen of the least.
        self.most = min(1.0, max(found.total for found in self.wastes), 5 * chosen.waste.total)

    def x(self, interval: float) -> float:
        along = math.log(interval / self.first) / math.log(self.last / self.first)
        return round(_LEFT + along * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, share: float) -> float:
        return round(_HEIGHT - _BOTTOM - min(share / self.most, 1) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _areas(canvas: Canvas, scale: _Scale) -> None:
    floor = [0.0] * len(scale.wastes)
    for part in _PARTS:
        ceiling = [low + part.share(found) for low, found in zip(floor, scale.wastes, strict=True)]
        points = [*_line(scale, ceiling), *reversed(_line(scale, floor))]
        canvas.add("polygon", points=" ".join(points), fill=part.pale)
        canvas.add("polyline", points=" ".join(_line(scale, ceiling)), fill="none", stroke=part.strong, stroke_width=1.5)
        floor = ceiling


def _line(scale: _Scale, shares: Sequence[float]) -> list[str]:
    return [f"{scale.x(interval)},{scale.y(share)}" for interval, share in zip(scale.intervals, shares, strict=True)]


def _axes(canvas: Canvas, scale: _Scale) -> None:
    bottom = _HEIGHT - _BOTTOM
    step = next((share for share in _SHARES if scale.most / share <= 6), _SHARES[-1])
    for count in range(int(scale.most / step) + 1):
        y = scale.y(count * step)
        canvas.add("line", x1=_LEFT, y1=y, x2=_WIDTH - _RIGHT, y2=y, stroke=EDGE)
        canvas.add("text", x=_LEFT - 8, y=y + 4, font_size=12, fill=SOFT, text_anchor="end").text = f"{count * step * 100:g} %"
    for time in _TIMES:
        if scale.first <= time <= scale.last:
            x = scale.x(time)
            canvas.add("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, stroke=SOFT)
            canvas.add("text", x=x, y=bottom + 20, font_size=12, fill=SOFT, text_anchor="middle").text = duration(time)
    canvas.text(_LEFT, _HEIGHT - 18, "time between two checkpoints", 12, SOFT)
    canvas.text(_WIDTH - _RIGHT, _HEIGHT - 18, "up: share of all time that is lost", 12, SOFT, text_anchor="end")


def _chosen(canvas: Canvas, scale: _Scale, chosen: Interval) -> None:
    x, y = scale.x(chosen.seconds), scale.y(chosen.waste.total)
    canvas.add("line", x1=x, y1=_TOP - 8, x2=x, y2=_HEIGHT - _BOTTOM, stroke=INK, stroke_dasharray="5 4")
    canvas.add("circle", cx=x, cy=y, r=5, fill=INK)
    canvas.add("text", x=x + 10, y=_TOP, font_size=13, fill=INK, font_weight=600).text = duration(chosen.seconds)


def _legend(canvas: Canvas) -> None:
    x = 28
    for part in reversed(_PARTS):
        canvas.box(x, 78, 14, 14, rx=3, fill=part.pale, stroke=part.strong)
        canvas.text(x + 20, 90, part.words, 12, part.strong, font_weight=600)
        x += 40 + 8 * len(part.words)
