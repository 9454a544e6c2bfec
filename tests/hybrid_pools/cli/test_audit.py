"""`hybrid-pools audit` tells people and programs the same."""

import json

from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from hybrid_pools.training.audit import EXAMPLE, RULES


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["audit", *(str(argument) for argument in arguments)])


def test_shows_each_segment_with_its_place_and_the_reason() -> None:
    result = run(EXAMPLE)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["pretrain-worker", "spot", "training", "AUD-11"] in [words[:4] for words in lines]
    assert ["serve", "stable", "service", "AUD-01"] in [words[:4] for words in lines]
    assert "within 10 s on spot and 595 s on the buffer" in result.stdout


def test_tells_programs_the_same() -> None:
    told = json.loads(run(EXAMPLE, "--output", "json").stdout)
    found = {row["segment"]: row for row in told}
    assert len(found) == len(told)
    assert found["finetune-large"]["toSpot"] == "Let it save within 10 s of a signal, outside the node."
    assert {row["rule"] for row in told} <= {rule.id for rule in RULES}
    assert all(row["why"] and row["source"] for row in told)


def test_a_file_that_is_not_there_is_one_message(tmp_path) -> None:
    result = run(tmp_path / "none.yaml")
    assert result.exit_code == 1
    assert "does not exist" in result.stderr
    assert "docs/audit.md" in result.stderr
