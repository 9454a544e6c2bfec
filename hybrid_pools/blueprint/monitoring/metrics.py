"""The metrics that queries may ask for: their names in PromQL, their labels and the resources they are written for.

PromQL on Cloud Monitoring answers a misspelt metric or label with nothing instead of an error, and an alert on nothing never fires. So what
a query may name is data, with a source.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Literal

from hybrid_pools.blueprint.catalogue.facts import Fact, Frozen
from hybrid_pools.blueprint.catalogue.files import read

_PROMETHEUS = "prometheus.googleapis.com/"
_HISTOGRAM_SUFFIXES = ("_bucket", "_count", "_sum")


class Metric(Fact):
    """One metric of Cloud Monitoring.

    Attributes:
        type: Its type, such as `kubernetes.io/node/cpu/total_cores`.
        resources: Monitored resources it is written for; at least one.
        labels: Its own labels, without those of the resource.
        unit: Unit of the values, as Google prints it.
    """

    type: str
    kind: Literal["GAUGE", "DELTA", "CUMULATIVE"]
    value_type: Literal["BOOL", "INT64", "DOUBLE", "DISTRIBUTION"]
    resources: tuple[str, ...]
    labels: tuple[str, ...]
    unit: str

    @property
    def is_prometheus(self) -> bool:
        """Whether managed Prometheus collects it, under the name it has in Prometheus."""
        return self.type.startswith(_PROMETHEUS)

    @property
    def promql_name(self) -> str:
        """Its name in PromQL, without the suffixes of distributions.

        Source: "Mapping Cloud Monitoring metrics to PromQL" of the Cloud Monitoring documentation.
        """
        if self.is_prometheus:
            return self.type.removeprefix(_PROMETHEUS).rpartition("/")[0]
        domain, _, path = self.type.partition("/")
        return ":".join(re.sub(r"[^A-Za-z0-9]", "_", part) for part in (domain, path))


class MonitoredResource(Fact):
    """What a metric is written for, with the labels that tell one such thing from another."""

    type: str
    labels: tuple[str, ...]


class MetricsFile(Frozen):
    """`metrics.json`."""

    resources: tuple[MonitoredResource, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True)
class KnownMetrics:
    """Metrics by every name that a query may use for them.

    Attributes:
        by_name: Metric by name in PromQL, suffixes of distributions included.
        resource_labels: Labels of each monitored resource.
    """

    by_name: Mapping[str, Metric]
    resource_labels: Mapping[str, tuple[str, ...]]

    def labels(self, name: str) -> set[str]:
        """Labels by which series of this name can be told apart."""
        metric = self.by_name[name]
        own = {"le"} if name.endswith("_bucket") and metric.value_type == "DISTRIBUTION" else set()
        return own.union(metric.labels, *(self.resource_labels[resource] for resource in metric.resources))

    def closest(self, name: str) -> str | None:
        """The known name that an unknown one is probably meant to be."""
        return next(iter(get_close_matches(name, self.by_name, n=1, cutoff=0.5)), None)

    def by_type(self, type_: str) -> Metric | None:
        """The metric of a type, where it is known."""
        return next((metric for metric in self.by_name.values() if metric.type == type_), None)

    def with_metrics(self, metrics: Iterable[Metric]) -> "KnownMetrics":
        """These and more, such as the log-based metrics of an environment."""
        return KnownMetrics({**self.by_name, **_by_name(metrics)}, self.resource_labels)


def _by_name(metrics: Iterable[Metric]) -> dict[str, Metric]:
    named: dict[str, Metric] = {}
    for metric in metrics:
        names = [metric.type, metric.promql_name]
        if metric.value_type == "DISTRIBUTION":
            names = [f"{name}{suffix}" for name in names for suffix in _HISTOGRAM_SUFFIXES]
        named |= dict.fromkeys(names, metric)
    return named


@cache
def known_metrics() -> KnownMetrics:
    """The metrics of this package's data file; read once a process."""
    file = read("metrics.json", MetricsFile)
    return KnownMetrics(_by_name(file.metrics), {resource.type: resource.labels for resource in file.resources})
