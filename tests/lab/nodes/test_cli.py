"""`python -m lab nodes`: what people see, and what they are told when it cannot be done."""

import pytest
from typer.testing import CliRunner, Result

from lab.errors import LabError
from lab.google.store import Store
from lab.kubelet.marks import HARD, PREEMPT, STOP_ANNOTATION
from lab.nodes import cli, manifests
from lab.nodes.objects import STOPPED_ANNOTATION
from lab.paths import STORE_VARIABLE, Lab
from tests.lab.nodes.given import START, pool, record, stable_record


class Cluster:
    """An API server that remembers what was written on nodes."""

    def __init__(self) -> None:
        self.written: dict[str, dict[str, str]] = {}

    def nodes(self):
        for of in (pool(), pool(stable_record())):
            made = manifests.node(of, of.zones[0], 0, process=False)
            made["metadata"] |= {"uid": made["metadata"]["name"], "creationTimestamp": START}
            made["metadata"]["annotations"] = {**made["metadata"]["annotations"], **self.written.get(made["metadata"]["name"], {})}
            yield made

    def pods(self):
        return [
            {
                "metadata": {"name": "a", "namespace": "b", "uid": "c", "creationTimestamp": START},
                "spec": {"containers": [], "nodeName": self.spot},
            }
        ]

    def annotate(self, node, annotations):
        self.written[node.name] = dict(annotations)

    @property
    def spot(self) -> str:
        return manifests.node_name(pool().id, pool().zones[0], 0)

    @property
    def stable(self) -> str:
        of = pool(stable_record())
        return manifests.node_name(of.id, of.zones[0], 0)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    monkeypatch.setattr(cli, "_api", lambda: made)
    monkeypatch.setenv("COLUMNS", "200")
    return made


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli.nodes_app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def test_nodes_are_listed_with_their_pods(cluster: Cluster):
    (line,) = (line for line in run("list").output.splitlines() if cluster.spot in line)
    assert line.split() == [cluster.spot, "train", "us-central1-a", "simulated", "not", "ready", "1"]


class TestStopping:
    def test_writes_how_and_when_on_the_node(self, cluster: Cluster):
        run("preempt", cluster.spot)
        run("stop", cluster.stable)
        assert {name: notes[STOP_ANNOTATION] for name, notes in cluster.written.items()} == {cluster.spot: PREEMPT, cluster.stable: HARD}
        assert all(float(notes[STOPPED_ANNOTATION]) > 0 for notes in cluster.written.values())

    def test_is_refused_for_a_node_that_google_does_not_take_back(self, cluster: Cluster):
        with pytest.raises(LabError, match=r"is no Spot VM.*nodes stop"):
            run("preempt", cluster.stable)

    def test_is_refused_for_a_node_that_is_not_there(self, cluster: Cluster):
        with pytest.raises(LabError, match=r"no node nobody.*nodes list"):
            run("stop", "nobody")

    def test_is_refused_for_a_node_that_is_stopped_already(self, cluster: Cluster):
        run("stop", cluster.spot)
        with pytest.raises(LabError, match="stopped already"):
            run("preempt", cluster.spot)


class TestWithoutAControlPlane:
    @pytest.fixture(autouse=True)
    def _empty_lab(self, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cli, "default_lab", lambda: Lab(tmp_path))
        monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "google.sqlite"))

    def test_people_are_told_how_to_start_one(self):
        with pytest.raises(LabError, match="python -m lab start"):
            run("list")

    def test_pools_can_be_chosen_already(self, tmp_path):
        store = Store(tmp_path / "google.sqlite")
        for made in (record(), stable_record()):
            store.put(made)
        assert set(run("process").output.splitlines()) == {"train: simulated", "services: processes"}
        assert set(run("process", "tr*").output.splitlines()) == {"train: processes", "services: simulated"}
        assert set(run("process").output.splitlines()) == {"train: processes", "services: simulated"}
