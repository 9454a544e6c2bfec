"""A log-based metric."""

from __future__ import annotations

import pulumi
import pulumi_gcp as gcp

from components.options import child_options
from hybrid_pools.blueprint.model.monitoring import LogMetric, filled


def declare_log_metric(
    name: str,
    metric: LogMetric,
    names: pulumi.Output[dict[str, str]],
    component: pulumi.Resource,
    opts: pulumi.ResourceOptions | None,
) -> gcp.logging.Metric:
    """Declare the metric under a component.

    Args:
        name: The component's name.
        names: Physical names for the filter, as `filled` takes them.
        opts: The component's options.
    """
    value = metric.value
    return gcp.logging.Metric(
        f"{name}-metric-{metric.key}",
        name=metric.name,
        description=metric.description,
        filter=names.apply(lambda known: filled(metric.filter, known)),
        metric_descriptor=gcp.logging.MetricMetricDescriptorArgs(
            display_name=metric.description,
            metric_kind="DELTA",
            value_type="DISTRIBUTION" if value else "INT64",
            unit=value.unit if value else "1",
            labels=[
                gcp.logging.MetricMetricDescriptorLabelArgs(key=label.key, description=label.description, value_type="STRING")
                for label in metric.labels
            ]
            or None,
        ),
        label_extractors={label.key: label.extractor for label in metric.labels} or None,
        value_extractor=value.extractor if value else None,
        bucket_options=gcp.logging.MetricBucketOptionsArgs(
            explicit_buckets=gcp.logging.MetricBucketOptionsExplicitBucketsArgs(bounds=list(value.bounds))
        )
        if value
        else None,
        # Other labels make another metric, of the same name: the old one must go first.
        opts=child_options(component, opts, delete_before_replace=True),
    )
