"""The pools of an environment over its zones, as an SVG picture.

The card brings its own background, so that it reads the same on a dark and on a light page. A role is told by colour, by the line around
its cells and in words, since not everybody sees colours. Text is never measured: columns are wide enough for the longest names that the
configuration and the catalogue allow, and taints are cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.model import Blueprint, Pool
from hybrid_pools.blueprint.resilience import zones
from hybrid_pools.blueprint.vocabulary import Role
from hybrid_pools.documents.canvas import CARD, EDGE, FAINT, MONO, SOFT, Canvas

_MARGIN, _GAP = 28, 12
_LABEL_WIDTH, _CELL_WIDTH = 316, 226
_HEAD_HEIGHT, _ROLE_HEIGHT, _LEGEND_HEIGHT = 84, 42, 34
_TAINT_CHARACTERS = 46
_NAME_HEIGHT, _TAINT_HEIGHT, _CELL_PADDING, _LINE_HEIGHT = 24, 17, 14, 19


@dataclass(frozen=True)
class _Look:
    """How a role is drawn. `strong` on `pale` and on white has a contrast of at least 4.5 to 1."""

    strong: str
    pale: str
    dashes: str
    purpose: str


_LOOKS = {
    Role.STABLE: _Look("#0a5394", "#e7f1fb", "", "services; nobody takes nodes back"),
    Role.SPOT: _Look("#9c4a00", "#fdf0e1", "7 4", "training; nodes may end any time"),
    Role.BUFFER: _Look("#04694e", "#e2f4ed", "2 3", "changes hands by schedule"),
}
_BOUGHT = {
    CapacityKind.ON_DEMAND: "on demand",
    CapacityKind.SPOT: "Spot VMs",
    CapacityKind.FLEX_START: "flex-start",
    CapacityKind.QUEUED: "queued provisioning",
    CapacityKind.RESERVATION: "reserved",
}


def picture(blueprint: Blueprint) -> str:
    """The picture as SVG text. The same blueprint gives the same text."""
    columns = zones(blueprint)
    width = 2 * _MARGIN + _LABEL_WIDTH + len(columns) * (_GAP + _CELL_WIDTH)
    height = _HEAD_HEIGHT + sum(_group_height(blueprint.pools_of(role)) for role in Role) + _LEGEND_HEIGHT
    canvas = Canvas()
    _describe(canvas, blueprint)
    canvas.box(1, 1, width - 2, height - 2, rx=14, fill=CARD, stroke=EDGE)
    _title(canvas, blueprint, columns)
    _zone_columns(canvas, columns, height)
    y = _HEAD_HEIGHT
    for role in Role:
        pools = blueprint.pools_of(role)
        if pools:
            _group(canvas, role, pools, columns, y, width)
            y += _group_height(pools)
    canvas.text(_MARGIN, y + 12, "Taints keep off every pod that does not tolerate them. * declared by GKE itself", 12, SOFT)
    return canvas.finish(width, height)


def _describe(canvas: Canvas, blueprint: Blueprint) -> None:
    canvas.add("title").text = f"Node pools of {blueprint.environment.name} over zones"
    canvas.add("desc").text = " ".join(
        f"{pool.role.value.capitalize()} pool {pool.name} in {', '.join(pool.zones)}: {', '.join(_lines(pool))}."
        for pool in blueprint.pools
    )


def _title(canvas: Canvas, blueprint: Blueprint, columns: Sequence[str]) -> None:
    environment = blueprint.environment
    canvas.text(_MARGIN, 40, f"Node pools of {environment.name}", 21, font_weight=700)
    gpus = sum(pool.max_gpus for pool in blueprint.pools)
    facts = f"{environment.region}, {len(columns)} zone{'s' if len(columns) != 1 else ''}, up to {gpus} GPUs"
    canvas.text(_MARGIN, 62, facts, 13, SOFT)


def _zone_columns(canvas: Canvas, columns: Sequence[str], height: int) -> None:
    top = 40
    for index, zone in enumerate(columns):
        x = _column(index)
        canvas.box(x - 5, top, _CELL_WIDTH + 10, height - top - _LEGEND_HEIGHT - 8, rx=10, fill="#f5f7fa")
        canvas.text(x + _CELL_WIDTH // 2, top + 25, zone, 14, font_weight=600, text_anchor="middle")


def _column(index: int) -> int:
    return _MARGIN + _LABEL_WIDTH + _GAP + index * (_GAP + _CELL_WIDTH)


def _group_height(pools: Sequence[Pool]) -> int:
    return _ROLE_HEIGHT + sum(_row_height(pool) + _GAP for pool in pools) if pools else 0


def _row_height(pool: Pool) -> int:
    return max(_NAME_HEIGHT + _TAINT_HEIGHT * max(1, len(pool.node_taints)) + 8, 2 * _CELL_PADDING + _LINE_HEIGHT * len(_lines(pool)) - 6)


def _group(canvas: Canvas, role: Role, pools: Sequence[Pool], columns: Sequence[str], y: int, width: int) -> None:
    look = _LOOKS[role]
    canvas.add(
        "line", x1=_MARGIN, y1=y + 6, x2=width - _MARGIN, y2=y + 6, stroke=look.strong, stroke_width=1.5, stroke_dasharray=look.dashes
    )
    canvas.box(_MARGIN, y + 15, 70, 19, rx=9.5, fill=look.strong)
    canvas.text(_MARGIN + 35, y + 29, role.value, 12, "#ffffff", font_weight=600, text_anchor="middle")
    canvas.text(_MARGIN + 80, y + 29, look.purpose, 12, look.strong)
    y += _ROLE_HEIGHT
    for pool in pools:
        _row(canvas, pool, columns, y)
        y += _row_height(pool) + _GAP


def _row(canvas: Canvas, pool: Pool, columns: Sequence[str], y: int) -> None:
    look, height = _LOOKS[pool.role], _row_height(pool)
    canvas.text(_MARGIN, y + 18, pool.name, 16, font_weight=700)
    for index, taint in enumerate(_taints(pool)):
        canvas.text(_MARGIN, y + _NAME_HEIGHT + 12 + index * _TAINT_HEIGHT, taint, 11, SOFT, font_family=MONO)
    if not pool.node_taints:
        canvas.text(_MARGIN, y + _NAME_HEIGHT + 12, "no taint: any pod may run here", 12, SOFT)
    for index, zone in enumerate(columns):
        x = _column(index)
        if zone not in pool.zones:
            canvas.text(x + _CELL_WIDTH // 2, y + height // 2 + 4, "not in this zone", 12, FAINT, text_anchor="middle")
            continue
        canvas.box(x, y, _CELL_WIDTH, height, rx=9, fill=look.pale, stroke=look.strong, stroke_width=1.5, stroke_dasharray=look.dashes)
        machine, *others = _lines(pool)
        top = y + (height - _LINE_HEIGHT * (len(others) + 1)) // 2 + 14
        canvas.text(x + _CELL_PADDING, top, machine, 14, look.strong, font_weight=700)
        for line, content in enumerate(others, start=1):
            canvas.text(x + _CELL_PADDING, top + line * _LINE_HEIGHT, content, 12)


def _lines(pool: Pool) -> list[str]:
    """What a cell says: machine, hardware, how it is bought, how many nodes."""
    gpus, limits = pool.accelerators, pool.limits
    lines = [pool.machine.name, f"{gpus.count} x {gpus.type}" if gpus else f"{pool.machine.vcpus} vCPUs, {pool.machine.memory_gib:g} GiB"]
    if gpus and gpus.partition:
        lines.append(f"each cut into {gpus.partition}")
    if gpus and gpus.sharing:
        lines.append(f"each shared by {gpus.sharing.clients_per_gpu} ({gpus.sharing.strategy})")
    where = "in this zone" if limits.per_zone else "over its zones"
    numbers = f"{limits.minimum} to {limits.maximum} nodes {where}"
    return [*lines, _BOUGHT[pool.capacity], numbers, *(["at creation, then by schedule"] if pool.schedule_owned else [])]


def _taints(pool: Pool) -> Iterator[str]:
    for taint in pool.node_taints:
        text = f"{taint}{'' if taint in pool.taints else ' *'}"
        yield text if len(text) <= _TAINT_CHARACTERS else f"{text[: _TAINT_CHARACTERS - 1]}…"
