"""A real trainer on the double of Vertex AI: killed in the middle of one job after the other, it ends as if nobody had touched it."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.auth.credentials import AnonymousCredentials

from hybrid_pools.blueprint.vocabulary import CHECKPOINT_URI_VARIABLE, STEPS_FILE_VARIABLE, BucketKind
from hybrid_pools.training.checkpoints import Checkpoints
from hybrid_pools.training.vertex import State, submit, vertex_request
from hybrid_pools.training.vertex.service import VertexJobs
from tests.hybrid_pools.training.vertex.double import TAKEN, FakeClock, Script, Service, serving
from tests.hybrid_pools.training.vertex.jobs import ACCOUNT, DESCRIBED, contract_of, job

ROOT = Path(__file__).parents[4]
STEPS = 250


class Machines:
    """Run the command of a job, and take the machine away as soon as the run has a new checkpoint."""

    def __init__(self, folder: Path, taken: int) -> None:
        self._folder, self._taken = folder, taken
        self.attempts: list[tuple[int, int]] = []
        """First and last step of each attempt."""
        self.said: list[str] = []
        """Last line of the last one."""

    def run(self, body: Mapping[str, Any]) -> Script:
        """The life that a job had."""
        container = body["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]
        steps = self._folder / f"steps-{len(self.attempts)}"
        steps.touch()
        variables = {one["name"]: one["value"] for one in container["env"]} | {STEPS_FILE_VARIABLE: str(steps)}
        process = subprocess.Popen(
            container["command"], cwd=ROOT, env=os.environ | variables | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
        )
        before = self._newest(variables)
        with process:
            while process.poll() is None:
                if len(self.attempts) < self._taken and self._newest(variables) > before:
                    process.kill()
                time.sleep(0.02)
            self.said = process.stdout.read().splitlines()[-1:] if process.stdout else []
        done = _steps(steps)
        self.attempts.append((done[0], done[-1]))
        return Script(runs=700) if process.returncode == 0 else replace(TAKEN, runs=700)

    def _newest(self, variables: Mapping[str, str]) -> int:
        found = Checkpoints(variables[CHECKPOINT_URI_VARIABLE]).latest()
        return found.checkpoint.step if found else 0


def _steps(file: Path) -> list[int]:
    return [int(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]]


def trained(folder: Path, step_seconds: float, taken: int) -> Machines:
    """A run to its end, on machines of which so many are taken away. It saves every two seconds."""
    folder.mkdir()
    told = contract_of("local")
    local = {BucketKind.CHECKPOINTS: f"file://{folder}/runs/vision/"}
    told = told.model_copy(update={"teams": tuple(team.model_copy(update={"prefixes": local}) for team in told.teams)})
    described = job(
        command=[sys.executable, "examples/trainer.py", "--steps", str(STEPS), "--step-seconds", str(step_seconds)],
        workers={"count": 1, "gpus": 1, "cpu": 4, "memoryGib": 16},
        checkpoint=DESCRIBED["checkpoint"] | {"saveSeconds": 1, "intervalSeconds": 2},
    )
    request = vertex_request(described, told, ACCOUNT)
    machines = Machines(folder, taken)
    service = Service(FakeClock(), [], execute=machines.run)
    with serving(service) as address:
        jobs = VertexJobs(request.parent, AnonymousCredentials(), address)  # type: ignore[no-untyped-call]
        assert submit(request, jobs, service.clock, lambda _, __: None).state is State.SUCCEEDED
    return machines


def test_a_run_whose_machines_are_taken_resumes_from_its_last_checkpoint_and_ends_with_the_same_numbers(tmp_path):
    undisturbed = trained(tmp_path / "undisturbed", 0, 0)
    disturbed = trained(tmp_path / "disturbed", 0.03, 2)
    assert undisturbed.attempts == [(1, STEPS)]
    assert len(disturbed.attempts) == 3
    (_, first_end), (second_start, second_end), (third_start, third_end) = disturbed.attempts
    assert 1 < second_start <= first_end + 1
    assert second_start <= third_start <= second_end + 1
    assert third_end == STEPS
    assert disturbed.said == undisturbed.said
    assert disturbed.said[0].startswith(f"step {STEPS}: loss ")
