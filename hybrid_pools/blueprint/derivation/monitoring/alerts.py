"""The built-in alerts, and those that the configuration adds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.configuration.monitoring import ExtraAlert, MonitoringConfiguration, Severity, Thresholds
from hybrid_pools.blueprint.derivation.monitoring import log_metrics as logs
from hybrid_pools.blueprint.derivation.monitoring.queries import (
    DUTY_CYCLE,
    NODE,
    by_pool,
    log_metric,
    measured_gpus,
    of_pools,
)
from hybrid_pools.blueprint.model.monitoring import Alert
from hybrid_pools.blueprint.model.pools import Pool

_EVALUATION_SECONDS = 60
_CLOSES_AFTER_SECONDS = 3600
WRITES = 'method=~"WriteObject|ComposeObject|RewriteObject", response_code="OK"'
"""Requests that put an object into a bucket: uploads, parallel composite uploads and copies."""


@dataclass(frozen=True)
class Surroundings:
    """What an environment has, as far as alerts and dashboard depend on it.

    Attributes:
        environment: Its name.
        pools: Its pools.
        has_checkpoints: Whether there is a bucket for checkpoints.
        buffer_excess: PromQL that answers with the buffer nodes that the calendar does not allow; None without a calendar.
    """

    environment: str
    pools: Sequence[Pool]
    has_checkpoints: bool
    buffer_excess: str | None


def alerts(configuration: MonitoringConfiguration, around: Surroundings) -> tuple[Alert, ...]:
    """All alerts of an environment, by name."""
    made = [*_built_in(configuration, around), *(_extra(name, alert) for name, alert in configuration.extra_alerts.items())]
    return tuple(sorted(made, key=lambda alert: alert.name))


def _built_in(configuration: MonitoringConfiguration, around: Surroundings) -> Iterator[Alert]:
    limits, runbooks = configuration.thresholds, configuration.runbooks
    if any(pool.capacity is CapacityKind.SPOT for pool in around.pools):
        yield _spot_storm(limits, around, runbooks)
    if measured_gpus(around.pools):
        yield _idle_gpu(limits, around, runbooks)
        if around.has_checkpoints:
            yield _checkpoint_too_old(limits, around, runbooks)
    yield _queue_wait(limits, runbooks)
    yield _training_failures(limits, around, runbooks)
    yield from _autoscaler(around, runbooks)
    yield _node_not_ready(limits, around, runbooks)
    if around.buffer_excess is not None:
        yield from _schedule(around.environment, around.buffer_excess, runbooks)


def _alert(
    name: str,
    title: str,
    severity: Severity,
    query: str,
    threshold: str,
    meaning: str,
    runbooks: str,
    hold_minutes: int = 0,
) -> Alert:
    return Alert(
        name=name,
        title=title,
        severity=severity,
        query=query,
        threshold=threshold,
        meaning=meaning,
        hold_seconds=hold_minutes * 60,
        evaluation_seconds=_EVALUATION_SECONDS,
        closes_after_seconds=_CLOSES_AFTER_SECONDS,
        runbook=f"{runbooks}/{name}.md",
    )


def _spot_storm(limits: Thresholds, around: Surroundings, runbooks: str) -> Alert:
    metric = log_metric(around.environment, logs.SPOT_PREEMPTIONS)
    return _alert(
        "spot-storm",
        "Google takes back many Spot VMs of one pool",
        Severity.WARNING,
        f'sum by (pool) (increase({metric}{{monitored_resource="gce_instance"}}[1h])) > {limits.spot_interruptions_per_hour}',
        f"more than {limits.spot_interruptions_per_hour} an hour in one pool",
        "Runs on this pool lose more time to restarts than they gain by the price.",
        runbooks,
    )


def _idle_gpu(limits: Thresholds, around: Surroundings, runbooks: str) -> Alert:
    pools = measured_gpus(around.pools)
    mean = f'avg_over_time({DUTY_CYCLE}{{{of_pools(pools)}, make!="cloud-tpu"}}[{limits.idle_gpu_minutes}m])'
    return _alert(
        "idle-gpu",
        "GPUs are paid for and do nothing",
        Severity.WARNING,
        f"count by (pool) ({by_pool(mean, pools)} < {limits.idle_gpu_percent}) > 0",
        f"duty cycle below {limits.idle_gpu_percent} % on average over {limits.idle_gpu_minutes} minutes",
        "The value is the number of such GPUs in the pool. Pools scaled to zero have no GPUs and are not meant.",
        runbooks,
        hold_minutes=5,
    )


def _checkpoint_too_old(limits: Thresholds, around: Surroundings, runbooks: str) -> Alert:
    minutes = limits.checkpoint_age_minutes
    bucket = f'storage_googleapis_com:api_request_count{{monitored_resource="gcs_bucket", bucket_name="$checkpoints", {WRITES}}}'
    duty = f'{DUTY_CYCLE}{{{of_pools(measured_gpus(around.pools))}, make!="cloud-tpu"}}'
    return _alert(
        "checkpoint-too-old",
        "GPUs work, but nobody saves a checkpoint",
        Severity.ERROR,
        f"(sum(increase({bucket}[{minutes}m])) or vector(0)) == 0"
        f" and on () count(avg_over_time({duty}[{minutes}m]) >= {limits.idle_gpu_percent}) > 0",
        f"no object written to the bucket for checkpoints in {minutes} minutes",
        "An interruption now would cost all work since the last checkpoint. It looks at the bucket as a whole: a team that goes on "
        "saving hides another that does not.",
        runbooks,
    )


def _queue_wait(limits: Thresholds, runbooks: str) -> Alert:
    minutes = limits.queue_wait_minutes
    waited = 'kueue_admission_wait_time_seconds_{part}{{cluster="$cluster"}}[{minutes}m]'
    bucket, count = (waited.format(part=part, minutes=minutes) for part in ("bucket", "count"))
    pending = f'kueue_pending_workloads{{cluster="$cluster", status="active"}}[{minutes}m]'
    return _alert(
        "queue-wait",
        "Workloads wait too long in a queue",
        Severity.WARNING,
        f"histogram_quantile(0.95, sum by (le, cluster_queue) (rate({bucket}))) > {minutes * 60}"
        f" or (sum by (cluster_queue) (min_over_time({pending})) > 0"
        f" unless on (cluster_queue) sum by (cluster_queue) (increase({count})) > 0)",
        f"5 of 100 wait longer than {minutes} minutes, or some wait so long and none was admitted",
        "The queue's quota, the pools' limits or Google's stock do not keep up with what is asked for.",
        runbooks,
        hold_minutes=10,
    )


def _training_failures(limits: Thresholds, around: Surroundings, runbooks: str) -> Alert:
    metric = log_metric(around.environment, logs.JOB_FAILURES)
    return _alert(
        "training-failures",
        "Jobs of a team fail for good",
        Severity.WARNING,
        f'sum by (namespace) (increase({metric}{{monitored_resource="k8s_cluster"}}[1h])) > {limits.failed_jobs_per_hour}',
        f"more than {limits.failed_jobs_per_hour} an hour in one namespace",
        "Interruptions do not count as failures, so something else ends these Jobs. The dashboard shows causes, out of memory apart.",
        runbooks,
    )


def _autoscaler(around: Surroundings, runbooks: str) -> Iterator[Alert]:
    for name, key, title, threshold, meaning in (
        (
            "stock-out",
            logs.STOCK_OUTS,
            "Google has no machines for a pool",
            "a scale-up failed in the last 30 minutes",
            "Pods wait for nodes that Google cannot deliver in the pool's zones right now.",
        ),
        (
            "quota-exceeded",
            logs.QUOTA_REFUSALS,
            "A quota holds a pool back",
            "a scale-up failed in the last 30 minutes",
            "Pods wait for nodes that the project's quota does not allow. Waiting does not help; asking for quota does.",
        ),
    ):
        metric = log_metric(around.environment, key)
        yield _alert(
            name,
            title,
            Severity.WARNING if name == "stock-out" else Severity.ERROR,
            f'sum(increase({metric}{{monitored_resource="k8s_cluster"}}[30m])) > 0',
            threshold,
            meaning,
            runbooks,
        )


def _node_not_ready(limits: Thresholds, around: Surroundings, runbooks: str) -> Alert:
    minutes = limits.node_not_ready_minutes
    condition = f'kubernetes_io:node_status_condition{{{NODE}, condition="Ready", status!="True"}}'
    return _alert(
        "node-not-ready",
        "A node is there but not ready",
        Severity.ERROR,
        f"count by (pool) ({by_pool(f'min_over_time({condition}[{minutes}m])', around.pools)} == 1) > 0",
        f"not ready for {minutes} minutes",
        "The value is the number of such nodes in the pool. They cost money and run nothing.",
        runbooks,
    )


def _schedule(environment: str, excess: str, runbooks: str) -> Iterator[Alert]:
    yield _alert(
        "buffer-outside-window",
        "Buffer nodes do what their calendar does not allow",
        Severity.ERROR,
        f"{excess} > 0",
        "outside the windows, more nodes than the services' maximum or nodes that still train",
        "Training still holds nodes that services need now, or nobody gave them back. The value is the number of such nodes.",
        runbooks,
        hold_minutes=30,
    )
    metric = log_metric(environment, logs.SCHEDULER_FAILURES)
    yield _alert(
        "scheduler-call-failed",
        "A scheduled call that switches the buffer failed",
        Severity.CRITICAL,
        f'sum by (job_id) (increase({metric}{{monitored_resource="cloud_scheduler_job"}}[15m])) > 0',
        "an attempt ended with an error in the last 15 minutes",
        "Cloud Scheduler tries again by itself. If the last attempt fails too, the buffer stays in the wrong profile.",
        runbooks,
    )


def _extra(name: str, alert: ExtraAlert) -> Alert:
    return Alert(
        name=name,
        title=name.replace("-", " ").capitalize(),
        severity=alert.severity,
        query=alert.query,
        threshold=f"as the query says, for {alert.for_minutes} minutes",
        meaning="An alert of this environment's own configuration.",
        hold_seconds=alert.for_minutes * 60,
        evaluation_seconds=_EVALUATION_SECONDS,
        closes_after_seconds=_CLOSES_AFTER_SECONDS,
        runbook=alert.runbook,
    )
