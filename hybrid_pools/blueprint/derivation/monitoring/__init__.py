"""What watches an environment, derived from its pools and from what the configuration says of people and limits."""

from collections.abc import Sequence

from hybrid_pools.blueprint.configuration import EnvironmentConfiguration, StackConfiguration
from hybrid_pools.blueprint.configuration.monitoring import Channel as ChannelConfiguration
from hybrid_pools.blueprint.configuration.monitoring import MonitoringConfiguration
from hybrid_pools.blueprint.derivation.monitoring.alerts import Surroundings, alerts
from hybrid_pools.blueprint.derivation.monitoring.dashboard import dashboard
from hybrid_pools.blueprint.derivation.monitoring.excess import buffer_excess
from hybrid_pools.blueprint.derivation.monitoring.log_metrics import RECOVERIES, as_known, log_metrics
from hybrid_pools.blueprint.model.monitoring import BUDGET, Budget, Channel, LogMetric, Monitoring, RecoveryObjective
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.model.quotas import QuotaNeed

__all__ = ["as_known", "derive_monitoring", "monitoring_apis"]

BUDGET_CHANNELS = 5
"""Channels that a budget takes at most; only e-mail. Source: Budget API, NotificationsRule."""

_ACTUAL_SHARES, _FORECAST_SHARES = (0.5, 0.8, 1.0), (1.0,)


def derive_monitoring(whole: StackConfiguration, pools: Sequence[Pool], quotas: Sequence[QuotaNeed]) -> Monitoring | None:
    """Decide everything about monitoring; None where the configuration has none.

    Args:
        whole: The whole configuration.
        pools: The decided pools.
        quotas: What the pools count against Google's quotas.
    """
    if whole.monitoring is None:
        return None
    configuration, environment = whole.monitoring, whole.environment
    around = Surroundings(
        environment=environment.name,
        pools=pools,
        has_checkpoints=whole.buckets is not None,
        buffer_excess=buffer_excess(whole.schedule, pools) if whole.schedule else None,
    )
    recovery = configuration.recovery
    channels = tuple(_channel(name, channel) for name, channel in sorted(configuration.channels.items()))
    metrics = log_metrics(
        environment.name,
        around.pools,
        scheduled=around.buffer_excess is not None,
        recovery_seconds=recovery.within_minutes * 60 if recovery else None,
    )
    return Monitoring(
        channels=channels,
        log_metrics=metrics,
        alerts=alerts(configuration, around),
        dashboard=dashboard(configuration, around, environment.region, [need.name for need in quotas if need.name]),
        recovery=_recovery(configuration, metrics),
        budget=_budget(configuration, environment, channels),
    )


def monitoring_apis(configuration: MonitoringConfiguration | None) -> tuple[str, ...]:
    """Google APIs beyond the usual ones that monitoring needs."""
    return ("billingbudgets.googleapis.com", "cloudresourcemanager.googleapis.com") if configuration and configuration.budget else ()


def _channel(name: str, channel: ChannelConfiguration) -> Channel:
    if channel.email is not None:
        return Channel(name, "email", channel.email)
    if channel.topic is not None:
        return Channel(name, "pubsub", channel.topic)
    assert channel.existing is not None  # noqa: S101 — the model requires exactly one
    return Channel(name, "existing", channel.existing)


def _recovery(configuration: MonitoringConfiguration, metrics: Sequence[LogMetric]) -> RecoveryObjective | None:
    wanted = configuration.recovery
    if wanted is None:
        return None
    (metric,) = [metric for metric in metrics if metric.key == RECOVERIES]
    return RecoveryObjective(
        title=f"Interrupted runs train again within {wanted.within_minutes} minutes",
        goal=wanted.goal,
        within_seconds=wanted.within_minutes * 60,
        period_days=wanted.period_days,
        metric=metric.type,
    )


def _budget(configuration: MonitoringConfiguration, environment: EnvironmentConfiguration, channels: Sequence[Channel]) -> Budget | None:
    wanted = configuration.budget
    if wanted is None:
        return None
    return Budget(
        title=f"Hybrid node pools: {environment.name}",
        billing_account=wanted.billing_account,
        amount=wanted.monthly_amount,
        currency=wanted.currency_code,
        actual_shares=_ACTUAL_SHARES,
        forecast_shares=_FORECAST_SHARES,
        channels=tuple(channel.name for channel in channels if channel.kind == "email")[:BUDGET_CHANNELS],
        runbook=f"{configuration.runbooks}/{BUDGET}.md",
    )
