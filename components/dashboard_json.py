"""A dashboard as Google's API takes it.

Written without the shapes that keep differing from Google's answer: no zero positions, no empty lists or texts, the defaults that the API
adds are there from the start, and keys are sorted (terraform-provider-google#7242, #9976, #16173).
"""

import json
from collections.abc import Mapping
from typing import Any

from hybrid_pools.blueprint.model.monitoring import Dashboard, Series, Tile, filled

_AXIS = "Y1"


def dashboard_json(dashboard: Dashboard, names: Mapping[str, str]) -> str:
    """The text of a dashboard; the same dashboard gives the same text.

    Args:
        dashboard: What is on it.
        names: Physical names for the queries, as `filled` takes them.
    """
    content = {
        "displayName": dashboard.title,
        "mosaicLayout": {"columns": dashboard.columns, "tiles": [_tile(tile, names) for tile in dashboard.tiles]},
    }
    return json.dumps(content, sort_keys=True)


def _tile(tile: Tile, names: Mapping[str, str]) -> dict[str, Any]:
    chart: dict[str, Any] = {
        "chartOptions": {"mode": "COLOR"},
        "dataSets": [_data_set(tile, series, names) for series in tile.series],
        "yAxis": {"scale": "LINEAR"},
    }
    if tile.limit is not None:
        chart["thresholds"] = [{"label": "limit", "targetAxis": _AXIS, "value": tile.limit}]
    place = {key: value for key, value in (("xPos", tile.x), ("yPos", tile.y)) if value}
    return {**place, "width": tile.width, "height": tile.height, "widget": {"title": tile.title, "xyChart": chart}}


def _data_set(tile: Tile, series: Series, names: Mapping[str, str]) -> dict[str, Any]:
    query = {"prometheusQuery": filled(series.query, names)} | ({"unitOverride": tile.unit} if tile.unit else {})
    return {
        "legendTemplate": series.legend,
        "plotType": "STACKED_BAR" if tile.bars else "LINE",
        "targetAxis": _AXIS,
        "timeSeriesQuery": query,
    }
