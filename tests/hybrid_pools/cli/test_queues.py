"""`hybrid-pools queues` shows people and programs the same classes, flavors and quotas."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from tests.environments import ENVIRONMENTS, STACKS, blueprint_of

LOCAL = STACKS / "Pulumi.local.yaml"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["queues", *(str(argument) for argument in arguments)])


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_shows_every_queue_of_every_environment(environment: str) -> None:
    result = run("--stack-file", STACKS / f"Pulumi.{environment}.yaml")
    assert result.exit_code == 0
    kubernetes = blueprint_of(environment).kubernetes
    assert kubernetes is not None
    lines = [line.split() for line in result.stdout.splitlines()]
    for queue in kubernetes.queues.queues:
        flavors = [words[3] for words in lines if len(words) > 4 and (words[0], words[2]) == (queue.team, queue.local_queue)]
        assert flavors == [quota.flavor for quota in queue.quotas]
    for policy in kubernetes.classes:
        assert any(words[:2] == [policy.workload_class, str(policy.priority)] for words in lines)


def test_tells_programs_the_same() -> None:
    result = run("-f", LOCAL, "--output", "json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told.keys() == {"classes", "flavors", "teams", "shared", "buffer"}
    assert {one["name"]: one["flavors"] for one in told["classes"]}["training"] == ["spot-l4", "buffer-l4", "stable-cpu"]
    assert [(team["team"], team["weight"]) for team in told["teams"]] == [("speech", 1), ("vision", 2)]
    (vision,) = [team for team in told["teams"] if team["team"] == "vision"]
    (training,) = [queue for queue in vision["queues"] if queue["name"] == "training"]
    assert training["clusterQueue"] == "vision-training"
    assert [(quota["flavor"], quota["nominal"]["gpus"]) for quota in training["quotas"]] == [
        ("spot-l4", 4),
        ("buffer-l4", 0),
        ("stable-cpu", 0),
    ]
    assert [(quota["flavor"], quota["nominal"]["gpus"]) for quota in told["shared"]] == [("spot-l4", 4)]
    assert [(quota["flavor"], quota["nominal"]["gpus"]) for quota in told["buffer"]] == [("buffer-l4", 2)]


def test_says_what_to_add_where_nothing_is_declared_inside_the_cluster(tmp_path: Path) -> None:
    whole = yaml.safe_load(LOCAL.read_text())
    for section in ("kubernetes", "queues"):
        del whole["config"][f"hybrid-node-pools:{section}"]
    file = tmp_path / "Pulumi.bare.yaml"
    file.write_text(yaml.safe_dump(whole))
    result = run("-f", file)
    assert result.exit_code == 1
    assert "Add the sections kubernetes and queues" in result.stderr
    assert "Traceback" not in result.output
