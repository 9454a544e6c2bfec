"""Kueue and JobSet by their own charts.

Owns their namespaces and releases, and so their custom resource definitions. Leaves alone what a cluster already has: nothing is installed
where the configuration says so.
"""

from dataclasses import dataclass
from typing import Any

import pulumi

from components.kubernetes_object import declare
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model.queues import Charts as ChartVersions
from hybrid_pools.manifests.charts import Chart, chart_namespace, charts

_PATIENCE_SECONDS = 600
"""A first node may have to be made for the controllers."""


@dataclass(frozen=True)
class ChartsArgs:
    """Attributes:
    charts: Versions; None leaves the cluster's own alone.
    priority_class: Priority class of the controllers, so that nothing of training pushes them off their node.
    protected: Whether Pulumi refuses to take them away, and with them every queue.
    """

    charts: ChartVersions
    priority_class: str
    protected: bool


class Charts(pulumi.ComponentResource):
    """The controllers that queues need. Everything of Kueue waits for them, and is gone before they go: their chart has the definitions."""

    def __init__(self, name: str, args: ChartsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Charts"), name, {}, opts)
        for chart in charts(args.charts, args.priority_class):
            namespace = declare(name, [chart_namespace(chart)], self, opts, protected=args.protected)
            waits = pulumi.ResourceOptions(depends_on=namespace, protect=args.protected or None)
            own = pulumi.ResourceOptions.merge(child_options(self, opts), waits)
            pulumi.CustomResource("kubernetes:helm.sh/v3:Release", f"{name}-{chart.name}", _release(chart), own)
        self.register_outputs({})


def _release(chart: Chart) -> dict[str, Any]:
    return {
        "name": chart.name,
        "chart": chart.reference,
        "version": chart.version,
        "namespace": chart.namespace,
        "createNamespace": False,
        # A release that failed half way would be neither there nor absent for the next run.
        "atomic": True,
        "timeout": _PATIENCE_SECONDS,
        "values": chart.values,
    }
