"""What watches an environment asks only for what exists, reaches someone, and follows from what the environment has."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.calendar import calendar_of, profile_at
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.derivation.monitoring import as_known, derive_monitoring
from hybrid_pools.blueprint.derivation.monitoring.excess import offsets, training_minutes
from hybrid_pools.blueprint.derivation.monitoring.queries import pool_of_node
from hybrid_pools.blueprint.model import Monitoring
from hybrid_pools.blueprint.model.monitoring import ALERT_NAMES, filled
from hybrid_pools.blueprint.monitoring import known_metrics, query_faults
from tests.environments import ENVIRONMENTS, blueprint_of, sections_of
from tests.strategies import FILE, environments

CHANNEL = {"oncall": {"email": "oncall@acme.example"}}
SECTION = {"channels": CHANNEL, "runbooks": "https://wiki.acme.example/runbooks"}


def monitoring_of(environment: str) -> Monitoring:
    made = blueprint_of(environment).monitoring
    assert made is not None
    return made


def derived(change: dict[str, Any], environment: str = "prod") -> Monitoring:
    sections = sections_of(environment)
    sections["monitoring"] = SECTION | change
    made = derive(check(FILE, sections)).monitoring
    assert made is not None
    return made


def queries(monitoring: Monitoring) -> dict[str, str]:
    found = {alert.name: alert.query for alert in monitoring.alerts}
    return found | {
        f"{tile.title} {index}": series.query for tile in monitoring.dashboard.tiles for index, series in enumerate(tile.series)
    }


def faults(monitoring: Monitoring) -> dict[str, list[str]]:
    known = known_metrics().with_metrics(as_known(monitoring.log_metrics))
    judged = {name: list(query_faults(query, known)) for name, query in queries(monitoring).items()}
    return {name: found for name, found in judged.items() if found}


def alert(monitoring: Monitoring, name: str) -> str:
    (query,) = [alert.query for alert in monitoring.alerts if alert.name == name]
    return query


@pytest.mark.parametrize("environment", ENVIRONMENTS)
class TestEveryEnvironment:
    def test_asks_only_for_metrics_and_labels_that_exist(self, environment: str) -> None:
        assert faults(monitoring_of(environment)) == {}

    def test_has_alerts_that_google_takes(self, environment: str) -> None:
        for one in monitoring_of(environment).alerts:
            assert one.evaluation_seconds % 30 == 0
            assert one.hold_seconds % 60 == 0
            assert 1800 <= one.closes_after_seconds <= 7 * 24 * 3600
            assert one.runbook.startswith("https://")
            assert one.meaning.endswith(".")

    def test_has_log_metrics_whose_filter_names_their_resource(self, environment: str) -> None:
        for metric in monitoring_of(environment).log_metrics:
            assert metric.filter.startswith(f'resource.type="{metric.resource}" AND ')
            assert metric.name == f"{environment}-{metric.key}"

    def test_asks_only_log_metrics_that_are_made_and_makes_none_that_nothing_asks(self, environment: str) -> None:
        monitoring = monitoring_of(environment)
        asked = set(re.findall(r"logging_googleapis_com:user_\w+", " ".join(queries(monitoring).values())))
        made = {metric.promql_name for metric in as_known(monitoring.log_metrics)}
        judged = {monitoring.recovery.metric} if monitoring.recovery else set()
        assert asked == made - {metric.promql_name for metric in as_known(monitoring.log_metrics) if metric.type in judged}

    def test_has_charts_that_fit_the_grid_and_do_not_overlap(self, environment: str) -> None:
        board = monitoring_of(environment).dashboard
        cells = [(x, y) for t in board.tiles for x in range(t.x, t.x + t.width) for y in range(t.y, t.y + t.height)]
        assert len(cells) == len(set(cells))
        assert max(x for x, _ in cells) < board.columns
        assert len({tile.title for tile in board.tiles}) == len(board.tiles)


@settings(max_examples=30, deadline=None)
@given(environments())
def test_any_environment_can_be_watched_and_asks_only_for_what_exists(configuration: Any) -> None:
    watched = configuration.model_copy(update={"monitoring": check(FILE, sections_of("local")).monitoring})
    blueprint = derive(watched)
    monitoring = blueprint.monitoring
    assert monitoring is not None
    assert faults(monitoring) == {}
    assert {one.name for one in monitoring.alerts} <= set(ALERT_NAMES)


class TestAlerts:
    def test_follow_what_the_environment_has(self) -> None:
        assert {one.name for one in monitoring_of("prod").alerts} | {"budget"} == {*ALERT_NAMES, "services-crowded"}
        sections = sections_of("dev")
        sections["pools"] = {"services": sections["pools"]["services"]}
        for section in ("buckets", "schedule"):
            sections.pop(section, None)
        plain = derive(check(FILE, sections)).monitoring
        assert plain is not None
        assert [one.name for one in plain.alerts] == ["node-not-ready", "queue-wait", "quota-exceeded", "stock-out", "training-failures"]
        assert {metric.key for metric in plain.log_metrics} == {
            "gpu-memory-errors",
            "host-memory-kills",
            "job-failures",
            "quota-refusals",
            "stock-outs",
        }

    def test_take_their_limits_from_the_configuration(self) -> None:
        made = derived({"thresholds": {"idleGpuPercent": 12, "idleGpuMinutes": 45, "queueWaitMinutes": 7, "checkpointAgeMinutes": 33}})
        assert "[45m]" in alert(made, "idle-gpu") and "< 12)" in alert(made, "idle-gpu")
        assert "> 420 or" in alert(made, "queue-wait")
        assert "[33m]" in alert(made, "checkpoint-too-old")

    def test_of_ones_own_stand_beside_the_built_in_ones(self) -> None:
        own = {
            "query": 'sum(kube_jobset_restarts{cluster="$cluster"}) > 3',
            "forMinutes": 2,
            "severity": "CRITICAL",
            "runbook": "https://w.example/x",
        }
        (made,) = [one for one in derived({"extraAlerts": {"restarts": own}}).alerts if one.name == "restarts"]
        assert (made.severity, made.hold_seconds, made.runbook) == ("CRITICAL", 120, "https://w.example/x")

    def test_leave_out_gpus_that_google_does_not_measure(self) -> None:
        assert "buffer-l4" not in alert(monitoring_of("dev"), "idle-gpu")


def test_a_stack_file_without_the_section_is_not_watched() -> None:
    sections = sections_of("prod")
    del sections["monitoring"]
    configuration = check(FILE, sections)
    assert derive_monitoring(configuration, [], []) is None
    assert "billingbudgets.googleapis.com" not in derive(configuration).apis
    assert "billingbudgets.googleapis.com" in blueprint_of("prod").apis


class TestRecovery:
    def test_is_judged_by_a_distribution_with_the_limit_among_its_bounds(self) -> None:
        made = derived({"recovery": {"withinMinutes": 17, "goal": 0.9}})
        assert made.recovery is not None
        (metric,) = [metric for metric in made.log_metrics if metric.type == made.recovery.metric]
        assert metric.value is not None
        assert made.recovery.within_seconds == 17 * 60
        assert 17 * 60.0 in metric.value.bounds
        assert list(metric.value.bounds) == sorted(set(metric.value.bounds))

    def test_left_out_makes_no_metric(self) -> None:
        assert "recoveries" not in {metric.key for metric in derived({}).log_metrics}


class TestBudget:
    def test_tells_the_addresses_for_mail_only(self) -> None:
        budget = monitoring_of("prod").budget
        assert budget is not None
        assert budget.channels == ("oncall", "owners")
        assert budget.runbook.endswith("/budget.md")


class TestPoolOfANode:
    @given(st.lists(st.from_regex(r"[a-z]([-a-z0-9]{0,10}[a-z0-9])?", fullmatch=True), min_size=1, max_size=4, unique=True))
    def test_is_told_from_the_name_that_gke_makes(self, names: list[str]) -> None:
        pools = [replace(blueprint_of("local").pools[0], name=name) for name in names]
        for name in names:
            cut = f"{name}-pool-0a1b2c3"[:20]
            found = re.fullmatch(pool_of_node(pools), f"gke-prod-cluster-0a1b2c3-{cut}-12345678-x9yz")
            assert found is not None
            told = found[1]
            assert f"{name}-pool"[:18] == told or told.endswith(f"-{name}-pool"[:18])


class TestTrainingMinutes:
    calendar = calendar_of(check(FILE, sections_of("prod")).schedule)  # type: ignore[arg-type]

    def test_cover_every_minute_in_which_training_has_the_buffer_in_summer_and_in_winter(self) -> None:
        zone = ZoneInfo(self.calendar.zone)
        for start in (datetime(2026, 1, 11, tzinfo=UTC), datetime(2026, 7, 12, tzinfo=UTC), datetime(2026, 3, 8, tzinfo=UTC)):
            for minute in range(0, 7 * 24 * 60, 7):
                at = start + timedelta(minutes=minute)
                of_week = (at.isoweekday() % 7) * 1440 + at.hour * 60 + at.minute
                allowed = any(first <= of_week < last for first, last in training_minutes(self.calendar))
                if profile_at(self.calendar, at) is Profile.TRAINING:
                    assert allowed, at.astimezone(zone)

    def test_leave_the_middle_of_a_working_day_to_services(self) -> None:
        noon = 3 * 1440 + 18 * 60  # Wednesday, 12:00 in Chicago in winter
        assert not any(first <= noon < last for first, last in training_minutes(self.calendar))

    def test_take_both_offsets_of_the_zone(self) -> None:
        assert offsets("America/Chicago") == {-360, -300}
        assert offsets("Asia/Kolkata") == {330}


def test_names_are_filled_and_what_is_none_of_ours_stays() -> None:
    assert filled('a{c="$cluster"}[${__interval}], "$1"', {"cluster": "x"}) == 'a{c="x"}[${__interval}], "$1"'
