"""Monitoring, fully decided.

Queries and filters hold two names that only a real stack has: `$cluster` and `$checkpoints`, the physical names of the cluster and of the
bucket for checkpoints. `filled` puts them in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from hybrid_pools.blueprint.configuration.monitoring import Severity

CLUSTER, CHECKPOINTS = "cluster", "checkpoints"

BUDGET = "budget"
"""Name of the alert that is no query: the budget's."""

ALERT_NAMES = (
    BUDGET,
    "buffer-outside-window",
    "checkpoint-too-old",
    "idle-gpu",
    "node-not-ready",
    "queue-wait",
    "quota-exceeded",
    "scheduler-call-failed",
    "spot-storm",
    "stock-out",
    "training-failures",
)
"""Every built-in alert, whether an environment has it or not: each has a page in docs/runbooks."""


def filled(text: str, names: Mapping[str, str]) -> str:
    """A query or filter with physical names; what is none of ours, such as `${__interval}`, stays."""
    return Template(text).safe_substitute(names)


@dataclass(frozen=True)
class LogLabel:
    """A label of a log-based metric and where in the log entry its value stands, as a Cloud Logging extractor."""

    key: str
    description: str
    extractor: str


@dataclass(frozen=True)
class LogValue:
    """The number that a log-based metric takes from each entry, and the buckets of its distribution in the same unit, rising."""

    extractor: str
    unit: str
    bounds: tuple[float, ...]


@dataclass(frozen=True)
class LogMetric:
    """A metric that Cloud Logging counts from log entries.

    Attributes:
        key: Name within the environment.
        name: Name within the project.
        resource: Monitored resource of the entries; the filter lets no other through.
        filter: In the Logging query language.
        value: None: entries are counted.
    """

    key: str
    name: str
    description: str
    resource: str
    filter: str
    labels: tuple[LogLabel, ...]
    value: LogValue | None = None

    @property
    def type(self) -> str:
        """The metric's type in Cloud Monitoring."""
        return f"logging.googleapis.com/user/{self.name}"


@dataclass(frozen=True)
class Alert:
    """One alert.

    Attributes:
        query: PromQL that answers with something when people must be told.
        threshold: The limit in words, for people.
        meaning: What has happened when it fires, one or two sentences.
        hold_seconds: How long the query must go on answering.
        evaluation_seconds: How often it is asked; Google takes multiples of 30.
        closes_after_seconds: How long after the last answer an incident closes by itself.
        runbook: Address of the page that says what to do.
    """

    name: str
    title: str
    severity: Severity
    query: str
    threshold: str
    meaning: str
    hold_seconds: int
    evaluation_seconds: int
    closes_after_seconds: int
    runbook: str


@dataclass(frozen=True)
class Series:
    """One set of lines in a chart: a PromQL query, and a legend in which `${metric.labels.x}` stands for a label."""

    query: str
    legend: str


@dataclass(frozen=True)
class Tile:
    """One chart of the dashboard. Places and sizes are in columns and rows of the grid, from its upper left corner.

    Attributes:
        unit: Unit of the values as UCUM spells it, or empty.
        bars: Whether values are counts in an interval, drawn as bars, and not levels, drawn as lines.
        limit: A line to compare with, in the unit of the values, or None.
    """

    title: str
    x: int
    y: int
    width: int
    height: int
    series: tuple[Series, ...]
    unit: str = ""
    bars: bool = False
    limit: float | None = None


@dataclass(frozen=True)
class Dashboard:
    """A dashboard on a grid of so many columns."""

    name: str
    title: str
    columns: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class Channel:
    """A notification channel. `kind` is email or pubsub, with its address or topic; or existing, with the name of a channel."""

    name: str
    kind: str
    address: str


@dataclass(frozen=True)
class Budget:
    """A monthly budget of the project, in whole units of the currency.

    Attributes:
        actual_shares: Shares of the amount at which spent money is reported.
        forecast_shares: Shares of the amount at which the money that the month is going to cost is reported.
        channels: Names of the channels that are told. Google takes e-mail only.
        runbook: Address of the page that says what to do.
    """

    title: str
    billing_account: str
    amount: int
    currency: str
    actual_shares: tuple[float, ...]
    forecast_shares: tuple[float, ...]
    channels: tuple[str, ...]
    runbook: str


@dataclass(frozen=True)
class RecoveryObjective:
    """Share `goal` of the recoveries of the last `period_days` days must take at most `within_seconds`.

    Attributes:
        metric: Type of the distribution in seconds that is judged.
    """

    title: str
    goal: float
    within_seconds: int
    period_days: int
    metric: str


@dataclass(frozen=True)
class Monitoring:
    """Everything that watches an environment."""

    channels: tuple[Channel, ...]
    log_metrics: tuple[LogMetric, ...]
    alerts: tuple[Alert, ...]
    dashboard: Dashboard
    recovery: RecoveryObjective | None
    budget: Budget | None
