"""An alert as a policy of Cloud Monitoring. PromQL only: Google ended support for its own query language in July 2025."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_gcp as gcp

from hybrid_pools.blueprint.model.monitoring import Alert, filled


def alert_policy(
    alert: Alert,
    environment: str,
    project: str,
    names: pulumi.Output[dict[str, str]],
    channels: Sequence[pulumi.Input[str]],
    labels: Mapping[str, str],
) -> gcp.monitoring.AlertPolicyArgs:
    """The inputs of the policy.

    Args:
        names: Physical names for the query, as `filled` takes them.
        channels: Identifiers of the notification channels.
    """
    return gcp.monitoring.AlertPolicyArgs(
        project=project,
        display_name=f"{environment}: {alert.title}",
        combiner="OR",
        severity=alert.severity.value,
        conditions=[
            gcp.monitoring.AlertPolicyConditionArgs(
                display_name=alert.threshold,
                condition_prometheus_query_language=gcp.monitoring.AlertPolicyConditionConditionPrometheusQueryLanguageArgs(
                    query=names.apply(lambda known: filled(alert.query, known)),
                    duration=f"{alert.hold_seconds}s",
                    evaluation_interval=f"{alert.evaluation_seconds}s",
                    alert_rule=_rule_name(alert.name),
                    # A metric exists for Google only once something was written: Kueue's and those of logs come later than the alert.
                    disable_metric_validation=True,
                ),
            )
        ],
        notification_channels=list(channels),
        alert_strategy=gcp.monitoring.AlertPolicyAlertStrategyArgs(auto_close=f"{alert.closes_after_seconds}s"),
        documentation=gcp.monitoring.AlertPolicyDocumentationArgs(
            subject=f"{environment}: {alert.title}",
            content=f"{alert.meaning}\n\nFires when: {alert.threshold}.\n\nWhat to do: {alert.runbook}",
            mime_type="text/markdown",
            links=[gcp.monitoring.AlertPolicyDocumentationLinkArgs(display_name="Runbook", url=alert.runbook)],
        ),
        user_labels={**labels, "alert": alert.name},
    )


def _rule_name(name: str) -> str:
    """A name that Prometheus takes for a rule."""
    return "".join(part.capitalize() for part in re.split(r"-+", name))
