"""The releases of Kueue and JobSet that are known are those that are tried."""

import re
from pathlib import Path

import pytest

from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration

TOOLS = Path(__file__).parents[4] / "lab" / "tools"


@pytest.mark.parametrize("component", ["kueue", "jobset"])
def test_the_lab_runs_a_release_that_the_catalogue_knows(component: str) -> None:
    pinned = re.search(rf"sigs\.k8s\.io/{component} v(\S+)", (TOOLS / component / "go.mod").read_text())
    assert pinned
    assert (component, pinned[1]) in catalogue().releases


def test_a_stack_file_gets_known_releases_where_it_names_none() -> None:
    said = KubernetesConfiguration()
    assert {("kueue", said.kueue.version), ("jobset", said.job_set.version)} <= catalogue().releases.keys()
