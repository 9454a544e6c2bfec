"""What Cloud Monitoring, Logging and Billing refuse although it is well-formed."""

import json
from typing import Any

import grpc
import pytest

from tests.lab.google.conftest import PROJECT, Engine, WrongInputsError

ALERT = "gcp:monitoring/alertPolicy:AlertPolicy"
BUDGET = "gcp:billing/budget:Budget"
CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
DASHBOARD = "gcp:monitoring/dashboard:Dashboard"
METRIC = "gcp:logging/metric:Metric"
SERVICE = "gcp:monitoring/customService:CustomService"
SLO = "gcp:monitoring/slo:Slo"

MAIL: dict[str, Any] = {"displayName": "oncall", "type": "email", "labels": {"email_address": "oncall@acme.example"}}
METRIC_INPUTS: dict[str, Any] = {
    "name": "preemptions",
    "filter": "x",
    "metricDescriptor": {"metricKind": "DELTA", "valueType": "INT64", "labels": [{"key": "zone"}]},
    "labelExtractors": {"zone": "EXTRACT(resource.labels.zone)"},
}
TILE: dict[str, Any] = {
    "width": 24,
    "height": 16,
    "widget": {"xyChart": {"dataSets": [{"timeSeriesQuery": {"prometheusQuery": "vector(1)", "unitOverride": "1"}}]}},
}


def refusal(engine: Engine, type_: str, inputs: dict[str, Any]) -> str:
    with pytest.raises(grpc.RpcError) as error:
        engine.create(type_, "r", inputs)
    assert error.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    return str(error.value.details())


def alert(*, strategy: dict[str, Any] | None = None, channels: tuple[str, ...] = (), **condition: Any) -> dict[str, Any]:
    promql = {"query": "vector(1) > 0", "duration": "60s", "evaluationInterval": "30s"}
    return {
        "displayName": "idle GPUs",
        "combiner": "OR",
        "conditions": [{"displayName": "c", **(condition or {"conditionPrometheusQueryLanguage": promql})}],
        "notificationChannels": list(channels),
        **({"alertStrategy": strategy} if strategy else {}),
    }


def promql(**changes: Any) -> dict[str, Any]:
    return {"conditionPrometheusQueryLanguage": {"query": "vector(1) > 0", "duration": "60s"} | changes}


def board(**content: Any) -> dict[str, Any]:
    return {"dashboardJson": json.dumps({"displayName": "d", "mosaicLayout": {"columns": 48, "tiles": [TILE]}} | content)}


class TestAnAlert:
    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            (alert(**promql(query="sum(")), "is not valid PromQL"),
            (alert(**promql(evaluationInterval="45s")), "multiple of 30 seconds, got 45s"),
            (alert(**promql(evaluationInterval="0s")), "multiple of 30 seconds, got 0s"),
            (alert(conditionMonitoringQueryLanguage={"query": "fetch x", "duration": "60s"}), "no longer supported"),
            (alert(**promql(), conditionMatchedLog={"filter": "x"}), "exactly one kind of condition"),
            (alert(strategy={"autoClose": "60s"}), "auto_close must be between 1800s and 604800s"),
            (alert(strategy={"notificationRateLimit": {"period": "300s"}}), "for log-based conditions only"),
            (alert(channels=(f"projects/{PROJECT}/notificationChannels/nobody",)), "Not found: notification channel"),
            (alert(channels=tuple(f"projects/{PROJECT}/notificationChannels/{n}" for n in range(17))), "at most 16"),
        ],
    )
    def test_that_could_not_work_is_refused(self, engine: Engine, inputs: dict[str, Any], says: str) -> None:
        assert says in refusal(engine, ALERT, inputs)

    def test_takes_its_own_channel_and_one_that_was_made_by_hand(self, engine: Engine) -> None:
        channel = engine.create(CHANNEL, "c", MAIL)
        made = engine.create(ALERT, "a", alert(channels=(channel.id, f"projects/{PROJECT}/notificationChannels/1234")))
        assert made.id == f"projects/{PROJECT}/alertPolicies/idle GPUs"

    def test_with_a_misspelt_severity_is_found_before_any_call(self, engine: Engine) -> None:
        with pytest.raises(WrongInputsError, match="severity"):
            engine.create(ALERT, "a", {**alert(), "severity": "HIGH"})


class TestAChannel:
    def test_without_an_address_is_refused(self, engine: Engine) -> None:
        assert "needs the label email_address" in refusal(engine, CHANNEL, {**MAIL, "labels": {"number": "1"}})

    def test_that_an_alert_uses_cannot_go(self, engine: Engine) -> None:
        channel = engine.create(CHANNEL, "c", MAIL)
        used = engine.create(ALERT, "a", alert(channels=(channel.id,)))
        with pytest.raises(grpc.RpcError) as error:
            engine.delete(channel)
        assert "already being used" in str(error.value.details())
        engine.delete(used)
        engine.delete(channel)


class TestADashboard:
    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({"dashboardJson": "{no JSON"}, "invalid JSON"),
            ({"dashboardJson": "[]"}, "displayName must not be empty"),
            (board(displayName=""), "displayName must not be empty"),
            (board(gridLayout={}), "exactly one layout"),
            (board(mosaicLayout={"columns": 12, "tiles": [TILE]}), "does not fit the 12 columns"),
            (board(mosaicLayout={"columns": 48, "tiles": [TILE, {**TILE, "xPos": 23}]}), "tiles[0] and tiles[1] overlap"),
            (
                board(
                    mosaicLayout={
                        "columns": 48,
                        "tiles": [{**TILE, "widget": {"xyChart": {"dataSets": [{"timeSeriesQuery": {"unitOverride": "1"}}]}}}],
                    }
                ),
                "exactly one query",
            ),
        ],
    )
    def test_that_could_not_be_drawn_is_refused(self, engine: Engine, inputs: dict[str, Any], says: str) -> None:
        assert says in refusal(engine, DASHBOARD, inputs)

    def test_is_known_by_its_display_name_so_that_a_recovery_finds_it(self, engine: Engine) -> None:
        made = engine.create(DASHBOARD, "d", board())
        assert made.id == f"projects/{PROJECT}/dashboards/d"
        found = engine.read(DASHBOARD, "d", f"projects/{PROJECT}/dashboards/{made.inputs['dashboardJson']}")
        assert found is not None and found.id == made.id


class TestALogMetric:
    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"labelExtractors": {}}, "zone is on one side only"),
            ({"labelExtractors": {"zone": "x", "pool": "y"}}, "pool is on one side only"),
            ({"valueExtractor": "EXTRACT(jsonPayload.seconds)"}, "exactly when the metric's value type is DISTRIBUTION"),
            ({"bucketOptions": {"explicitBuckets": {"bounds": [1, 2]}}}, "for metrics of value type DISTRIBUTION only"),
            (
                {
                    "metricDescriptor": {"metricKind": "DELTA", "valueType": "DISTRIBUTION", "labels": [{"key": "zone"}]},
                    "valueExtractor": "x",
                    "bucketOptions": {"explicitBuckets": {"bounds": [1, 1]}},
                },
                "must rise",
            ),
        ],
    )
    def test_that_contradicts_itself_is_refused(self, engine: Engine, changes: dict[str, Any], says: str) -> None:
        assert says in refusal(engine, METRIC, METRIC_INPUTS | changes)

    def test_with_other_labels_replaces_the_old_one_first(self, engine: Engine) -> None:
        made = engine.create(METRIC, "m", METRIC_INPUTS)
        other = METRIC_INPUTS | {
            "metricDescriptor": {"metricKind": "DELTA", "valueType": "INT64", "labels": [{"key": "pool"}]},
            "labelExtractors": {"pool": "x"},
        }
        difference = engine.diff(made, other)
        assert difference.replaces
        assert difference.deletes_first


class TestAnObjective:
    def inputs(self, metric: str = "logging.googleapis.com/user/recoveries", **changes: Any) -> dict[str, Any]:
        cut = {"distributionFilter": f'metric.type="{metric}" AND resource.type="k8s_container"', "range": {"max": 900}}
        return {
            "service": "training",
            "sloId": "recovery",
            "goal": 0.95,
            "rollingPeriodDays": 28,
            "requestBasedSli": {"distributionCut": cut},
        } | changes

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"goal": 1.0}, "at most 0.9999"),
            ({"goal": 0}, "greater than 0"),
            ({"service": "nothing"}, "Not found"),
            ({"metric": "kubernetes.io/jobset/times_to_recover"}, "is GAUGE and DISTRIBUTION"),
        ],
    )
    def test_that_cannot_be_judged_is_refused(self, engine: Engine, changes: dict[str, Any], says: str) -> None:
        engine.create(SERVICE, "s", {"serviceId": "training"})
        assert says in refusal(engine, SLO, self.inputs(**changes))

    def test_over_two_periods_is_found_before_any_call(self, engine: Engine) -> None:
        with pytest.raises(WrongInputsError, match="exactly one of calendarPeriod, rollingPeriodDays"):
            engine.create(SLO, "o", self.inputs(calendarPeriod="MONTH"))

    def test_goes_before_its_service(self, engine: Engine) -> None:
        service = engine.create(SERVICE, "s", {"serviceId": "training"})
        engine.create(SLO, "o", self.inputs())
        with pytest.raises(grpc.RpcError) as error:
            engine.delete(service)
        assert "already being used" in str(error.value.details())


class TestABudget:
    def inputs(self, *channels: str) -> dict[str, Any]:
        return {
            "billingAccount": "0A1B2C-3D4E5F-678901",
            "displayName": "b",
            "amount": {"specifiedAmount": {"units": "100"}},
            "thresholdRules": [{"thresholdPercent": 1}],
            "allUpdatesRule": {"monitoringNotificationChannels": list(channels)},
        }

    def test_takes_channels_for_mail_that_exist_and_no_more_than_five(self, engine: Engine) -> None:
        mail = engine.create(CHANNEL, "c", MAIL)
        topic = engine.create(CHANNEL, "t", {"displayName": "t", "type": "pubsub", "labels": {"topic": "projects/p/topics/t"}})
        assert "type email only" in refusal(engine, BUDGET, self.inputs(mail.id, topic.id))
        assert "Not found" in refusal(engine, BUDGET, self.inputs(f"projects/{PROJECT}/notificationChannels/nobody"))
        assert "at most 5" in refusal(engine, BUDGET, self.inputs(*[mail.id] * 6))
        assert "needs a Pub/Sub topic or notification channels" in refusal(engine, BUDGET, self.inputs())
        assert engine.create(BUDGET, "b", self.inputs(mail.id)).id == "billingAccounts/0A1B2C-3D4E5F-678901/budgets/b"

    def test_of_a_project_by_its_id_is_found_before_any_call(self, engine: Engine) -> None:
        with pytest.raises(WrongInputsError, match="projects"):
            engine.create(BUDGET, "b", {**self.inputs(), "budgetFilter": {"projects": ["projects/acme"]}})
