"""What the guide to the lint tells training teams to write is right, and the action hands over what it was given."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from docs.generate import DOCS
from hybrid_pools.cli import app
from hybrid_pools.lint.waivers import read_waivers

ROOT = DOCS.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
BLOCKS = re.findall(r"```yaml\n(.*?)```", (DOCS / "lint.md").read_text(encoding="utf-8"), re.DOTALL)


def block(word: str) -> str:
    [found] = [each for each in BLOCKS if each.startswith(word)]
    return str(found)


class TestTheGuide:
    def test_shows_waivers_that_are_complete(self):
        waivers, wrong = read_waivers("docs/lint.md", block("waivers:"))
        assert len(waivers) == 1
        assert wrong == []

    def test_names_the_hook_as_it_is_called(self):
        [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        [used] = yaml.safe_load(block("repos:"))["repos"][0]["hooks"]
        assert used["id"] == hook["id"]
        program, command = hook["entry"].split()
        assert program == "hybrid-pools"
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0

    def test_gives_the_action_inputs_that_it_has_and_all_that_it_needs(self):
        given = yaml.safe_load(block("- uses: actions/checkout"))[1]["with"]
        needed = {name for name, each in ACTION["inputs"].items() if each.get("required")}
        assert needed <= given.keys() <= ACTION["inputs"].keys()


class TestTheAction:
    @pytest.mark.parametrize(
        ("inputs", "handed"),
        [
            ({"PATHS": "manifests", "CONTRACT": "c.json"}, ["--contract", "c.json", "--output", "github", "manifests"]),
            (
                {"PATHS": "one folder\n$(touch hacked)\n", "CONTRACT": "c; touch hacked", "NAMESPACE": "team-a", "WAIVERS": "w.yaml"},
                [
                    *("--contract", "c; touch hacked", "--output", "github", "--namespace", "team-a", "--waivers", "w.yaml"),
                    *("one folder", "$(touch hacked)"),
                ],
            ),
        ],
    )
    def test_hands_over_its_inputs_and_runs_nothing_of_them(self, tmp_path: Path, inputs: dict[str, str], handed: list[str]):
        step = ACTION["runs"]["steps"][-1]
        program = tmp_path / "hybrid-pools-lint" / "bin" / "hybrid-pools"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
        program.chmod(0o755)
        variables = {name: inputs.get(name, "") for name in step["env"]}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), **variables},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split("\0")[:-1] == ["lint", *handed]
        assert not (tmp_path / "hacked").exists()

    def test_fills_its_variables_from_its_inputs(self):
        step = ACTION["runs"]["steps"][-1]
        assert step["env"] == {name.upper(): f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
