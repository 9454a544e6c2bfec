"""The dashboard: what is on it, where, and with which queries."""

from collections.abc import Iterator, Sequence

from hybrid_pools.blueprint.configuration.monitoring import MonitoringConfiguration
from hybrid_pools.blueprint.derivation.monitoring import log_metrics as logs
from hybrid_pools.blueprint.derivation.monitoring.alerts import WRITES, Surroundings
from hybrid_pools.blueprint.derivation.monitoring.queries import DUTY_CYCLE, NODE, by_pool, log_metric, measured_gpus, of_pools
from hybrid_pools.blueprint.model.monitoring import Dashboard, Series, Tile
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.vocabulary import Role

NAME = "overview"
_COLUMNS = 48
_WIDTH, _HEIGHT = 24, 16
_JOBSETS = 'monitored_resource="k8s_entity", cluster_name="$cluster", entity_type="jobset"'
_QUOTAS = 'monitored_resource="consumer_quota", service="compute.googleapis.com"'


def dashboard(configuration: MonitoringConfiguration, around: Surroundings, region: str, quotas: Sequence[str]) -> Dashboard:
    """The one dashboard of an environment.

    Args:
        quotas: Names of the Compute Engine quotas that the pools count against.
    """
    charts = list(_charts(configuration, around, region, quotas))
    return Dashboard(NAME, f"Hybrid node pools: {around.environment}", _COLUMNS, tuple(_placed(charts)))


def _placed(charts: Sequence[Tile]) -> Iterator[Tile]:
    """Two charts a row, in reading order."""
    across = _COLUMNS // _WIDTH
    for index, chart in enumerate(charts):
        yield Tile(
            title=chart.title,
            x=index % across * _WIDTH,
            y=index // across * _HEIGHT,
            width=_WIDTH,
            height=_HEIGHT,
            series=chart.series,
            unit=chart.unit,
            bars=chart.bars,
            limit=chart.limit,
        )


def _chart(title: str, *series: Series, unit: str = "", bars: bool = False, limit: float | None = None) -> Tile:
    return Tile(title, 0, 0, _WIDTH, _HEIGHT, series, unit, bars, limit)


def _charts(configuration: MonitoringConfiguration, around: Surroundings, region: str, quotas: Sequence[str]) -> Iterator[Tile]:
    environment, pools, limits = around.environment, around.pools, configuration.thresholds
    yield _chart("Interruptions by pool and reason", _interruptions(), unit="1", bars=True)
    yield _chart("Share of runs interrupted within a day", _interrupted_runs(), unit="10^2.%")
    gpus = measured_gpus(pools)
    if gpus:
        duty = f'{DUTY_CYCLE}{{{of_pools(gpus)}, make!="cloud-tpu"}}'
        idle = by_pool(f"avg_over_time({duty}[{limits.idle_gpu_minutes}m])", gpus)
        yield _chart("Idle GPUs", Series(f"count by (pool) ({idle} < {limits.idle_gpu_percent})", "${metric.labels.pool}"), unit="1")
        yield _chart("GPU load by pool", Series(f"avg by (pool) ({by_pool(duty, gpus)})", "${metric.labels.pool}"), unit="%")
    load = f"kubernetes_io:node_cpu_allocatable_utilization{{{NODE}}}"
    yield _chart("CPU load by pool", Series(f"avg by (pool) ({by_pool(load, pools)})", "${metric.labels.pool}"), unit="10^2.%")
    yield _chart("Nodes by pool", Series(f"count by (pool) ({by_pool(_cores(pools), pools)})", "${metric.labels.pool}"), unit="1")
    yield _queue_wait(limits.queue_wait_minutes)
    yield _chart("Failures by cause", *_failures(environment), unit="1", bars=True)
    if around.has_checkpoints:
        yield _checkpoint_age(limits.checkpoint_age_minutes)
    yield _recovery(configuration)
    if around.buffer_excess is not None:
        yield _buffer(pools, around.buffer_excess)
    yield _chart(
        "Scale-ups that failed",
        *(
            Series(f'sum(increase({log_metric(environment, key)}{{monitored_resource="k8s_cluster"}}[${{__interval}}]))', legend)
            for key, legend in ((logs.STOCK_OUTS, "out of stock"), (logs.QUOTA_REFUSALS, "quota used up"))
        ),
        unit="1",
        bars=True,
    )
    if quotas:
        yield _quota_use(region, quotas)


def _interruptions() -> Series:
    count = 'kubernetes_io:node_pool_interruption_count{monitored_resource="k8s_node_pool", cluster_name="$cluster"}'
    return Series(
        f"sum by (node_pool_name, interruption_reason) (sum_over_time({count}[${{__interval}}]))",
        "${metric.labels.node_pool_name} ${metric.labels.interruption_reason}",
    )


def _interrupted_runs() -> Series:
    """Google writes the first metric at the start of an interruption and the second while a JobSet runs, for JobSets with one GPU job."""
    interrupted = f"sum by (entity_name) (sum_over_time(kubernetes_io:jobset_times_between_interruptions_count{{{_JOBSETS}}}[1d])) > 0"
    runs = f"count_over_time(kubernetes_io:jobset_uptime{{{_JOBSETS}}}[1d])"
    return Series(f"(count({interrupted}) or vector(0)) / count(sum by (entity_name) ({runs}))", "interrupted")


def _cores(pools: Sequence[Pool]) -> str:
    """One series a node, whatever its value."""
    return f"kubernetes_io:node_cpu_total_cores{{{of_pools(pools)}}}"


def _queue_wait(limit_minutes: int) -> Tile:
    bucket = 'kueue_admission_wait_time_seconds_bucket{cluster="$cluster"}[30m]'
    wait = f"histogram_quantile(0.95, sum by (le, cluster_queue) (rate({bucket}))) / 60"
    return _chart("Queue wait, 95th percentile", Series(wait, "${metric.labels.cluster_queue}"), unit="min", limit=float(limit_minutes))


def _failures(environment: str) -> Iterator[Series]:
    jobs = f'{log_metric(environment, logs.JOB_FAILURES)}{{monitored_resource="k8s_cluster"}}'
    yield Series(f"sum by (reason) (increase({jobs}[${{__interval}}]))", "Job: ${metric.labels.reason}")
    for key, resource, legend in (
        (logs.HOST_MEMORY_KILLS, "k8s_node", "out of memory: host"),
        (logs.GPU_MEMORY_ERRORS, "k8s_container", "out of memory: GPU"),
    ):
        yield Series(f'sum(increase({log_metric(environment, key)}{{monitored_resource="{resource}"}}[${{__interval}}]))', legend)


def _checkpoint_age(limit_minutes: int) -> Tile:
    """Age of the last write by anybody: the nearest that Google's own metrics come to the age of a checkpoint."""
    bucket = f'storage_googleapis_com:api_request_count{{monitored_resource="gcs_bucket", bucket_name="$checkpoints", {WRITES}}}'
    last = f"max_over_time(timestamp(sum(increase({bucket}[5m])) > 0)[1d:5m])"
    return _chart(
        "Age of the last write to the checkpoints", Series(f"(time() - {last}) / 60", "age"), unit="min", limit=float(limit_minutes)
    )


def _recovery(configuration: MonitoringConfiguration) -> Tile:
    recovered = f"sum by (le) (sum_over_time(kubernetes_io:jobset_times_to_recover_bucket{{{_JOBSETS}}}[1d]))"
    return _chart(
        "Recovery time of JobSets within a day",
        *(Series(f"histogram_quantile({share / 100}, {recovered}) / 60", f"{share} of 100") for share in (50, 95)),
        unit="min",
        limit=float(configuration.recovery.within_minutes) if configuration.recovery else None,
    )


def _buffer(pools: Sequence[Pool], excess: str) -> Tile:
    buffer = [pool for pool in pools if pool.role is Role.BUFFER]
    return _chart(
        "Buffer nodes against the calendar",
        Series(f"count by (pool) ({by_pool(_cores(buffer), buffer)})", "${metric.labels.pool}"),
        Series(f"sum({excess}) or vector(0)", "not allowed by the calendar"),
        unit="1",
    )


def _quota_use(region: str, quotas: Sequence[str]) -> Tile:
    names = "|".join(sorted(f"compute.googleapis.com/{name.lower()}" for name in quotas))
    matchers = f'{{{_QUOTAS}, location=~"{region}|global", quota_metric=~"{names}"}}'
    usage, limit = (
        f"max by (quota_metric, location) (serviceruntime_googleapis_com:quota_{part}{matchers})" for part in ("allocation_usage", "limit")
    )
    return _chart("Quota use", Series(f"{usage} / ({limit} > 0)", "${metric.labels.quota_metric}"), unit="10^2.%", limit=1.0)
