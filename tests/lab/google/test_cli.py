"""Commands that play the world outside."""

import pytest
from typer.testing import CliRunner, Result

from lab.errors import LabError
from lab.google.cli import cloud_app, fault_app
from lab.google.store import Fault, Record, Store
from lab.paths import STORE_VARIABLE
from tests.lab.google.conftest import kept

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _store_of_the_test(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE_VARIABLE, str(store.path))
    monkeypatch.setenv("COLUMNS", "200")


def run(app, *arguments: str) -> Result:
    result = RUNNER.invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


class TestFaults:
    def test_are_added_listed_and_cleared(self, store: Store):
        run(fault_app, "add", "stock-out", "--type", "NodePool", "--name", "spot-*", "--times", "2")
        assert store.faults() == [Fault("stock-out", "NodePool", "spot-*", "*", 2, number=1)]
        assert "spot-*" in run(fault_app, "list").output
        run(fault_app, "clear")
        assert store.faults() == []

    @pytest.mark.parametrize(("kind", "fix"), [("slow", "--seconds"), ("quota", "--metric")])
    def test_that_need_more_say_what(self, kind, fix):
        with pytest.raises(LabError, match=fix):
            run(fault_app, "add", kind)


class TestTheCloud:
    def test_is_listed_and_its_calls_too(self, store: Store):
        store.put(Record("t", "the-id", {}))
        store.log("create", "t", "the-id", "urn")
        assert "the-id" in run(cloud_app, "list").output
        assert "create" in run(cloud_app, "log").output

    def test_can_be_changed_behind_pulumis_back(self, store: Store):
        store.put(Record("t", "the-id", {"autoscaling": {"maxNodeCount": 3}}))
        run(cloud_app, "change", "the-id", "autoscaling.maxNodeCount", "7")
        assert kept(store, "the-id").document == {"autoscaling": {"maxNodeCount": 7}}
        run(cloud_app, "delete", "the-id")
        assert store.resources() == []

    @pytest.mark.parametrize(
        "arguments", [("change", "none", "a", "1"), ("change", "the-id", "a", "ANY"), ("change", "the-id", "l[7]", "1"), ("delete", "none")]
    )
    def test_says_what_is_wrong_with_a_command(self, store: Store, arguments):
        store.put(Record("t", "the-id", {"l": []}))
        with pytest.raises(LabError):
            run(cloud_app, *arguments)
