"""Monitoring, log-based metrics and budgets.

Sources: Cloud Monitoring API reference (alertPolicies, dashboards, serviceLevelObjectives), Cloud Logging API reference (metrics), Billing
Budget API reference (NotificationsRule); end of the Monitoring query language: its documentation page, 2025-07-22.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

from lab.google.refusal import Refusal, bad_request, in_use, not_found
from lab.google.refusals.write import Removal, Write
from lab.google.store import Store
from lab.google.values import UNKNOWN, find, first

_ALERT = "gcp:monitoring/alertPolicy:AlertPolicy"
_BUDGET = "gcp:billing/budget:Budget"
_CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
_DASHBOARD = "gcp:monitoring/dashboard:Dashboard"
_METRIC = "gcp:logging/metric:Metric"
_SERVICE = "gcp:monitoring/customService:CustomService"
_SLO = "gcp:monitoring/slo:Slo"

_CONDITIONS = (
    "conditionAbsent",
    "conditionMatchedLog",
    "conditionMonitoringQueryLanguage",
    "conditionPrometheusQueryLanguage",
    "conditionSql",
    "conditionThreshold",
)
_EVALUATION_STEP_SECONDS = 30
_CLOSE_SECONDS = (1800, 7 * 24 * 3600)
_CHANNELS_OF_AN_ALERT, _CHANNELS_OF_A_BUDGET = 16, 5
_LAYOUTS = ("columnLayout", "gridLayout", "mosaicLayout", "rowLayout")
_HIGHEST_GOAL = 0.9999
_ADDRESSES = {"email": "email_address", "pubsub": "topic", "sms": "number", "webhook_tokenauth": "url"}
_LARGEST_METRIC_LABELS = 10


def _alert_conditions(write: Write) -> Iterator[Refusal]:
    for index, (_, condition) in enumerate(find(write.document, "conditions[]")):
        given = [kind for kind in _CONDITIONS if condition.get(kind)]
        if len(given) != 1:
            yield bad_request(f"conditions[{index}] must have exactly one kind of condition, got {', '.join(given) or 'none'}")
        if "conditionMonitoringQueryLanguage" in given:
            yield bad_request(f"conditions[{index}]: the Monitoring query language is no longer supported for new conditions; use PromQL")
        prometheus = condition.get("conditionPrometheusQueryLanguage")
        if prometheus:
            yield from _prometheus(index, prometheus)


def _prometheus(index: int, condition: Mapping[str, Any]) -> Iterator[Refusal]:
    import promql_parser  # noqa: PLC0415 - five megabytes that a start without alerts does not need

    interval = int(condition.get("evaluationInterval", f"{_EVALUATION_STEP_SECONDS}s").removesuffix("s"))
    if interval <= 0 or interval % _EVALUATION_STEP_SECONDS:
        yield bad_request(f"conditions[{index}]: evaluation_interval must be a positive multiple of 30 seconds, got {interval}s")
    query = condition["query"]
    if query is not UNKNOWN:
        try:
            promql_parser.parse(query)
        except ValueError as error:
            yield bad_request(f"conditions[{index}]: the query is not valid PromQL: {error}")


def _alert_strategy(write: Write) -> Iterator[Refusal]:
    close = write.get("alertStrategy.autoClose")
    least, largest = _CLOSE_SECONDS
    if close is not None and not least <= int(close.removesuffix("s")) <= largest:
        yield bad_request(f"alert_strategy.auto_close must be between {least}s and {largest}s, got {close}")
    if write.get("alertStrategy.notificationRateLimit") and not any(find(write.document, "conditions[].conditionMatchedLog")):
        yield bad_request("alert_strategy.notification_rate_limit is for log-based conditions only")


def _alert_channels(write: Write) -> Iterator[Refusal]:
    channels = write.document.get("notificationChannels", [])
    if len(channels) > _CHANNELS_OF_AN_ALERT:
        yield bad_request(f"A policy takes at most {_CHANNELS_OF_AN_ALERT} notification channels, got {len(channels)}")
    yield from _channels_exist(write.store, channels)


def _channels_exist(store: Store, channels: list[Any]) -> Iterator[Refusal]:
    for channel in channels:
        # A number is a channel that somebody made by hand: the stand-in cannot know it, its own are called by their display names.
        if channel is not UNKNOWN and not channel.rpartition("/")[2].isdecimal() and not store.get(channel, _CHANNEL):
            yield not_found(f"notification channel {channel}")


def _channel_address(write: Write) -> Iterator[Refusal]:
    key = _ADDRESSES.get(write.document["type"])
    if key and not write.get(f"labels.{key}"):
        yield bad_request(f'Field "labels" had an invalid value: a channel of type {write.document["type"]} needs the label {key}')


def _dashboard(write: Write) -> Iterator[Refusal]:
    try:
        content = json.loads(write.document["dashboardJson"])
    except json.JSONDecodeError as error:
        yield bad_request(f'"dashboard_json" contains an invalid JSON: {error}')
        return
    if not isinstance(content, dict) or not content.get("displayName"):
        yield bad_request("Field displayName must not be empty")
        return
    layouts = [layout for layout in _LAYOUTS if layout in content]
    if len(layouts) != 1:
        yield bad_request(f"A dashboard has exactly one layout, got {', '.join(layouts) or 'none'}")
    if "mosaicLayout" in content:
        yield from _mosaic(content["mosaicLayout"])


def _mosaic(layout: Mapping[str, Any]) -> Iterator[Refusal]:
    columns, tiles = layout.get("columns", 0), layout.get("tiles", [])
    places = [(tile.get("xPos", 0), tile.get("yPos", 0), tile.get("width", 0), tile.get("height", 0)) for tile in tiles]
    for index, (x, _, width, height) in enumerate(places):
        if width <= 0 or height <= 0 or x + width > columns:
            yield bad_request(f"mosaicLayout.tiles[{index}] does not fit the {columns} columns of the dashboard")
    for (i, one), (j, other) in combinations(enumerate(places), 2):
        if all(one[k] < other[k] + other[k + 2] and other[k] < one[k] + one[k + 2] for k in (0, 1)):
            yield bad_request(f"mosaicLayout.tiles[{i}] and tiles[{j}] overlap")
    for index, tile in enumerate(tiles):
        for position, data in enumerate(first(tile, "widget.xyChart.dataSets", [])):
            kinds = set(data.get("timeSeriesQuery", {})) - {"unitOverride", "outputFullDuration"}
            if len(kinds) != 1:
                yield bad_request(f"mosaicLayout.tiles[{index}]: dataSets[{position}] must have exactly one query")


def _metric_labels(write: Write) -> Iterator[Refusal]:
    described = {key for _, key in find(write.document, "metricDescriptor.labels[].key")}
    extracted = set(write.document.get("labelExtractors") or {})
    if described != extracted:
        odd = ", ".join(sorted(described ^ extracted))
        yield bad_request(f"Label extractors must match the labels of the metric descriptor one to one; {odd} is on one side only")
    if len(described) > _LARGEST_METRIC_LABELS:
        yield bad_request(f"A log-based metric has at most {_LARGEST_METRIC_LABELS} labels, got {len(described)}")


def _metric_value(write: Write) -> Iterator[Refusal]:
    distribution = write.get("metricDescriptor.valueType") == "DISTRIBUTION"
    if distribution != bool(write.document.get("valueExtractor")):
        yield bad_request("A value extractor is given exactly when the metric's value type is DISTRIBUTION")
    bounds = write.get("bucketOptions.explicitBuckets.bounds", [])
    if any(one >= other for one, other in pairwise(bounds)):
        yield bad_request("The bounds of explicit buckets must rise")
    if write.document.get("bucketOptions") and not distribution:
        yield bad_request("Bucket options are for metrics of value type DISTRIBUTION only")


def _slo(write: Write) -> Iterator[Refusal]:
    from hybrid_pools.blueprint.monitoring.metrics import known_metrics  # noqa: PLC0415 - brings the whole model with it

    goal = write.document["goal"]
    if not 0 < goal <= _HIGHEST_GOAL:
        yield bad_request(f"goal must be greater than 0 and at most {_HIGHEST_GOAL}, got {goal}")
    service = f"projects/{write.document['project']}/services/{write.document['service'].rpartition('/')[2]}"
    if not write.store.get(service):
        yield not_found(service)
    text = write.get("requestBasedSli.distributionCut.distributionFilter")
    if isinstance(text, str):
        metric = known_metrics().by_type(text.partition('metric.type="')[2].partition('"')[0])
        if metric and (metric.value_type != "DISTRIBUTION" or metric.kind == "GAUGE"):
            yield bad_request(
                f"distribution_filter must name a metric of value type DISTRIBUTION and kind DELTA or CUMULATIVE; {metric.type} is "
                f"{metric.kind} and {metric.value_type}"
            )


def _budget(write: Write) -> Iterator[Refusal]:
    channels = write.get("allUpdatesRule.monitoringNotificationChannels", [])
    if len(channels) > _CHANNELS_OF_A_BUDGET:
        yield bad_request(f"A budget takes at most {_CHANNELS_OF_A_BUDGET} notification channels, got {len(channels)}")
    yield from _channels_exist(write.store, channels)
    for channel in channels:
        record = write.store.get(channel, _CHANNEL)
        if record and record.document["type"] != "email":
            yield bad_request(f"A budget takes channels of type email only; {channel} is of type {record.document['type']}")
    if write.document.get("allUpdatesRule") and not channels and not write.get("allUpdatesRule.pubsubTopic"):
        yield bad_request("all_updates_rule needs a Pub/Sub topic or notification channels")


def _channel_in_use(removal: Removal) -> Iterator[Refusal]:
    if removal.document.get("forceDelete"):
        return
    for policy in removal.store.resources(_ALERT):
        if removal.id in policy.document.get("notificationChannels", []):
            yield in_use(f"notification channel '{removal.id}'", policy.id)


def _service_in_use(removal: Removal) -> Iterator[Refusal]:
    for objective in removal.store.resources(_SLO):
        if objective.id.startswith(f"{removal.id}/"):
            yield in_use(f"service '{removal.id}'", objective.id)


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    _ALERT: (_alert_conditions, _alert_strategy, _alert_channels),
    _BUDGET: (_budget,),
    _CHANNEL: (_channel_address,),
    _DASHBOARD: (_dashboard,),
    _METRIC: (_metric_labels, _metric_value),
    _SLO: (_slo,),
}
DELETES: dict[str, tuple[Callable[[Removal], Iterator[Refusal]], ...]] = {_CHANNEL: (_channel_in_use,), _SERVICE: (_service_in_use,)}
