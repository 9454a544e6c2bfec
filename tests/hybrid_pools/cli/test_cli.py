"""The command answers at once, in one message, with the exit code that scripts count on."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner, Result

from hybrid_pools.blueprint.contract import contract
from hybrid_pools.cli import app
from hybrid_pools.documents.picture import picture
from tests.environments import ENVIRONMENTS, STACKS, blueprint_of

PROD = STACKS / "Pulumi.prod.yaml"


def run(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


def contract_text(environment: str = "prod") -> str:
    blueprint = blueprint_of(environment)
    made = contract(
        blueprint,
        "cluster",
        "endpoint",
        {pool.name: f"{pool.name}-0a1b2c3" for pool in blueprint.pools},
        buckets={bucket.kind: bucket.kind for bucket in blueprint.buckets},
    )
    return made.model_dump_json(exclude_none=True)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A stack file with two problems."""
    content = yaml.safe_load(PROD.read_text())
    content["config"]["hybrid-node-pools:environment"]["reigon"] = "us-central1"
    content["config"]["hybrid-node-pools:pools"]["services"]["machineType"] = "e2-standart-8"
    file = tmp_path / "Pulumi.wrong.yaml"
    file.write_text(yaml.safe_dump(content))
    return file


class TestHelp:
    def test_lists_the_commands_without_loading_models_or_pulumi(self):
        program = (
            "import sys\nfrom hybrid_pools.cli import app\n"
            "try:\n    app(['--help'])\nexcept SystemExit:\n    print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}))"
        )
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        loaded = said.split("LOADED")[1].split()
        assert "typer" in loaded
        assert {"pydantic", "pulumi", "rich", "yaml"}.isdisjoint(loaded)
        for command in ("check", "pools", "picture", "quotas", "queues", "render", "explain"):
            assert f"\n  {command} " in said

    @pytest.mark.parametrize("command", ["check", "pools", "picture", "quotas", "queues", "render", "explain"])
    def test_of_each_command_comes_from_the_command_itself(self, command):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"{command} [OPTIONS]" in result.stdout

    def test_without_a_command_is_a_usage_error(self):
        assert run().exit_code == 2

    def test_a_misspelt_command_is_a_usage_error_that_names_the_right_one(self):
        result = run("chek")
        assert result.exit_code == 2
        assert "'check'" in result.stderr


class TestCheck:
    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_passes_every_stack_file(self, environment):
        result = run("check", STACKS / f"Pulumi.{environment}.yaml")
        assert result.exit_code == 0
        assert "no problems" in result.stdout

    def test_tells_every_problem_of_every_file(self, wrong):
        result = run("check", PROD, wrong, wrong.parent / "absent.yaml")
        assert result.exit_code == 1
        assert f"{PROD}: no problems." in result.stdout
        for rule in ("CFG-002", "CFG-101", "CFG-010"):
            assert f"[{rule}]" in result.stdout
        assert "Traceback" not in result.output

    def test_tells_programs_the_same(self, wrong):
        result = run("check", PROD, wrong, "--output", "json")
        assert result.exit_code == 1
        fine, bad = json.loads(result.stdout)
        assert fine == {"file": str(PROD), "problems": []}
        assert [problem["rule"] for problem in bad["problems"]] == ["CFG-002", "CFG-101"]
        assert set(bad["problems"][0]) == {"rule", "path", "value", "message", "allowed", "fix", "line"}

    def test_without_a_file_is_a_usage_error(self):
        assert run("check").exit_code == 2


class TestPools:
    def test_says_the_same_of_a_stack_file_and_of_its_contract(self, tmp_path):
        file = tmp_path / "contract.json"
        file.write_text(contract_text())
        of_stack = run("pools", "--stack-file", PROD, "--output", "json")
        of_contract = run("pools", "--contract", file, "--output", "json")
        of_pipe = run("pools", "--contract", "-", "--output", "json", text=contract_text())
        assert of_stack.exit_code == of_contract.exit_code == of_pipe.exit_code == 0
        assert of_stack.stdout == of_contract.stdout == of_pipe.stdout
        assert [pool["name"] for pool in json.loads(of_stack.stdout)] == [pool.name for pool in blueprint_of("prod").pools]

    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_shows_every_pool_with_machine_limits_and_grace(self, environment):
        shown = run("pools", "--stack-file", STACKS / f"Pulumi.{environment}.yaml").stdout
        for pool in blueprint_of(environment).pools:
            minimum = pool.limits.minimum * (len(pool.zones) if pool.limits.per_zone else 1)
            row = next(line for line in shown.splitlines() if line.split()[:1] == [pool.name])
            assert pool.machine.name in row
            assert f"{minimum} to {pool.max_nodes}" in row
            assert f"{pool.usable_grace_seconds} s" in row

    @pytest.mark.parametrize("arguments", [(), ("--stack-file", PROD, "--contract", "-")])
    def test_takes_exactly_one_source(self, arguments):
        assert run("pools", *arguments).exit_code == 2

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "is empty"),
            ("{", "is not JSON"),
            ("[]", "has no contractVersion"),
            ("{}", "has no contractVersion"),
            ('{"contractVersion": 2}', "is a contract of version 2"),
            ('{"contractVersion": 1}', "environment: field required"),
        ],
    )
    def test_refuses_what_is_no_contract_it_knows(self, text, said):
        result = run("pools", "--contract", "-", text=text)
        assert result.exit_code == 1
        assert said in result.stderr
        assert result.stderr.startswith("error: standard input")

    def test_refuses_a_contract_that_is_not_there(self, tmp_path):
        result = run("pools", "--contract", tmp_path / "absent.json")
        assert result.exit_code == 1
        assert "absent.json cannot be read" in result.stderr

    def test_refuses_a_wrong_stack_file_with_all_its_problems(self, wrong):
        result = run("pools", "--stack-file", wrong)
        assert result.exit_code == 1
        assert "CFG-002" in result.stderr
        assert "CFG-101" in result.stderr
        assert result.stdout == ""


class TestPicture:
    def test_writes_the_picture_of_the_stack_file(self, tmp_path):
        file = tmp_path / "prod.svg"
        assert run("picture", "--stack-file", PROD, "--output-file", file).exit_code == 0
        assert file.read_text(encoding="utf-8") == picture(blueprint_of("prod"))
        ElementTree.parse(file)  # noqa: S314 - our own file

    def test_says_where_it_could_not_write(self, tmp_path):
        result = run("picture", "--stack-file", PROD, "--output-file", tmp_path / "absent" / "prod.svg")
        assert result.exit_code == 1
        assert "cannot be written" in result.stderr

    def test_of_a_wrong_stack_file_is_not_written(self, tmp_path, wrong):
        file = tmp_path / "wrong.svg"
        assert run("picture", "--stack-file", wrong, "--output-file", file).exit_code == 1
        assert not file.exists()
