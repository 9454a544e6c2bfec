"""What watches an environment.

Owns notification channels, log-based metrics, alerts, the dashboard, the objective for recovery and the budget. Leaves alone channels that
are only named, what Google's own dashboards show, and who may see any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.alert_policy import alert_policy
from components.budget import declare_budget
from components.dashboard_json import dashboard_json
from components.log_metric import declare_log_metric
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint import model
from hybrid_pools.blueprint.model.monitoring import CHECKPOINTS, CLUSTER, Channel, RecoveryObjective

_ADDRESS_LABELS = {"email": "email_address", "pubsub": "topic"}
"""Label that carries the address, by type of channel. Source: notification channel descriptors of the Cloud Monitoring API."""


@dataclass(frozen=True)
class MonitoringArgs:
    """What monitoring takes.

    Attributes:
        monitoring: The decided part.
        project: Project id.
        labels: Labels for what takes some.
        cluster: Physical name of the cluster.
        checkpoints: Physical name of the bucket for checkpoints, where there is one.
    """

    monitoring: model.Monitoring
    project: str
    labels: Mapping[str, str]
    cluster: pulumi.Input[str]
    checkpoints: pulumi.Input[str] | None


class Monitoring(pulumi.ComponentResource):
    """Channels, metrics, alerts, dashboard, objective and budget, in the order in which they need each other."""

    dashboards: dict[str, pulumi.Output[str]]
    """Identifier of each dashboard by its name."""

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Monitoring"), name, {}, opts)
        monitoring, child = args.monitoring, child_options(self, opts)
        names: pulumi.Output[dict[str, str]] = pulumi.Output.all(
            **{CLUSTER: args.cluster}, **({CHECKPOINTS: args.checkpoints} if args.checkpoints else {})
        )
        channels = {channel.name: self._channel(name, channel, args.labels, child) for channel in monitoring.channels}
        metrics: list[pulumi.Resource] = [declare_log_metric(name, metric, names, self, opts) for metric in monitoring.log_metrics]
        waiting = pulumi.ResourceOptions(parent=self, depends_on=metrics)
        for alert in monitoring.alerts:
            gcp.monitoring.AlertPolicy(
                f"{name}-alert-{alert.name}",
                alert_policy(alert, name, args.project, names, list(channels.values()), args.labels),
                opts=waiting,
            )
        dashboard = monitoring.dashboard
        board = gcp.monitoring.Dashboard(
            f"{name}-dashboard-{dashboard.name}",
            project=args.project,
            dashboard_json=names.apply(lambda known: dashboard_json(dashboard, known)),
            opts=waiting,
        )
        self.dashboards = {dashboard.name: board.id}
        if monitoring.recovery:
            self._objective(name, monitoring.recovery, args, names, waiting)
        if monitoring.budget:
            told = [channels[channel] for channel in monitoring.budget.channels]
            declare_budget(name, monitoring.budget, args.project, told, child)
        self.register_outputs({"dashboards": self.dashboards})

    def _channel(self, name: str, channel: Channel, labels: Mapping[str, str], child: pulumi.ResourceOptions) -> pulumi.Output[str]:
        if channel.kind == "existing":
            return pulumi.Output.from_input(channel.address)
        return gcp.monitoring.NotificationChannel(
            f"{name}-channel-{channel.name}",
            display_name=f"{name} {channel.name}",
            type=channel.kind,
            labels={_ADDRESS_LABELS[channel.kind]: channel.address},
            user_labels=dict(labels),
            opts=child,
        ).name

    def _objective(
        self,
        name: str,
        recovery: RecoveryObjective,
        args: MonitoringArgs,
        names: pulumi.Output[dict[str, str]],
        waiting: pulumi.ResourceOptions,
    ) -> None:
        service = gcp.monitoring.CustomService(
            f"{name}-training",
            project=args.project,
            service_id=f"{name}-training",
            display_name=f"Training in {name}",
            user_labels=dict(args.labels),
            opts=waiting,
        )
        gcp.monitoring.Slo(
            f"{name}-recovery",
            project=args.project,
            service=service.service_id,
            slo_id=f"{name}-recovery",
            display_name=recovery.title,
            goal=recovery.goal,
            rolling_period_days=recovery.period_days,
            request_based_sli=gcp.monitoring.SloRequestBasedSliArgs(
                distribution_cut=gcp.monitoring.SloRequestBasedSliDistributionCutArgs(
                    distribution_filter=names.apply(
                        lambda known: (
                            f'metric.type="{recovery.metric}" AND resource.type="k8s_container"'
                            f' AND resource.labels.cluster_name="{known[CLUSTER]}"'
                        )
                    ),
                    range=gcp.monitoring.SloRequestBasedSliDistributionCutRangeArgs(max=float(recovery.within_seconds)),
                )
            ),
            user_labels=dict(args.labels),
            opts=waiting,
        )
