"""Log-based metrics: what only the logs tell, counted.

Sources: names of logs and of autoscaler messages: "Viewing cluster autoscaler events" of the GKE documentation; audit entries of preempted
VMs: "Spot VMs" of the Compute Engine documentation; attempts of jobs: "View logs" of the Cloud Scheduler documentation; resources of
events: GoogleCloudPlatform/k8s-stackdriver, event-exporter.
"""

from collections.abc import Sequence

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.derivation.monitoring.queries import pool_of_node
from hybrid_pools.blueprint.model.monitoring import LogLabel, LogMetric, LogValue
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.monitoring import Metric
from hybrid_pools.blueprint.vocabulary import EVENT_FIELD, RECOVERED_EVENT, RECOVERY_SECONDS_FIELD

SPOT_PREEMPTIONS = "spot-preemptions"
STOCK_OUTS = "stock-outs"
QUOTA_REFUSALS = "quota-refusals"
SCHEDULER_FAILURES = "scheduler-failures"
JOB_FAILURES = "job-failures"
HOST_MEMORY_KILLS = "host-memory-kills"
GPU_MEMORY_ERRORS = "gpu-memory-errors"
RECOVERIES = "recoveries"

_AUTOSCALER = 'log_id("container.googleapis.com/cluster-autoscaler-visibility") AND resource.labels.cluster_name="$cluster"'
_AUTOSCALER_ERROR = "jsonPayload.resultInfo.results.errorMsg.messageId"
_IN_CLUSTER = 'resource.labels.cluster_name="$cluster"'
_RECOVERY_BOUNDS = (15.0, 30.0, 60.0, 120.0, 180.0, 300.0, 450.0, 600.0, 900.0, 1200.0, 1800.0, 2700.0, 3600.0, 7200.0, 14400.0, 86400.0)


def log_metrics(environment: str, pools: Sequence[Pool], *, scheduled: bool, recovery_seconds: int | None) -> tuple[LogMetric, ...]:
    """The log-based metrics of an environment.

    Args:
        environment: Its name, the first part of every metric's name, because metrics belong to the project.
        scheduled: Whether a schedule changes buffer pools.
        recovery_seconds: The limit of the recovery objective, which must be a bound of the distribution; None where there is none.
    """
    spot = [pool for pool in pools if pool.capacity is CapacityKind.SPOT]
    made = [
        *([_spot_preemptions(environment, spot)] if spot else []),
        _counted(
            environment,
            STOCK_OUTS,
            "Scale-ups that failed because Google had no such machines",
            "k8s_cluster",
            f'{_AUTOSCALER} AND {_AUTOSCALER_ERROR}="scale.up.error.out.of.resources"',
        ),
        _counted(
            environment,
            QUOTA_REFUSALS,
            "Scale-ups that failed because a quota was used up",
            "k8s_cluster",
            f'{_AUTOSCALER} AND {_AUTOSCALER_ERROR}="scale.up.error.quota.exceeded"',
        ),
        _counted(
            environment,
            JOB_FAILURES,
            "Jobs that failed for good, by namespace and reason",
            "k8s_cluster",
            f'log_id("events") AND {_IN_CLUSTER} AND jsonPayload.involvedObject.kind="Job"'
            ' AND jsonPayload.reason=("BackoffLimitExceeded" OR "DeadlineExceeded" OR "PodFailurePolicy" OR "FailedIndexes")',
            LogLabel("namespace", "Namespace of the Job", "EXTRACT(jsonPayload.involvedObject.namespace)"),
            LogLabel("reason", "Why the Job controller gave up", "EXTRACT(jsonPayload.reason)"),
        ),
        _counted(
            environment,
            HOST_MEMORY_KILLS,
            "Processes that the kernel ended because a container or node was out of memory",
            "k8s_node",
            f'log_id("events") AND {_IN_CLUSTER} AND jsonPayload.reason="OOMKilling"',
        ),
        _counted(
            environment,
            GPU_MEMORY_ERRORS,
            "Lines in which a training process says that a GPU is out of memory",
            "k8s_container",
            f'{_IN_CLUSTER} AND resource.labels.namespace_name=~"^team-" AND textPayload=~"CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY"',
        ),
    ]
    if scheduled:
        made.append(
            _counted(
                environment,
                SCHEDULER_FAILURES,
                "Scheduled calls that failed, by the error that ended the attempt",
                "cloud_scheduler_job",
                f'log_id("cloudscheduler.googleapis.com/executions") AND resource.labels.job_id=~"^{environment}-" AND severity>=ERROR'
                ' AND jsonPayload."@type"="type.googleapis.com/google.cloud.scheduler.logging.AttemptFinished"',
                LogLabel("status", "Status of the attempt, in the spelling of gRPC", "EXTRACT(jsonPayload.status)"),
            )
        )
    if recovery_seconds is not None:
        made.append(_recoveries(environment, recovery_seconds))
    return tuple(sorted(made, key=lambda metric: metric.key))


def as_known(metrics: Sequence[LogMetric]) -> tuple[Metric, ...]:
    """The same metrics as queries see them."""
    return tuple(
        Metric(
            type=metric.type,
            kind="DELTA",
            value_type="DISTRIBUTION" if metric.value else "INT64",
            resources=(metric.resource,),
            labels=tuple(label.key for label in metric.labels),
            unit=metric.value.unit if metric.value else "1",
            source="hybrid_pools/blueprint/derivation/monitoring/log_metrics.py",
            as_of="2026-11-29",
        )
        for metric in metrics
    )


def _counted(environment: str, key: str, description: str, resource: str, entries: str, *labels: LogLabel) -> LogMetric:
    return LogMetric(key, f"{environment}-{key}", description, resource, f'resource.type="{resource}" AND {entries}', labels)


def _spot_preemptions(environment: str, spot: Sequence[Pool]) -> LogMetric:
    """System-event audit logs are always on. The instance's name carries the pool's, cut like a node's."""
    return _counted(
        environment,
        SPOT_PREEMPTIONS,
        "Spot VMs of node pools that Google took back, by pool and zone",
        "gce_instance",
        'log_id("cloudaudit.googleapis.com/system_event") AND protoPayload.methodName="compute.instances.preempted"'
        ' AND protoPayload.resourceName=~"/instances/gke-"',
        LogLabel("pool", "Pool, as far as the VM's name tells it", f'REGEXP_EXTRACT(protoPayload.resourceName, "/{pool_of_node(spot)}")'),
        LogLabel("zone", "Zone of the VM", "EXTRACT(resource.labels.zone)"),
    )


def _recoveries(environment: str, limit: int) -> LogMetric:
    bounds = tuple(sorted({*_RECOVERY_BOUNDS, float(limit)}))
    return LogMetric(
        RECOVERIES,
        f"{environment}-{RECOVERIES}",
        "Seconds from the end of a run's old process to its first step after the restored checkpoint",
        "k8s_container",
        f'resource.type="k8s_container" AND {_IN_CLUSTER} AND jsonPayload.{EVENT_FIELD}="{RECOVERED_EVENT}"',
        (LogLabel("namespace", "Namespace of the run", "EXTRACT(resource.labels.namespace_name)"),),
        LogValue(f"EXTRACT(jsonPayload.{RECOVERY_SECONDS_FIELD})", "s", bounds),
    )
