"""`render` and `explain`: from files to a manifest, and to plain words."""

import json
from pathlib import Path

import pytest
import yaml

from tests.hybrid_pools.cli.test_cli import contract_text, run
from tests.hybrid_pools.training.description.test_reading import RIGHT


@pytest.fixture
def job(tmp_path: Path) -> Path:
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(RIGHT, sort_keys=False))
    return file


def wrong(file: Path, **changes: object) -> Path:
    file.write_text(yaml.safe_dump(RIGHT | changes, sort_keys=False))
    return file


class TestRender:
    def test_prints_the_same_manifest_for_kubectl_and_for_programs(self, job: Path):
        for_kubectl = run("render", "-f", job, "--contract", "-", text=contract_text("local"))
        for_programs = run("render", "-f", job, "--contract", "-", "--output", "json", text=contract_text("local"))
        assert for_kubectl.exit_code == for_programs.exit_code == 0
        assert for_kubectl.stderr == ""
        made = yaml.safe_load(for_kubectl.stdout)
        assert made == json.loads(for_programs.stdout)
        assert (made["kind"], made["metadata"]["name"], made["metadata"]["namespace"]) == ("JobSet", "resnet-7", "team-vision")

    def test_warns_of_a_tag_beside_the_manifest(self, job: Path):
        warned = run("render", "-f", wrong(job, image="trainer:7"), "--contract", "-", text=contract_text("local"))
        assert warned.exit_code == 0
        assert warned.stderr.startswith(f"warning: {job}: image trainer:7 is a tag")
        assert yaml.safe_load(warned.stdout)["kind"] == "JobSet"


class TestExplain:
    def test_tells_people_and_programs_the_same_places(self, job: Path):
        for_people = run("explain", "-f", job, "--contract", "-", text=contract_text("local"))
        for_programs = run("explain", "-f", job, "--contract", "-", "--output", "json", text=contract_text("local"))
        assert for_people.exit_code == for_programs.exit_code == 0
        told = json.loads(for_programs.stdout)
        assert [(place["flavor"], place["fits"]) for place in told["workers"]["order"]] == [
            ("spot-l4", True),
            ("buffer-l4", False),
            ("stable-cpu", False),
        ]
        assert told["workers"]["order"][0]["nodePools"] == ["train-l4-0a1b2c3"]
        assert "1. spot-l4" in for_people.stdout
        assert "-  stable-cpu" in for_people.stdout


@pytest.mark.parametrize("command", ["render", "explain"])
class TestBoth:
    def test_tell_every_problem_of_a_description_with_its_line(self, job: Path, command: str):
        refused = run(command, "-f", wrong(job, name="Resnet", boundHours=0), "--contract", "-", text=contract_text("local"))
        assert refused.exit_code == 1
        assert refused.stdout == ""
        assert refused.stderr.startswith(f"error: {job}: 2 problems, nothing was made of it.")
        assert f"{job}:2: name = Resnet" in refused.stderr

    def test_tell_what_the_environment_has_no_place_for_with_its_line(self, job: Path, command: str):
        refused = run(command, "-f", wrong(job, team="vison", environment="prod"), "--contract", "-", text=contract_text("local"))
        assert refused.exit_code == 1
        assert f"{job}:3: team = vison\n  [JOB-103]" in refused.stderr
        assert "[JOB-101]" in refused.stderr

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "is empty"),
            (contract_text("local")[:300], "it was cut short"),
            (json.dumps({"contractVersion": 2}), "is a contract of version 2"),
            (Path(__file__).parents[3].joinpath("stacks", "Pulumi.local.yaml").read_text(), "is a stack file"),
        ],
    )
    def test_refuse_what_is_no_contract(self, job: Path, command: str, text: str, said: str):
        refused = run(command, "-f", job, "--contract", "-", text=text)
        assert refused.exit_code == 1
        assert said in refused.stderr

    def test_take_a_contract_among_all_outputs_of_a_stack(self, job: Path, command: str):
        outputs = json.dumps({"contract": json.loads(contract_text("local")), "quotas": []})
        assert run(command, "-f", job, "--contract", "-", text=outputs).exit_code == 0

    def test_need_a_description(self, command: str):
        assert run(command, "--contract", "-").exit_code == 2
