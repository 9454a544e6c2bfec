"""Rules on monitoring: alerts reach someone who knows what to do, and ask in a language that lives."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from policies.reading import Value, any_true
from policies.rule import Finding, Severity, Verdict, View, judge_each, rule

_STEP_SECONDS = 30
_OLD_LANGUAGE = "timeSeriesQueryLanguage"


@dataclass(frozen=True)
class AlertInputs(View):
    """An alert policy."""

    TYPES = ("gcp:monitoring/alertPolicy:AlertPolicy",)

    @property
    def conditions(self) -> list[Value]:
        """What it watches."""
        return self.at("conditions").items()


@dataclass(frozen=True)
class DashboardInputs(View):
    """A dashboard."""

    TYPES = ("gcp:monitoring/dashboard:Dashboard",)


@dataclass(frozen=True)
class LogMetricInputs(View):
    """A log-based metric."""

    TYPES = ("gcp:logging/metric:Metric",)


@dataclass(frozen=True)
class BudgetInputs(View):
    """A budget."""

    TYPES = ("gcp:billing/budget:Budget",)


@rule(
    id="MONITOR-001",
    title="An alert reaches someone",
    severity=Severity.MANDATORY,
    why="An alert without a channel opens an incident that nobody sees, and everybody believes that somebody watches.",
    fix="Name a notification channel; monitoring.channels of the stack file makes one.",
    links=("https://cloud.google.com/monitoring/support/notification-options",),
)
def alert_has_a_channel(alert: AlertInputs) -> Iterator[Verdict]:
    if not alert.at("notificationChannels").items():
        yield Finding("notificationChannels", "names nobody")


@rule(
    id="MONITOR-002",
    title="An alert links to its runbook",
    severity=Severity.ADVISORY,
    why="Whoever is woken at night needs the next step, not a metric's name.",
    fix="Declare documentation.links with the address of the page that says what to do.",
    links=("https://cloud.google.com/monitoring/alerts/doc-variables",),
)
def alert_has_a_runbook(alert: AlertInputs) -> Iterator[Verdict]:
    if not any_true([partial(_is_address, link.at("url")) for link in alert.at("documentation.links").items()]):
        yield Finding("documentation.links", "holds no address")


def _is_address(url: Value) -> bool:
    return (url.text() or "").startswith("https://")


@rule(
    id="MONITOR-003",
    title="No alert uses Google's old query language",
    severity=Severity.MANDATORY,
    why="Support for the Monitoring query language ended on 2025-07-22: nobody can edit such an alert in the console any more.",
    fix="Ask in PromQL with conditionPrometheusQueryLanguage.",
    links=("https://cloud.google.com/monitoring/mql",),
)
def alert_is_not_in_the_old_language(alert: AlertInputs) -> Iterator[Verdict]:
    yield from judge_each(alert.conditions, _no_old_condition)


def _no_old_condition(condition: Value) -> Iterator[Verdict]:
    old = condition.at("conditionMonitoringQueryLanguage")
    if old.is_set():
        yield Finding(old.path, "is in the Monitoring query language")


@rule(
    id="MONITOR-004",
    title="A PromQL alert is evaluated in steps of 30 seconds",
    severity=Severity.MANDATORY,
    why="Google refuses any other interval, but only when the alert is made, after everything before it.",
    fix="Write a multiple of 30, for example 60s, or leave it out.",
    links=("https://cloud.google.com/monitoring/promql/promql-in-alerting",),
)
def alert_is_evaluated_in_steps(alert: AlertInputs) -> Iterator[Verdict]:
    yield from judge_each(alert.conditions, _interval_fits)


def _interval_fits(condition: Value) -> Iterator[Verdict]:
    interval = condition.at("conditionPrometheusQueryLanguage.evaluationInterval")
    text = interval.text()
    if text is None:
        return
    seconds = text.removesuffix("s")
    if not (text.endswith("s") and seconds.isdecimal() and int(seconds) > 0 and int(seconds) % _STEP_SECONDS == 0):
        yield Finding(interval.path, f"is {text}")


@rule(
    id="MONITOR-005",
    title="A log-based metric extracts exactly the labels it describes",
    severity=Severity.MANDATORY,
    why="Google refuses the metric with an error that names neither side, and a label without an extractor would always be empty.",
    fix="Give each label of metricDescriptor.labels an entry of its name in labelExtractors, and no other.",
    links=("https://cloud.google.com/logging/docs/logs-based-metrics/labels",),
)
def metric_labels_match(metric: LogMetricInputs) -> Iterator[Verdict]:
    extractors = metric.at("labelExtractors")
    extracted = extractors.keys()
    described = [key for label in metric.at("metricDescriptor.labels").items() if (key := label.at("key").text()) is not None]
    odd = sorted(set(described) ^ set(extracted))
    if odd:
        yield Finding("labelExtractors", f"and metricDescriptor.labels do not both have {', '.join(odd)}")


@rule(
    id="MONITOR-006",
    title="A budget tells before the money is spent",
    severity=Severity.MANDATORY,
    why="A budget without thresholds tells nobody anything, and a GPU cluster left on can cost a month's money in a night.",
    fix="Declare thresholdRules, for example at 0.5, 0.8 and 1.",
    links=("https://cloud.google.com/billing/docs/how-to/budgets",),
)
def budget_has_thresholds(budget: BudgetInputs) -> Iterator[Verdict]:
    if not budget.at("thresholdRules").items():
        yield Finding("thresholdRules", "holds none")


@rule(
    id="MONITOR-007",
    title="No dashboard uses Google's old query language",
    severity=Severity.ADVISORY,
    why="Charts in the Monitoring query language can no longer be edited in the console.",
    fix="Ask in PromQL with prometheusQuery.",
    links=("https://cloud.google.com/monitoring/mql",),
)
def dashboard_is_not_in_the_old_language(dashboard: DashboardInputs) -> Iterator[Verdict]:
    content = dashboard.at("dashboardJson").text()
    if content is not None and f'"{_OLD_LANGUAGE}"' in content:
        yield Finding("dashboardJson", f"holds {_OLD_LANGUAGE}")
