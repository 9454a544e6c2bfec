"""What is read as a job description, and what is said of everything else."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from hybrid_pools.blueprint.vocabulary import RANK_VARIABLE, WorkloadClass
from hybrid_pools.documents.schemas import job_schema
from hybrid_pools.training.description import DescriptionError, Job, read_description

IMAGE = f"us-docker.pkg.dev/acme/train/resnet@sha256:{'0f' * 32}"
RIGHT: dict[str, Any] = {
    "version": 1,
    "name": "resnet-7",
    "team": "vision",
    "class": "training",
    "image": IMAGE,
    "command": ["python", "-m", "trainer"],
    "workers": {"count": 2, "gpus": 2, "cpu": 20, "memoryGib": 80},
    "checkpoint": {"sizeGib": 4, "stepSeconds": 2, "saveSeconds": 30},
    "boundHours": 72,
}
SCHEMA = jsonschema.Draft202012Validator(job_schema())


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(content: object) -> Job:
    file = Path("job.yaml")
    file.write_bytes(content) if isinstance(content, bytes) else file.write_text(yaml.safe_dump(content, sort_keys=False))
    return read_description(file)


def refusal(content: object) -> DescriptionError:
    with pytest.raises(DescriptionError) as refused:
        read(content)
    return refused.value


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in RIGHT.items() if name != key}


def inside(section: str, **changes: Any) -> dict[str, Any]:
    return RIGHT | {section: RIGHT.get(section, {}) | changes}


class TestADescription:
    def test_is_read_with_its_defaults(self):
        job = read(RIGHT)
        assert job.workload_class is WorkloadClass.TRAINING
        assert job.coordinator is None
        assert job.checkpoint is not None
        assert job.checkpoint.interval_seconds is None
        assert job.variables == {}

    @pytest.mark.parametrize(
        "content",
        [
            RIGHT,
            RIGHT | {"coordinator": {"command": ["run"]}, "variables": {"SEED": "7"}, "environment": "prod"},
            without("checkpoint") | {"class": "interactive"},
            RIGHT | {"package": {"module": "trainer.task", "uris": ["gs://acme/packages/trainer.tar.gz"]}},
            inside("workers", accelerator="nvidia-l4", flavor="spot-l4"),
            inside("workers", spreadOverZones=True),
            RIGHT | {"image": "trainer:7"},
            RIGHT | {"image": "localhost:5000/train/a__b.c:v1.2-rc_1"},
        ],
    )
    def test_fits_its_schema(self, content: dict[str, Any]):
        read(content)
        SCHEMA.validate(content)


class TestAWrongDescription:
    @pytest.mark.parametrize(
        ("content", "problems"),
        [
            (b"", {"CFG-013 (the whole file)"}),
            (b"# nothing\n", {"CFG-013 (the whole file)"}),
            (b"name: caf\xe9\n", {"CFG-011 (the whole file)"}),
            (b"\xff\xfen\x00", {"CFG-011 (the whole file)"}),
            (b"name: a\nname: [b\n", {"CFG-012 line 3, column 1"}),
            (b"version: 1\n---\nversion: 1\n", {"CFG-012 line 2, column 1"}),
            (b"&a [*a]\n", {"CFG-012 (the whole file)"}),
            (b"- version: 1\n", {"CFG-014 (the whole file)"}),
            (b"train it\n", {"CFG-014 (the whole file)"}),
            (yaml.safe_dump(RIGHT).encode() + b"name: other\n", {"CFG-015 name"}),
            (yaml.safe_dump(RIGHT).encode() + b"environment: !prod x\n", {"CFG-012 environment"}),
            ({"apiVersion": "batch/v1", "kind": "Job"}, {"CFG-013 (the whole file)"}),
            (RIGHT | {"version": 2}, {"CFG-004 version"}),
            (RIGHT | {"version": "1"}, {"CFG-004 version"}),
            (without("version"), {"CFG-001 version"}),
            (without("boundHours") | {"bound": 7}, {"CFG-002 bound"}),
            (without("checkpoint"), {"CFG-005 (the whole file)"}),
            (RIGHT | {"class": "service"}, {"CFG-004 class"}),
            (RIGHT | {"name": "Resnet_7"}, {"CFG-004 name"}),
            (RIGHT | {"name": "n" * 41}, {"CFG-004 name"}),
            (RIGHT | {"image": "trainer image"}, {"CFG-004 image"}),
            (RIGHT | {"image": f"trainer@sha256:{'0f' * 31}"}, {"CFG-004 image"}),
            (RIGHT | {"command": "python train.py"}, {"CFG-003 command"}),
            (RIGHT | {"command": []}, {"CFG-004 command"}),
            (RIGHT | {"boundHours": 0}, {"CFG-004 boundHours"}),
            (RIGHT | {"boundHours": float("inf")}, {"CFG-004 boundHours"}),
            (RIGHT | {"boundHours": "72"}, {"CFG-003 boundHours"}),
            (RIGHT | {"workers": None}, {"CFG-003 workers"}),
            (inside("workers", count=0, cpu=float("nan")), {"CFG-004 workers.count", "CFG-004 workers.cpu"}),
            (inside("workers", gpus=0, accelerator="nvidia-l4"), {"CFG-005 workers"}),
            (inside("workers", count=1, spreadOverZones=True), {"CFG-005 workers"}),
            (inside("workers", spreadOverZones="yes"), {"CFG-003 workers.spreadOverZones"}),
            (inside("workers", gpu=2), {"CFG-002 workers.gpu"}),
            (inside("checkpoint", saveSeconds=1.5), {"CFG-003 checkpoint.saveSeconds"}),
            (inside("checkpoint", intervalSeconds=30), {"CFG-005 checkpoint"}),
            (inside("checkpoint", stallSeconds=31), {"CFG-005 checkpoint"}),
            (RIGHT | {"coordinator": {}}, {"CFG-001 coordinator.command"}),
            (RIGHT | {"variables": {RANK_VARIABLE: "0"}}, {"CFG-005 (the whole file)"}),
            (RIGHT | {"variables": {"SEED": 7}}, {"CFG-003 variables.SEED"}),
            (RIGHT | {"variables": {"A-B": "7"}}, {"CFG-004 variables.A-B (the key itself)"}),
            (RIGHT | {"package": {"module": "a b", "uris": []}}, {"CFG-004 package.module", "CFG-004 package.uris"}),
        ],
    )
    def test_leads_to_exactly_the_problems_it_has(self, content: object, problems: set[str]):
        found = refusal(content)
        assert {f"{problem.rule} {problem.path}" for problem in found.problems} == problems
        assert len(found.problems) == len(problems)
        assert all(problem.message and problem.allowed and problem.fix for problem in found.problems)
        assert str(found).startswith(f"job.yaml: {len(problems)} problem")

    def test_that_is_not_there_says_where_to_start(self):
        with pytest.raises(DescriptionError, match="does not exist") as refused:
            read_description(Path("absent.yaml"))
        assert "docs/launch.md" in str(refused.value)

    def test_says_the_line_of_each_problem(self):
        found = refusal(inside("workers", count=0) | {"name": "Resnet"})
        assert {problem.path: problem.line for problem in found.problems} == {"name": 2, "workers.count": 11}

    def test_names_the_values_that_it_may_have(self):
        (problem,) = refusal(RIGHT | {"class": "service"}).problems
        assert problem.allowed == "training, deferred or interactive"
