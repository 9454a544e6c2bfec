"""Monitoring as it is declared: shapes that settle, links that lead somewhere, names that fit those of the pools."""

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from components.dashboard_json import dashboard_json
from hybrid_pools.blueprint.derivation.monitoring.queries import node_pool, pool_of_node
from tests.components.recording import Registration, record
from tests.environments import ENVIRONMENTS, blueprint_of

NAMES = {"cluster": "prod-cluster-0a1b2c3", "checkpoints": "acme-prod-checkpoints-0a1b2c3"}
ALERT = "gcp:monitoring/alertPolicy:AlertPolicy"


@pytest.fixture(scope="module")
def registrations() -> dict[str, list[Registration]]:
    return {environment: record(blueprint_of(environment)) for environment in ENVIRONMENTS}


def board(environment: str) -> dict[str, Any]:
    monitoring = blueprint_of(environment).monitoring
    assert monitoring is not None
    content: dict[str, Any] = json.loads(dashboard_json(monitoring.dashboard, NAMES))
    return content


def nothing_empty(value: Any, key: str = "") -> None:
    """No shape that Google's API drops from its answer."""
    if isinstance(value, dict):
        assert value, key
        for name, element in value.items():
            assert name not in ("etag", "name")
            nothing_empty(element, name)
    elif isinstance(value, list):
        assert value, key
        for element in value:
            nothing_empty(element, key)
    else:
        assert value not in ("", None), key
        assert not (key in ("xPos", "yPos") and value == 0), key


class TestDashboard:
    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_has_no_shape_that_google_drops(self, environment: str) -> None:
        nothing_empty(board(environment))

    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_asks_in_promql_alone_and_names_the_physical_cluster(self, environment: str) -> None:
        text = json.dumps(board(environment))
        assert "timeSeriesQueryLanguage" not in text
        assert "$cluster" not in text and "$checkpoints" not in text
        assert NAMES["cluster"] in text

    def test_is_the_same_text_each_time_with_sorted_keys(self) -> None:
        monitoring = blueprint_of("prod").monitoring
        assert monitoring is not None
        text = dashboard_json(monitoring.dashboard, NAMES)
        assert text == dashboard_json(monitoring.dashboard, NAMES) == json.dumps(json.loads(text), sort_keys=True)

    def test_of_production(self, snapshot: SnapshotAssertion) -> None:
        assert json.dumps(board("prod"), indent=2, sort_keys=True) == snapshot


@pytest.mark.parametrize("environment", ENVIRONMENTS)
class TestAlerts:
    def test_reach_someone_and_lead_to_a_runbook(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        alerts = [one for one in registrations[environment] if one.type == ALERT]
        assert alerts
        for one in alerts:
            assert one.inputs["notificationChannels"]
            (link,) = one.inputs["documentation"]["links"]
            assert link["url"] in one.inputs["documentation"]["content"]

    def test_come_after_the_metrics_that_they_ask(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        metrics = {one.name for one in registrations[environment] if one.type == "gcp:logging/metric:Metric"}
        for one in registrations[environment]:
            if one.type == ALERT:
                assert metrics <= {urn.rpartition("::")[2] for urn in one.dependencies}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_queries_know_the_pools_by_the_names_that_are_declared(environment: str, registrations: dict[str, list[Registration]]) -> None:
    pools = {pool.name: pool for pool in blueprint_of(environment).pools}
    declared = [one for one in registrations[environment] if one.type == "gcp:container/nodePool:NodePool"]
    assert len(declared) == len(pools)
    for one in declared:
        pool = pools[one.name.removesuffix("-pool")]
        assert re.fullmatch(rf"{node_pool(pool)}-[0-9a-f]{{7}}", one.inputs["name"])
        assert re.fullmatch(pool_of_node([pool]), f"gke-prod-cluster-0a1b2c-{one.inputs['name'][:20]}-0a1b2c3d-x9yz")
