"""Resources and cases of the rules on monitoring."""

from tests.policies.cases import PASSES, VIOLATES, Case, Expected, Kind, more, six
from tests.policies.given import ABSENT, UNKNOWN, Given

PROMQL = {"conditionPrometheusQueryLanguage": {"query": "up > 0", "duration": "60s", "evaluationInterval": "60s"}}
OLD = {"conditionMonitoringQueryLanguage": {"query": "fetch k8s_node", "duration": "60s"}}
ALERT = Given(
    "gcp:monitoring/alertPolicy:AlertPolicy",
    {
        "displayName": "prod: idle GPUs",
        "combiner": "OR",
        "conditions": [PROMQL],
        "notificationChannels": ["projects/acme/notificationChannels/1"],
        "documentation": {"content": "what to do", "links": [{"displayName": "Runbook", "url": "https://acme.example/idle-gpu.md"}]},
    },
    name="alert",
)
DASHBOARD = Given("gcp:monitoring/dashboard:Dashboard", {"dashboardJson": '{"displayName": "prod", "gridLayout": {}}'}, name="dashboard")
LOG_METRIC = Given(
    "gcp:logging/metric:Metric",
    {
        "name": "prod-preemptions",
        "filter": "x",
        "metricDescriptor": {"metricKind": "DELTA", "valueType": "INT64", "labels": [{"key": "zone"}]},
        "labelExtractors": {"zone": "EXTRACT(resource.labels.zone)"},
    },
    name="metric",
)
BUDGET = Given(
    "gcp:billing/budget:Budget",
    {"billingAccount": "0A1B2C-3D4E5F-678901", "thresholdRules": [{"thresholdPercent": 0.5}]},
    name="budget",
)
COMPLIANT = (ALERT, DASHBOARD, LOG_METRIC, BUDGET)


def interval(value: object) -> list[object]:
    condition = dict(PROMQL["conditionPrometheusQueryLanguage"], evaluationInterval=value)
    if value is ABSENT:
        del condition["evaluationInterval"]
    return [{"conditionPrometheusQueryLanguage": condition}]


CASES: list[Case] = [
    *six("MONITOR-001", ALERT, "notificationChannels", violating=[], absent=VIOLATES),
    more("MONITOR-001", "a channel that is not made yet", ALERT.but({"notificationChannels": [UNKNOWN]}), PASSES),
    *six("MONITOR-002", ALERT, "documentation.links", violating=[], absent=VIOLATES),
    more("MONITOR-002", "a link without an address", ALERT.but({"documentation.links": [{"displayName": "Runbook", "url": ""}]}), VIOLATES),
    more("MONITOR-002", "an address that is not known yet", ALERT.but({"documentation.links": [{"url": UNKNOWN}]}), Expected.WAITS),
    *six("MONITOR-003", ALERT, "conditions", violating=[PROMQL, OLD], absent=PASSES),
    more("MONITOR-003", "one condition of two not known", ALERT.but({"conditions": [UNKNOWN, OLD]}), Expected.VIOLATES_AND_WAITS),
    *six("MONITOR-004", ALERT, "conditions", violating=interval("45s"), absent=PASSES),
    more("MONITOR-004", "no interval", ALERT.but({"conditions": interval(ABSENT)}), PASSES),
    more("MONITOR-004", "zero", ALERT.but({"conditions": interval("0s")}), VIOLATES),
    more("MONITOR-004", "in minutes", ALERT.but({"conditions": interval("1m")}), VIOLATES),
    more("MONITOR-004", "an interval that is not known yet", ALERT.but({"conditions": interval(UNKNOWN)}), Expected.WAITS),
    *six("MONITOR-005", LOG_METRIC, "labelExtractors", violating={"zone": "x", "pool": "y"}, absent=VIOLATES),
    more("MONITOR-005", "labels that are not extracted", LOG_METRIC.but({"labelExtractors": {}}), VIOLATES),
    more("MONITOR-005", "an extractor whose text is not known yet", LOG_METRIC.but({"labelExtractors": {"zone": UNKNOWN}}), PASSES),
    more("MONITOR-005", "neither labels nor extractors", LOG_METRIC.but({"labelExtractors": ABSENT, "metricDescriptor": ABSENT}), PASSES),
    *six("MONITOR-006", BUDGET, "thresholdRules", violating=[], absent=VIOLATES),
    Case("MONITOR-007", Kind.COMPLIANT, (DASHBOARD,), PASSES),
    Case("MONITOR-007", Kind.VIOLATING, (DASHBOARD.but({"dashboardJson": '{"timeSeriesQueryLanguage": "fetch"}'}),), VIOLATES),
    Case("MONITOR-007", Kind.ABSENT, (DASHBOARD.but({"dashboardJson": ABSENT}),), PASSES),
    Case("MONITOR-007", Kind.NULL, (DASHBOARD.but({"dashboardJson": None}),), PASSES),
    Case("MONITOR-007", Kind.UNKNOWN, (DASHBOARD.but({"dashboardJson": UNKNOWN}),), Expected.WAITS),
    Case("MONITOR-007", Kind.WRONG_TYPE, (DASHBOARD.but({"dashboardJson": 7}),), Expected.NOT_UNDERSTOOD),
]
