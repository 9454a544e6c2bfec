"""What is known about metrics, and how queries are judged by it."""

from hybrid_pools.blueprint.monitoring.metrics import KnownMetrics, Metric, known_metrics
from hybrid_pools.blueprint.monitoring.promql import query_faults

__all__ = ["KnownMetrics", "Metric", "known_metrics", "query_faults"]
