"""The layout of a dashboard as an SVG picture: where each chart stands, what its lines are, and its limit. No data is drawn.

The card brings its own background, so that it reads the same on a dark and on a light page.
"""

from xml.etree import ElementTree

from hybrid_pools.blueprint.model.monitoring import Dashboard, Tile

_MARGIN, _HEAD = 24, 66
_COLUMN, _ROW, _GAP = 20, 9, 8
_SANS = "ui-sans-serif, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
_INK, _SOFT, _LINE, _CARD, _EDGE, _LIMIT = "#1b2430", "#4d5866", "#dfe4ea", "#ffffff", "#d6dce4", "#b3261e"
_SERIES = ("#0a5394", "#9c4a00", "#04694e", "#6b3fa0")
_UNITS = {"1": "count", "10^2.%": "%", "%": "%", "min": "minutes"}


def dashboard_picture(dashboard: Dashboard) -> str:
    """The picture as SVG text. The same dashboard gives the same text."""
    width = 2 * _MARGIN + dashboard.columns * _COLUMN
    height = _HEAD + max(tile.y + tile.height for tile in dashboard.tiles) * _ROW + _MARGIN
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "font-family": _SANS,
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
        },
    )
    ElementTree.SubElement(root, "title").text = f"Layout of the dashboard {dashboard.title}"
    ElementTree.SubElement(root, "desc").text = "Charts in reading order: " + ", ".join(tile.title for tile in dashboard.tiles) + "."
    _box(root, 1, 1, width - 2, height - 2, fill=_CARD, stroke=_EDGE, rx="14")
    _text(root, _MARGIN, 36, dashboard.title, 19, _INK, **{"font-weight": "700"})
    _text(root, _MARGIN, 54, "Layout without data. Dashed: the limit at which people are told.", 12, _SOFT)
    for tile in dashboard.tiles:
        _tile(root, tile)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _box(root: ElementTree.Element, x: float, y: float, width: float, height: float, **attributes: str) -> None:
    ElementTree.SubElement(root, "rect", {"x": str(x), "y": str(y), "width": str(width), "height": str(height), **attributes})


def _text(root: ElementTree.Element, x: float, y: float, content: str, size: int, fill: str, **attributes: str) -> None:
    ElementTree.SubElement(root, "text", {"x": str(x), "y": str(y), "font-size": str(size), "fill": fill, **attributes}).text = content


def _line(root: ElementTree.Element, x: float, y: float, width: float, stroke: str, **attributes: str) -> None:
    ElementTree.SubElement(root, "line", {"x1": str(x), "y1": str(y), "x2": str(x + width), "y2": str(y), "stroke": stroke, **attributes})


def _tile(root: ElementTree.Element, tile: Tile) -> None:
    x, y = _MARGIN + tile.x * _COLUMN + _GAP / 2, _HEAD + tile.y * _ROW + _GAP / 2
    width, height = tile.width * _COLUMN - _GAP, tile.height * _ROW - _GAP
    _box(root, x, y, width, height, fill="#f8fafc", stroke=_EDGE, rx="8")
    _text(root, x + 12, y + 22, tile.title, 13, _INK, **{"font-weight": "600"})
    unit = _UNITS.get(tile.unit, tile.unit)
    _text(root, x + width - 12, y + 22, unit + (" in each interval" if tile.bars else ""), 11, _SOFT, **{"text-anchor": "end"})
    top, bottom = y + 36, y + height - 34
    for step in range(4):
        _line(root, x + 12, round(top + step * (bottom - top) / 3, 1), width - 24, _LINE)
    if tile.limit is not None:
        level = round(top + (bottom - top) / 4, 1)
        _line(root, x + 12, level, width - 24, _LIMIT, **{"stroke-dasharray": "5 4"})
        _text(root, x + 16, level - 4, f"limit {_number(tile)}", 11, _LIMIT)
    across = x + 12
    for index, series in enumerate(tile.series):
        _box(root, across, y + height - 20, 10, 10, fill=_SERIES[index % len(_SERIES)], rx="2")
        label = _label(series.legend)
        _text(root, across + 15, y + height - 11, label, 11, _SOFT)
        across += 32 + 6 * len(label)


def _label(legend: str) -> str:
    """A legend for people: what stands for a label becomes the label's name."""
    return legend.replace("${metric.labels.", "each ").replace("}", "").replace("_", " ")


def _number(tile: Tile) -> str:
    limit = tile.limit or 0.0
    return f"{limit * 100:.0f} %" if tile.unit == "10^2.%" else f"{limit:g} {_UNITS.get(tile.unit, tile.unit)}"
