"""Kueue and JobSet as they are installed."""

import yaml

from hybrid_pools.blueprint.model.queues import Charts
from hybrid_pools.manifests.charts import charts
from hybrid_pools.manifests.kueue_configuration import kueue_configuration


def test_a_chart_is_installed_exactly_where_a_version_is_named() -> None:
    assert [chart.name for chart in charts(Charts("0.17.0", "0.11.1"), "high")] == ["kueue", "jobset"]
    assert [chart.name for chart in charts(Charts(None, "0.11.1"), "high")] == ["jobset"]
    assert list(charts(Charts(None, None), "high")) == []


def test_kueue_decides_as_the_configuration_says() -> None:
    (kueue,) = charts(Charts("0.17.0", None), "high")
    told = yaml.safe_load(kueue.values["managerConfig"]["controllerManagerConfigYaml"])
    assert {key: told[key] for key in kueue_configuration()} == kueue_configuration()


def test_jobs_of_teams_alone_wait_for_a_queue() -> None:
    configuration = kueue_configuration()
    assert configuration["manageJobsWithoutQueueName"] is True
    assert [one["operator"] for one in configuration["managedJobsNamespaceSelector"]["matchExpressions"]] == ["Exists"]
