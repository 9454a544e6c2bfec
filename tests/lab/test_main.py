import subprocess
import sys

import pytest
from typer.testing import CliRunner

from lab.__main__ import app
from lab.paths import CHECKOUT


@pytest.mark.engine
class TestACommandThatCannotGoOn:
    @pytest.mark.parametrize("command", ["up", "down", "preview", "recover"])
    def test_says_why_in_one_message_and_fails(self, command, engine_binary):
        done = subprocess.run(
            [sys.executable, "-m", "lab", command, "no-such-stack"], cwd=CHECKOUT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert "stacks/Pulumi.no-such-stack.yaml does not exist. Known stacks: " in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


class TestHelp:
    def test_names_every_command_with_its_purpose(self):
        text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
        for command in ("up", "down", "preview", "recover", "build", "pulumi", "env"):
            assert f" {command} " in text


@pytest.mark.engine
class TestPulumiInTheLab:
    def test_passes_every_argument_on(self, engine_binary):
        command = [sys.executable, "-m", "lab", "pulumi", "up", "--help"]
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "--policy-pack" in done.stdout
