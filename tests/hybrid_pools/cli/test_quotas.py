"""`hybrid-pools quotas` gives each quota one line and its exit code tells a pipeline whether to go on."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from tests.environments import ENVIRONMENTS, STACKS, blueprint_of

PROD = STACKS / "Pulumi.prod.yaml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["quotas", *(str(argument) for argument in arguments)])


def export(folder: Path, file_name: str = "region.json", **changes: Any) -> Path:
    """An export that covers everything, or is changed."""
    quotas = [{"metric": need.name, "limit": need.amount + 1000, "usage": 1} for need in blueprint_of("prod").quotas if need.name]
    file = folder / file_name
    file.write_text(json.dumps({"kind": "compute#region", "name": "us-central1", "quotas": quotas} | changes))
    return file


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_shows_every_quota_of_every_environment(environment: str) -> None:
    result = run("--stack-file", STACKS / f"Pulumi.{environment}.yaml")
    assert result.exit_code == 0
    for need in blueprint_of(environment).quotas:
        assert need.name is None or need.name in result.stdout


def test_passes_where_every_quota_is_large_enough(tmp_path: Path) -> None:
    result = run("-f", PROD, "--usage", export(tmp_path), "--usage", export(tmp_path, "project.json", kind="compute#project", name="acme"))
    assert result.exit_code == 0
    assert "short by" not in result.stdout
    assert "not in the export" not in result.stdout


def test_ends_with_1_where_a_quota_is_too_small_and_says_by_how_much(tmp_path: Path) -> None:
    file = export(tmp_path, quotas=[{"metric": "NVIDIA_L4_GPUS", "limit": 30, "usage": 0}])
    result = run("-f", PROD, "-u", file)
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if line.strip().startswith("NVIDIA_L4_GPUS")]
    assert "short by 2" in line
    assert "Traceback" not in result.output


def test_tells_programs_the_same(tmp_path: Path) -> None:
    result = run("-f", PROD, "-u", export(tmp_path, quotas=[{"metric": "NVIDIA_L4_GPUS", "limit": 30, "usage": 4.5}]), "--output", "json")
    assert result.exit_code == 1
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert rows["NVIDIA_L4_GPUS"] == {
        "name": "NVIDIA_L4_GPUS",
        "what": "nvidia-l4 GPUs",
        "unit": "GPUs",
        "location": "us-central1",
        "amount": 32,
        "pools": ["buffer-l4"],
        "limit": 30.0,
        "usage": 4.5,
        "outcome": "short",
        "shortBy": 2,
        "note": "ask for 32 or lower the limits of the pools",
    }
    assert rows["GPUS_ALL_REGIONS"]["outcome"] == "not in the export"


def test_tells_programs_the_needs_alone_without_an_export() -> None:
    rows = json.loads(run("-f", PROD, "-o", "json").stdout)
    assert set(rows[0]) == {"name", "what", "unit", "location", "amount", "pools"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"no JSON", "is not JSON"),
        (b"{}", "is no export"),
        (b'{"kind": "compute#region", "name": "us-central1", "quotas": [7]}', "quotas[0]"),
        (b'{"kind": "compute#region", "name": "europe-west4", "quotas": []}', "is of the region europe-west4"),
    ],
)
def test_a_wrong_file_is_refused_in_one_message(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "usage.json"
    if content is not None:
        file.write_bytes(content)
    result = run("-f", PROD, "-u", file)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_two_exports_of_one_place_are_refused(tmp_path: Path) -> None:
    result = run("-f", PROD, "-u", export(tmp_path), "-u", export(tmp_path, "again.json"))
    assert result.exit_code == 1
    assert "a second export of us-central1" in result.stderr
