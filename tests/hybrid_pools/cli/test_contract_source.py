"""Where commands get a contract from: a file, a pipe, or Pulumi."""

import json
from pathlib import Path

import pytest

from tests.hybrid_pools.cli.test_cli import contract_text, run


@pytest.fixture
def pulumi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers as Pulumi does, alone on PATH: with a contract for stack `prod`, the current one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "contract.json").write_text(f"{contract_text()}\n")
    program = folder / "pulumi"
    program.write_text(
        f"""#!/bin/sh
echo "$@" >{folder}/asked
case "$*" in
  *"--stack absent"*) echo "error: no stack named 'absent' found" >&2; exit 255 ;;
  *"--stack empty"*) exit 0 ;;
esac
while read -r line; do echo "$line"; done <{folder}/contract.json
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


class TestPulumi:
    def test_is_asked_for_the_stack_that_is_named(self, pulumi: Path):
        asked = run("pools", "--stack", "prod", "--output", "json")
        assert asked.exit_code == 0
        assert json.loads(asked.stdout) == json.loads(run("pools", "--contract", "-", "--output", "json", text=contract_text()).stdout)
        assert (pulumi / "asked").read_text().strip() == "stack output contract --json --non-interactive --color never --stack prod"

    def test_says_itself_why_it_has_no_contract(self, pulumi: Path):
        refused = run("pools", "--stack", "absent")
        assert refused.exit_code == 1
        assert "no stack named 'absent' found" in refused.stderr
        assert "give --contract FILE" in refused.stderr

    def test_that_says_nothing_is_no_contract(self, pulumi: Path):
        refused = run("pools", "--stack", "empty")
        assert refused.exit_code == 1
        assert refused.stderr.startswith("error: the contract that pulumi gives of stack empty is empty")

    def test_is_missed_with_the_ways_to_go_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        refused = run("pools", "--stack", "prod")
        assert refused.exit_code == 1
        assert "there is no pulumi on PATH" in refused.stderr
        assert "--contract FILE" in refused.stderr


class TestAFile:
    @pytest.mark.parametrize(
        ("make", "said"),
        [
            (lambda _: None, "cannot be read: No such file"),
            (lambda file: file.mkdir(), "cannot be read: Is a directory"),
            (lambda file: file.write_bytes(contract_text().encode("utf-16")), "is UTF-16 text"),
            (lambda file: file.write_text(contract_text()[:500]), "it was cut short"),
            (lambda file: file.symlink_to(file), "cannot be read"),
        ],
    )
    def test_that_is_no_contract_is_refused_by_its_name(self, tmp_path: Path, make, said: str):
        file = tmp_path / "contract.json"
        make(file)
        refused = run("pools", "--contract", file)
        assert refused.exit_code == 1
        assert refused.stderr.startswith(f"error: {file} ")
        assert said in refused.stderr

    def test_and_a_stack_are_not_given_together(self, tmp_path: Path):
        assert run("pools", "--contract", tmp_path / "contract.json", "--stack", "prod").exit_code == 2
