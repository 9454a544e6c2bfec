"""`hybrid-pools interval` tells people, programs and pictures the same, and refuses numbers that make no sense by name."""

import json
import re

import pytest
import yaml
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from hybrid_pools.training.interval import Costs, checkpoint_interval
from tests.hybrid_pools.training.vertex.jobs import DESCRIBED, contract_of


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["interval", *(str(argument) for argument in arguments)])


GANG = ("--save-seconds", 60, "--nodes", 8)


def test_says_interval_shares_and_that_the_rate_is_assumed() -> None:
    result = run(*GANG, "--restart-seconds", 300, "--step-seconds", 2.5)
    assert result.exit_code == 0
    assert "Save after every 11 min 35 s of training (695 s, 278 steps)." in result.stdout
    assert "20.9 %" not in result.stdout
    assert "79.1 %  is training that counts" in result.stdout
    assert "The rate of spot nodes is assumed: 0.1 losses per node and hour." in result.stdout


def test_tells_programs_what_the_function_says() -> None:
    told = json.loads(run(*GANG, "--loss-rate", 0.3, "--output", "json").stdout)
    found = checkpoint_interval(Costs(60), 8, 0.3)
    assert (told["intervalSeconds"], told["waste"]["total"]) == (found.seconds, found.waste.total)
    assert (told["lossesPerNodeHour"], told["assumed"]) == (0.3, False)


def test_saves_less_often_on_nodes_that_are_lost_less_often() -> None:
    on_demand = json.loads(run(*GANG, "--capacity", "on-demand", "--output", "json").stdout)
    assert on_demand["intervalSeconds"] > 5 * json.loads(run(*GANG, "--output", "json").stdout)["intervalSeconds"]


def test_draws_the_picture_and_says_where(tmp_path) -> None:
    file = tmp_path / "interval.svg"
    result = run(*GANG, "--picture", file)
    assert result.stdout.rstrip().endswith(f"{file}: written")
    assert file.read_text(encoding="utf-8").startswith("<svg")


def test_advises_where_most_of_the_time_is_lost() -> None:
    assert "More than half of the time is lost." in run("--save-seconds", 600, "--nodes", 64).stdout


class TestADescription:
    @pytest.fixture
    def files(self, tmp_path):
        def write(**changes):
            description, contract = tmp_path / "job.yaml", tmp_path / "contract.json"
            description.write_text(
                yaml.safe_dump({key: value for key, value in (DESCRIBED | changes).items() if value is not None}), "utf-8"
            )
            contract.write_text(contract_of("local").model_dump_json(by_alias=True, exclude_none=True), "utf-8")
            return ("--file", description), ("--contract", contract)

        return write

    def test_tells_the_interval_that_its_manifest_is_given(self, files):
        description, contract = files(workers={"count": 4, "gpus": 1, "cpu": 8, "memoryGib": 30})
        told = json.loads(run(*description, *contract, "--output", "json").stdout)
        # Two workers share a node of the pool.
        assert told["nodes"] == 2
        variables = json.loads(CliRunner().invoke(app, ["render", *map(str, (*description, *contract)), "--output", "json"]).stdout)
        assert f'"value": "{told["intervalSeconds"]}"' in json.dumps(variables)

    def test_without_a_contract_gives_each_worker_a_node(self, files):
        description, _ = files()
        assert json.loads(run(*description, "--output", "json").stdout)["nodes"] == 3

    def test_that_has_measured_its_rate_assumes_none(self, files):
        description, _ = files(checkpoint=DESCRIBED["checkpoint"] | {"lossesPerNodeHour": 0.02})
        told = json.loads(run(*description, "--output", "json").stdout)
        assert (told["lossesPerNodeHour"], told["assumed"]) == (0.02, False)

    def test_that_sets_an_interval_is_told_what_it_costs(self, files):
        description, _ = files(checkpoint=DESCRIBED["checkpoint"] | {"intervalSeconds": 7200})
        assert re.search(r"The description sets 7200 s, at which \d\d\.\d % of the time is lost\.", run(*description).stdout)

    def test_without_checkpoints_is_refused(self, files):
        description, _ = files(**{"class": "interactive"}, checkpoint=None)
        result = run(*description)
        assert result.exit_code == 1
        assert "has no checkpoint section" in result.stderr

    def test_and_numbers_are_refused_together(self, files):
        description, _ = files()
        assert "leave the other numbers out" in run(*description, "--nodes", 8).stderr


def test_a_contract_without_a_description_is_refused() -> None:
    result = run(*GANG, "--contract", "contract.json")
    assert result.exit_code == 2
    assert "--contract or --stack with --file only" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--save-seconds", 0, "--nodes", 8), "the time to save is 0 seconds: write a number above 0"),
        (("--save-seconds", 60, "--nodes", 0), "the gang has 0 nodes: write at least 1"),
        ((*GANG, "--loss-rate", 0), "the loss rate is 0 losses per node and hour: write a number above 0"),
        ((*GANG, "--loss-rate", "nan"), "the loss rate is nan"),
        ((*GANG, "--step-seconds", -1), "the time of a step is -1 seconds"),
        ((*GANG, "--restart-seconds", -1), "the time to restart is -1 seconds"),
        ((*GANG, "--stall-seconds", 61), "stands still for 61 seconds in a save of 60"),
        ((*GANG, "--total-seconds", 30), "leave no interval in a run of at most 30 seconds"),
        ((*GANG, "--picture", "/nowhere/interval.svg"), "/nowhere/interval.svg cannot be written"),
    ],
)
def test_refuses_with_one_message(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stdout == ""
