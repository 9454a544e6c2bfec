"""`hybrid-pools conform` passes on what was asked for and tells what was found, and exits with what CI counts on."""

import json

import pytest
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from hybrid_pools.cli import conform as command
from hybrid_pools.training.checkpoints import CheckpointError
from hybrid_pools.training.conformance import Measured, Outcome, Report, Settings
from hybrid_pools.training.conformance import Result as Found
from hybrid_pools.training.conformance.checks import CHECKS, EXIT_CODE, FALLS_BACK, complete
from tests.hybrid_pools.cli.test_cli import contract_text

GOOD = Report(tuple(Found(check, Outcome.PASSED, "as it should be") for check in CHECKS), 15.0, Measured(0.25, 0.0512, 123_456_789), "")
BAD = Report(
    complete(
        [
            *(Found(check, Outcome.PASSED, "as it should be") for check in CHECKS[:3]),
            Found(EXIT_CODE, Outcome.FAILED, "ended with 0"),
            Found(CHECKS[4], Outcome.PASSED, "step [12]"),
            Found(CHECKS[5], Outcome.FAILED, "the checkpoint is of step 12, and the next was 1, not 13"),
        ]
    ),
    15.0,
    Measured(0.25, 0.0512, 123_456_789),
    "last words [of it]",
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["conform", *arguments])


@pytest.fixture
def asked(monkeypatch) -> list[tuple[list[str], Settings]]:
    """What the trial was asked for; it then finds all well."""
    found: list[tuple[list[str], Settings]] = []

    def trial(program, settings, scratch, tell):
        found.append((program, settings))
        return GOOD

    monkeypatch.setattr(command, "trial", trial)
    return found


def test_all_behind_the_dashes_is_the_trainer_s(asked):
    assert (
        run("--grace-seconds", "20", "--compare", "python 'my same.py'", "--", "python", "t.py", "--steps", "7", "--output", "x").exit_code
        == 0
    )
    [(program, settings)] = asked
    assert program == ["python", "t.py", "--steps", "7", "--output", "x"]
    assert settings == Settings(20.0, compare=("python", "my same.py"))


def test_the_time_is_that_of_the_contract_or_google_s(asked, tmp_path):
    (tmp_path / "contract.json").write_text(contract_text())
    run("--contract", str(tmp_path / "contract.json"), "--", "python")
    run("--", "python")
    assert [settings.grace_seconds for _, settings in asked] == [105.0, 15.0]


def test_ends_with_0_only_if_all_is_well(asked, monkeypatch):
    assert run("--", "python").exit_code == 0
    monkeypatch.setattr(command, "trial", lambda *_: BAD)
    assert run("--", "python").exit_code == 1


def test_people_read_what_was_seen_and_what_to_do(monkeypatch, snapshot):
    monkeypatch.setattr(command, "trial", lambda *_: BAD)
    assert run("--", "python").stdout == snapshot


def test_programs_read_the_same(monkeypatch):
    monkeypatch.setattr(command, "trial", lambda *_: BAD)
    told = json.loads(run("--output", "json", "--", "python", "t.py").stdout)
    assert (told["command"], told["passed"]) == (["python", "t.py"], False)
    measured = {key: value for key, value in told.items() if key.endswith(("Seconds", "Bytes"))}
    assert measured == {"graceSeconds": 15.0, "stopSeconds": 0.25, "stepSeconds": 0.051, "checkpointBytes": 123_456_789}
    assert [check["id"] for check in told["checks"]] == [f"CONFORM-00{number}" for number in range(1, 9)]
    assert told["checks"][3] == {
        "id": "CONFORM-004",
        "title": EXIT_CODE.title,
        "outcome": "failed",
        "seen": "ended with 0",
        "why": EXIT_CODE.why,
        "fix": EXIT_CODE.fix,
    }
    assert told["output"] == "last words [of it]"


def test_what_could_not_be_looked_at_says_because_of_what():
    assert BAD.results[-1] == Found(FALLS_BACK, Outcome.NOT_LOOKED_AT, "because of CONFORM-006")
    assert not BAD.passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument"),
        (("--grace-seconds", "0", "--", "python"), "0.1"),
        (("--steps", "0", "--", "python"), "--steps"),
        (("--grace-seconds", "9", "--contract", "c", "--", "python"), "either --grace-seconds or --contract"),
        (("--contract", "/not/there", "--", "python"), "/not/there cannot be read"),
        (("--", "/not/there/python"), "'/not/there/python' cannot be started: No such file or directory"),
    ],
)
def test_bad_use_ends_with_2_and_one_message(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n│", "")
    assert result.stdout == ""


def test_what_cannot_be_judged_is_no_failure_of_the_trainer(monkeypatch):
    def trial(*_):
        raise CheckpointError("the extra is not installed")

    monkeypatch.setattr(command, "trial", trial)
    result = run("--", "python")
    assert (result.exit_code, result.stderr) == (2, "error: the extra is not installed\n")
