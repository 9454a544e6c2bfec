"""`hybrid-pools submit` and `render --target vertex` as people call them; the service is the double of the library's tests."""

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from google.auth.credentials import AnonymousCredentials, Credentials
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app, submit
from hybrid_pools.training.vertex import Request, vertex_request
from hybrid_pools.training.vertex.service import VertexJobs
from tests.hybrid_pools.training.vertex.double import BUG, TAKEN, FakeClock, Script, Service, serving
from tests.hybrid_pools.training.vertex.jobs import ACCOUNT, DESCRIBED, contract_of, job

NOBODY: Credentials = AnonymousCredentials()  # type: ignore[no-untyped-call]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    description, contract = tmp_path / "job.yaml", tmp_path / "contract.json"
    description.write_text(yaml.safe_dump(DESCRIBED, sort_keys=False), encoding="utf-8")
    contract.write_text(contract_of("local").model_dump_json(by_alias=True, exclude_none=True), encoding="utf-8")

    def run(command: str, *arguments: str) -> Result:
        account = () if "--service-account" in arguments else ("--service-account", ACCOUNT)
        return CliRunner().invoke(app, [command, "-f", str(description), "--contract", str(contract), *account, *arguments])

    return run


@pytest.fixture
def vertex(monkeypatch: pytest.MonkeyPatch):
    service = Service(FakeClock(), [Script(runs=600)])
    with serving(service) as address:
        monkeypatch.setattr(submit, "_service", lambda request: (VertexJobs(request.parent, NOBODY, address), service.clock))
        yield service


def test_prints_the_request_that_it_would_make(run):
    request = vertex_request(job(), contract_of("local"), ACCOUNT)
    assert json.loads(run("render", "--target", "vertex", "--output", "json").stdout) == request.body()
    assert yaml.safe_load(run("render", "--target", "vertex").stdout) == request.body()


def test_warns_of_a_tag_that_may_be_another_program_after_a_restart(run, tmp_path):
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(DESCRIBED | {"image": "trainer:7"}), encoding="utf-8")
    result = run("render", "--target", "vertex", "--output", "json")
    assert "image trainer:7 is a tag" in result.stderr
    assert json.loads(result.stdout)


def test_warns_of_a_machine_that_vertex_ai_is_not_known_to_take(run, tmp_path):
    told = json.loads((tmp_path / "contract.json").read_text(encoding="utf-8"))
    for pool in told["pools"]:
        pool["machineType"] = "zz-future-24"
    (tmp_path / "contract.json").write_text(json.dumps(told), encoding="utf-8")
    assert (
        "workers get zz-future-24, as pool train-l4 has, and Vertex AI is not known to take it"
        in run("render", "--target", "vertex").stderr
    )


def test_a_service_account_and_a_target_that_has_none_are_refused(run):
    result = run("render")
    assert result.exit_code == 2
    assert "--target vertex and --service-account go together" in result.stderr


def test_follows_a_run_to_its_end_and_shows_each_step(run, vertex):
    vertex.scripts[:] = [TAKEN, Script(runs=600)]
    result = run("submit")
    assert result.exit_code == 0
    assert result.stdout == "vision/resnet-7 has succeeded, with attempt 2.\n"
    told = [line for line in result.stderr.splitlines() if line.startswith("attempt")]
    assert told == [
        "attempt 1 is projects/hybrid-pools-local/locations/us-central1/customJobs/1000",
        "attempt 1 waits for its machines",
        "attempt 1 is running",
        "attempt 2 follows at 09:02:00 UTC, from the last checkpoint",
        "attempt 2 is projects/hybrid-pools-local/locations/us-central1/customJobs/1001",
        "attempt 2 waits for its machines",
        "attempt 2 is running",
        "attempt 2 has succeeded",
    ]


def test_tells_programs_on_standard_output_alone(run, vertex):
    told = json.loads(run("submit", "--output", "json").stdout)
    assert (told["run"], told["attempt"], told["state"]) == ("resnet-7", 1, "JOB_STATE_SUCCEEDED")


def test_interrupted_it_says_what_goes_on_and_how_to_go_on(run, vertex, monkeypatch):
    sleep = vertex.clock.sleep

    def interrupting(duration: timedelta) -> None:
        sleep(duration)
        if len(vertex.clock.slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(vertex.clock, "sleep", interrupting)
    result = run("submit")
    assert result.exit_code == 130
    name = vertex.jobs[0].name
    assert f"Attempt 1 goes on at Google as {name}" in result.stderr
    assert "run the same command again" in result.stderr
    assert f"gcloud ai custom-jobs cancel {name}" in result.stderr
    # And so it is: nothing was cancelled, and the second run submits nothing.
    assert run("submit").exit_code == 0
    assert len(vertex.jobs) == 1
    assert vertex.jobs[0].cancelled is None


def test_interrupted_before_anything_was_submitted_it_says_so(run, monkeypatch):
    def interrupted(request: Request) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(submit, "_service", interrupted)
    result = run("submit")
    assert result.exit_code == 130
    assert "No job of the run is known" in result.stderr


def test_a_failed_run_is_one_message(run, vertex):
    vertex.scripts[:] = [BUG]
    result = run("submit")
    assert result.exit_code == 1
    assert "error: vision/resnet-7 has failed: The replica workerpool0-0 exited with a non-zero status of 1." in result.stderr
    assert "Traceback" not in result.stderr


def test_without_the_extra_it_says_how_to_install_it(run, monkeypatch):
    monkeypatch.delitem(sys.modules, "hybrid_pools.training.vertex.service", raising=False)
    monkeypatch.setitem(sys.modules, "googleapiclient.discovery", None)
    result = run("submit")
    assert result.exit_code == 1
    assert "googleapiclient.discovery is not installed" in result.stderr
    assert "pip install 'hybrid-node-pools[vertex]'" in result.stderr


def test_an_account_that_cannot_be_one_is_refused_like_every_problem_of_the_description(run):
    result = run("submit", "--service-account", "trainer")
    assert result.exit_code == 1
    assert "[VTX-006] is no Google service account" in result.stderr
