import pytest
from typer.testing import CliRunner

from lab.__main__ import app
from lab.cluster import cli
from lab.cluster.files import ClusterFiles
from lab.cluster.registry import CLUSTER
from lab.errors import LabError
from lab.paths import Lab


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch) -> Lab:
    monkeypatch.setattr(cli, "default_lab", lambda: Lab(tmp_path / "lab"))
    return Lab(tmp_path / "lab")


class TestALabThatHasNeverBeenStarted:
    def test_shows_every_part_as_stopped_and_how_to_start_it(self):
        shown = CliRunner().invoke(app, ["status"])
        assert shown.exit_code == 1
        assert shown.output.count("stopped") == len(CLUSTER)
        assert "Start what does not run: python -m lab start" in shown.output

    def test_can_be_stopped(self):
        assert CliRunner().invoke(app, ["stop"]).exit_code == 0

    def test_has_no_logs(self):
        result = CliRunner().invoke(app, ["logs", "kueue"])
        assert isinstance(result.exception, LabError)
        assert "kueue has printed nothing" in str(result.exception)


class TestLogs:
    def test_of_an_unknown_part_are_refused_with_the_known_ones(self):
        result = CliRunner().invoke(app, ["logs", "kubelt"])
        assert isinstance(result.exception, LabError)
        assert "There is no part kubelt. Name one of: etcd, kube-apiserver" in str(result.exception)

    def test_are_shown_from_their_end(self, lab: Lab):
        log = ClusterFiles(lab.directory).log("kueue")
        log.parent.mkdir(parents=True)
        log.write_text("".join(f"line {number}\n" for number in range(300)))
        shown = CliRunner().invoke(app, ["logs", "kueue"]).output
        assert shown.endswith("line 299\n")
        assert "line 200\n" in shown
        assert "line 199\n" not in shown
