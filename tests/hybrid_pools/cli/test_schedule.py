"""`hybrid-pools schedule` shows any week, as text, data and picture."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from tests.environments import STACKS

PROD = STACKS / "Pulumi.prod.yaml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["schedule", *(str(argument) for argument in arguments)])


class TestTheWeek:
    def test_is_shown_in_which_the_day_lies(self):
        result = run("--stack-file", PROD, "--week-of", "2026-12-03")
        assert result.exit_code == 0, result.output
        assert "Week of 2026-11-30, America/Chicago" in result.stdout
        assert "Fri 04 Dec ██████████▒▒························████████████" in result.stdout
        assert "Fri 2026-12-04 18:00  2026-12-05T00:00Z  buffer-l4: 0 to 12 nodes for training" in result.stdout

    def test_is_that_of_today_where_no_day_is_given(self):
        result = run("--stack-file", PROD)
        assert result.exit_code == 0
        assert "Week of 20" in result.stdout

    def test_is_told_to_programs_with_every_switch(self):
        result = run("--stack-file", PROD, "--week-of", "2026-12-03", "--output", "json")
        told = json.loads(result.stdout)
        assert told["weekOf"] == "2026-11-30"
        assert len(told["switches"]) == 10
        assert told["switches"][0] == {
            "local": "Mon 2026-11-30 05:00",
            "utc": "2026-11-30T11:00Z",
            "pool": "buffer-l4",
            "profile": "services",
            "limits": "2 to 16 nodes",
        }

    def test_is_drawn_where_it_is_asked_for(self, tmp_path: Path):
        file = tmp_path / "week.svg"
        assert run("--stack-file", PROD, "--week-of", "2026-12-03", "--svg", file).exit_code == 0
        shown = [text.text for text in ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own text
        assert {"The buffer of prod", "30 Nov", "18:00"} <= set(shown)

    def test_says_until_when_exceptions_must_be_removed(self, tmp_path: Path):
        content = yaml.safe_load(PROD.read_text())
        soon = datetime.now(UTC).date() + timedelta(days=20)
        content["config"]["hybrid-node-pools:schedule"] |= {"datesOff": [(soon + timedelta(days=(3 - soon.weekday()) % 7)).isoformat()]}
        file = tmp_path / "Pulumi.off.yaml"
        file.write_text(yaml.safe_dump(content))
        assert "must be removed before" in run("--stack-file", file).stdout


class TestWhatCannotBeShown:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ((PROD, "--week-of", "monday"), "is no date"),
            ((PROD, "--svg", "/no/such/folder/week.svg"), "cannot be written"),
        ],
    )
    def test_is_said_in_one_message_with_the_way_on(self, arguments, says):
        result = run("--stack-file", *arguments)
        assert result.exit_code == 1
        assert says in result.stderr
        assert "Traceback" not in result.output

    def test_includes_an_environment_without_a_schedule(self, tmp_path):
        content = yaml.safe_load(PROD.read_text())
        for section in ("schedule", "kubernetes", "queues"):
            del content["config"][f"hybrid-node-pools:{section}"]
        file = tmp_path / "Pulumi.still.yaml"
        file.write_text(yaml.safe_dump(content))
        result = run("--stack-file", file)
        assert result.exit_code == 1
        assert "has no schedule" in result.stderr
