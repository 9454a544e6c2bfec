"""`docs/monitoring.md`: the dashboard, the alerts with their queries, and what the numbers do not tell."""

from collections.abc import Iterable, Sequence

from hybrid_pools.blueprint.model import Blueprint, Monitoring
from hybrid_pools.blueprint.model.monitoring import ALERT_NAMES, Alert, LogMetric
from hybrid_pools.documents.markdown import code, document, table

_BLIND_SPOTS = """\
So that nobody trusts them further than they reach:

- **Interruptions by pool** come from GKE's own metric, a gauge that is often undefined when the count is zero and may show up late. The
  alert on a spot storm therefore counts audit log entries instead.
- **Pool of a node** is read from the node's name, which GKE cuts: pools whose names share the first 18 characters are counted as one.
- **GPU load** is missing for shared GPUs (time-sharing, MPS): GKE does not collect it. Idle GPUs of such pools are not noticed.
- **Share of runs interrupted** counts JobSets with exactly one GPU job, which is what GKE measures, and appears up to an hour late.
- **Age of a checkpoint** is the age of the last write to the bucket, by anybody. A team that goes on saving hides another that does not,
  and a write is not yet a checkpoint that can be restored.
- **Recovery objective** is judged by a log line that the training side writes when a run trains again. Without that line there is no data.
- **Buffer nodes against the calendar**: PromQL knows UTC only, so the query is silent for an hour beside each switch in summer or in
  winter, and all day on dates off. Nodes that still train are seen by their JobSets; a plain Job goes unseen.
- **Queue metrics** come from Kueue; before it is installed and scraped these charts are empty and the alert stays silent."""

_HANDLING = """\
Section `monitoring` of a stack file makes all of it; [configuration](configuration.md) lists its keys. Channels that need a secret
(PagerDuty, Slack, webhooks) are made by hand once and named with `existing`. A topic must let Cloud Monitoring's service account publish.
The budget also tells the billing account's administrators, and takes only e-mail channels of the section.

The account that runs Pulumi needs `roles/monitoring.editor`, `roles/logging.configWriter` and, for a budget,
`roles/billing.costsManager` on the billing account. With the credentials of a person instead of a service account, the budget's API also
wants a project to count its calls against: set `USER_PROJECT_OVERRIDE=true` and `GOOGLE_BILLING_PROJECT=PROJECT` in the environment.

An alert of your own (`extraAlerts`) may use `$cluster` for the physical name of the cluster. It is checked like the built-in ones: it must
be PromQL, and every metric and label must stand in `hybrid_pools/blueprint/catalogue/data/metrics.json`, because Cloud Monitoring answers a
misspelt name with nothing instead of an error."""


def render(blueprints: Sequence[Blueprint]) -> str:
    """The document; the last environment is shown in full."""
    example = blueprints[-1]
    monitoring = example.monitoring
    assert monitoring is not None  # noqa: S101 — checked-in environments are watched
    return document(
        "Monitoring",
        "the stack files and `hybrid_pools/blueprint/derivation/monitoring/`",
        "One dashboard, alerts with a page each that says what to do, log-based metrics, an objective for recovery time and a budget.",
        "## Dashboard",
        f"![The layout of the dashboard of {example.environment.name}](images/dashboard.svg)",
        "## Alerts",
        "Where an environment has an alert, the limit is shown; `no` means that it has nothing that the alert could watch.",
        table(
            ["Alert", *(blueprint.environment.name for blueprint in blueprints)],
            ([f"[{name}](runbooks/{name}.md)", *(_limit(blueprint, name) for blueprint in blueprints)] for name in ALERT_NAMES),
        ),
        *(part for alert in monitoring.alerts for part in _alert(alert)),
        *_budget(monitoring),
        "## Recovery objective",
        _recovery(monitoring),
        "## Log-based metrics",
        table(["Metric", "Counts", "Resource", "Labels"], (_metric(metric) for metric in monitoring.log_metrics)),
        "## What the numbers do not tell",
        _BLIND_SPOTS,
        "## Setting it up",
        _HANDLING,
    )


def _limit(blueprint: Blueprint, name: str) -> str:
    monitoring = blueprint.monitoring
    if monitoring is None:
        return "no"
    if monitoring.budget and name == "budget":
        return f"{monitoring.budget.amount} {monitoring.budget.currency} a month"
    return next((alert.threshold for alert in monitoring.alerts if alert.name == name), "no")


def _alert(alert: Alert) -> Iterable[str]:
    yield f"### {alert.name}"
    yield f"**{alert.title}** ({alert.severity.lower()}). {alert.meaning}"
    hold = f", for {alert.hold_seconds // 60} minutes" if alert.hold_seconds else ""
    runbook = f"[{alert.name}](runbooks/{alert.name}.md)" if alert.name in ALERT_NAMES else f"<{alert.runbook}>"
    yield f"Limit: {alert.threshold}{hold}. Runbook: {runbook}."
    yield f"```promql\n{alert.query}\n```"


def _budget(monitoring: Monitoring) -> Iterable[str]:
    budget = monitoring.budget
    if budget is None:
        return
    spent = ", ".join(f"{share:.0%}" for share in budget.actual_shares)
    foreseen = ", ".join(f"{share:.0%}" for share in budget.forecast_shares)
    yield "### budget"
    yield (
        f"**The month becomes dear.** {budget.amount} {budget.currency} a month: told at {spent} spent and at {foreseen} foreseen. "
        "Runbook: [budget](runbooks/budget.md)."
    )


def _recovery(monitoring: Monitoring) -> str:
    recovery = monitoring.recovery
    if recovery is None:
        return "None."
    return (
        f"{recovery.title}: {recovery.goal * 100:g} % of the recoveries of the last {recovery.period_days} days take at most "
        f"{recovery.within_seconds} s. Measured by {code(recovery.metric)}, from the end of the old process to the first step after the "
        "restored checkpoint."
    )


def _metric(metric: LogMetric) -> list[str]:
    return [code(metric.name), metric.description, code(metric.resource), ", ".join(code(label.key) for label in metric.labels)]
