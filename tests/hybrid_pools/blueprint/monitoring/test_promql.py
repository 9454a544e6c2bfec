"""A query is judged by what it names, not by how it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.monitoring import KnownMetrics, Metric, known_metrics, query_faults

CORES = 'kubernetes_io:node_cpu_total_cores{monitored_resource="k8s_node"}'


def faults(query: str, known: KnownMetrics | None = None) -> list[str]:
    return list(query_faults(query, known or known_metrics()))


@pytest.mark.parametrize(
    "query",
    [
        CORES,
        '{"kubernetes.io/node/cpu/total_cores", monitored_resource="k8s_node"}',
        '{__name__="kubernetes.io/node/cpu/total_cores", monitored_resource="k8s_node"}',
        f"sum by (node_name) ({CORES})",
        f"sum(avg_over_time({CORES}[${{__interval}}]))",
        'histogram_quantile(0.95, sum by (le, cluster_queue) (rate(kueue_admission_wait_time_seconds_bucket{cluster="c"}[5m])))',
        f'count by (pool) (label_replace({CORES}, "pool", "$1", "node_name", "(.*)"))',
        "vector(1)",
    ],
)
def test_what_exists_is_accepted_in_every_spelling(query: str) -> None:
    assert faults(query) == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("sum(", "is not PromQL"),
        ("fetch k8s_node | every 1m", "is not PromQL"),
        ("kube_jobset_restarts[5m]", "gives no value at a time"),
        ('"text"', "gives no value at a time"),
        ("kube_jobset_restart", "did you mean kube_jobset_restarts?"),
        ("kubernetes_io:node_cpu_total_cores", 'without monitored_resource="k8s_node"'),
        ('kubernetes_io:node_cpu_total_cores{monitored_resource=~"k8s_node"}', 'without monitored_resource="k8s_node"'),
        ('kubernetes_io:node_cpu_total_cores{monitored_resource="k8s_pod"}', "is written for k8s_node"),
        ('kube_jobset_restarts{clustername="c"}', "asks for the label clustername"),
        (f"sum by (pool) ({CORES})", "groups by the label pool"),
        ("kueue_admission_wait_time_seconds", "is not known"),
    ],
)
def test_what_does_not_exist_is_named(query: str, words: str) -> None:
    (fault,) = faults(query)
    assert words in fault


def test_several_faults_are_told_at_once() -> None:
    assert len(faults('kube_nothing{a="b"} + kubernetes_io:node_cpu_total_cores{x="y"}')) == 3


@given(st.text(max_size=60))
def test_any_text_is_judged_without_a_failure(text: str) -> None:
    assert all(isinstance(fault, str) for fault in faults(text))


class TestNames:
    def test_follow_the_mapping_of_google(self) -> None:
        metric = Metric(
            type="logging.googleapis.com/user/prod-spot-preemptions",
            kind="DELTA",
            value_type="INT64",
            resources=("gce_instance",),
            labels=("pool",),
            unit="1",
            source="a test",
            as_of="2026-01-01",
        )
        assert metric.promql_name == "logging_googleapis_com:user_prod_spot_preemptions"
        known = known_metrics().with_metrics([metric])
        assert (
            faults(
                'sum by (pool) (increase(logging_googleapis_com:user_prod_spot_preemptions{monitored_resource="gce_instance"}[1h]))', known
            )
            == []
        )

    def test_of_managed_prometheus_are_those_of_prometheus(self) -> None:
        metric = known_metrics().by_name["kube_jobset_restarts"]
        assert (metric.is_prometheus, metric.type) == (True, "prometheus.googleapis.com/kube_jobset_restarts/gauge")

    def test_of_distributions_have_a_suffix_and_the_bucket_its_own_label(self) -> None:
        known = known_metrics()
        assert "kubernetes_io:jobset_times_to_recover" not in known.by_name
        assert "le" in known.labels("kubernetes_io:jobset_times_to_recover_bucket")
        assert "le" not in known.labels("kubernetes_io:jobset_times_to_recover_count")

    def test_are_found_by_type(self) -> None:
        known = known_metrics()
        assert known.by_type("kubernetes.io/jobset/uptime") is known.by_name["kubernetes_io:jobset_uptime"]
        assert known.by_type("kubernetes.io/nothing") is None


def test_every_metric_is_written_for_resources_whose_labels_are_known() -> None:
    known = known_metrics()
    assert [
        metric.type for metric in known.by_name.values() if not metric.resources or set(metric.resources) - set(known.resource_labels)
    ] == []
