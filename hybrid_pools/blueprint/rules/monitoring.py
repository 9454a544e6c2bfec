"""Monitoring must reach someone, and its queries must ask for what exists."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import CapacityKind, Catalogue
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.model.monitoring import ALERT_NAMES
from hybrid_pools.blueprint.monitoring import known_metrics, query_faults
from hybrid_pools.blueprint.rules.rule import Finding, section_rule

_CHANNELS_OF_AN_ALERT = 16
_CHANNELS_OF_A_BUDGET = 5
_INTERRUPTIBLE = (CapacityKind.SPOT, CapacityKind.FLEX_START, CapacityKind.QUEUED)


@section_rule(
    "CFG-861",
    "Queries of alerts are PromQL over known metrics and labels",
    "Mapping Cloud Monitoring metrics to PromQL page of the Cloud Monitoring documentation",
)
def queries_ask_for_what_exists(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Cloud Monitoring answers a misspelt metric or label with nothing, and an alert on nothing never fires."""
    if reading.monitoring is None:
        return
    for name, alert in reading.monitoring.extra_alerts.items():
        for fault in query_faults(alert.query, known_metrics()):
            yield Finding(
                f"monitoring.extraAlerts.{name}.query",
                alert.query,
                fault,
                "PromQL over the metrics of hybrid_pools/blueprint/catalogue/data/metrics.json, with their labels",
                "respell it, or add the metric there with its source",
            )


@section_rule("CFG-862", "Channels are those of the environment's project", "Manage notification channels page of Cloud Monitoring")
def channels_belong_to_the_project(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """An alert takes only channels of its own project."""
    if reading.monitoring is None or reading.environment is None:
        return
    own = f"projects/{reading.environment.project}/"
    for name, channel in reading.monitoring.channels.items():
        if channel.existing is not None and not channel.existing.startswith(own):
            yield Finding(
                f"monitoring.channels.{name}.existing",
                channel.existing,
                "is a channel of another project, and Google would refuse every alert",
                f"a channel of {reading.environment.project}",
                "make the channel in this project, or write email: or topic:",
            )


@section_rule("CFG-863", "Alerts of one's own have names of their own", "docs/monitoring.md")
def names_are_free(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Two alerts of one name would be one resource, and one runbook would answer for both."""
    if reading.monitoring is None:
        return
    for name in reading.monitoring.extra_alerts:
        if name in ALERT_NAMES:
            yield Finding(
                f"monitoring.extraAlerts.{name}",
                name,
                "is the name of a built-in alert",
                f"a name other than {', '.join(ALERT_NAMES)}",
                "choose another name, or change the built-in alert by monitoring.thresholds",
            )


@section_rule("CFG-864", "An objective for recovery has something to recover from", "docs/monitoring.md", needs_all=True)
def recovery_has_interruptions(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Without interruptible pools no run resumes, and an objective without data looks as if it held."""
    if reading.monitoring is None or reading.monitoring.recovery is None:
        return
    if not any(CapacityKind(pool.capacity.value) in _INTERRUPTIBLE for pool in reading.pools.values()):
        yield Finding(
            "monitoring.recovery",
            reading.monitoring.recovery,
            "judges recoveries, but no pool is ever interrupted",
            "a spot pool, or no objective",
            "remove monitoring.recovery, or add a pool with role: spot",
        )


@section_rule("CFG-865", "Alerts and budget have no more channels than Google takes", "Quotas and limits pages of Monitoring and Billing")
def channels_are_few_enough(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Google refuses the alert, or the budget, as a whole."""
    if reading.monitoring is None:
        return
    channels = reading.monitoring.channels
    mailed = [name for name, channel in channels.items() if channel.email is not None]
    if len(channels) > _CHANNELS_OF_AN_ALERT:
        yield Finding(
            "monitoring.channels",
            list(channels),
            f"names {len(channels)} channels, and every alert would be refused",
            f"at most {_CHANNELS_OF_AN_ALERT}",
            "mail to a group instead of to each person",
        )
    elif reading.monitoring.budget is not None and len(mailed) > _CHANNELS_OF_A_BUDGET:
        yield Finding(
            "monitoring.channels",
            mailed,
            f"names {len(mailed)} addresses for e-mail, and a budget takes {_CHANNELS_OF_A_BUDGET}",
            f"at most {_CHANNELS_OF_A_BUDGET} with a budget",
            "mail to a group instead of to each person",
        )
