"""What becomes of rendered runs by how their pods end: Kubernetes, JobSet and Kueue decide, and pods on simulated nodes are ended."""

from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import RESUME_EXIT_CODE, TERMINATED_EXIT_CODE
from hybrid_pools.training.launch import manifest, plan
from lab.cluster.apply import read
from lab.cluster.calling import MERGE, call
from tests.cluster.queues.play import Play
from tests.cluster.queues.test_launch import contract_of
from tests.cluster.stack import listed
from tests.cluster.waiting import eventually
from tests.hybrid_pools.training.launch.test_refusals import job

pytestmark = pytest.mark.cluster

WORKERS = 2
GANG = {"team": "audio", "workers": {"count": WORKERS, "gpus": 1, "cpu": 1, "memoryGib": 1}}
ALONE = {"team": "audio", "workers": {"count": 1, "gpus": 1, "cpu": 1, "memoryGib": 1}}
DISRUPTED = "disrupted"

Ends = tuple[tuple[int | str, int], ...]
"""How pods end, one after the other, and what is counted for each."""

ENDS: Ends = ((RESUME_EXIT_CODE, 0), (TERMINATED_EXIT_CODE, 0), (DISRUPTED, 0), (1, 1), (139, 1), (RESUME_EXIT_CODE, 0))


def started(play: Play, **described: Any) -> dict[str, Any]:
    """A run whose pods all have nodes."""
    made = manifest(plan(job(**described), contract_of(play.stack.blueprint)))
    play.give("audio", made)
    eventually(lambda: len(bound(play)) == described["workers"]["count"])
    return made


def bound(play: Play) -> list[dict[str, Any]]:
    """Pods that run, or soon will."""
    pods = listed(play.stack.admin, "/api/v1/namespaces/team-audio/pods")
    alive = [pod for pod in pods if pod["status"]["phase"] in ("Pending", "Running") and "deletionTimestamp" not in pod["metadata"]]
    return [pod for pod in alive if pod["spec"].get("nodeName")]


def end(play: Play, how: int | str) -> None:
    """End one pod as a kubelet would tell it: with an exit code, or because its node is taken."""
    pod = bound(play)[0]
    code = 137 if how == DISRUPTED else how
    state = {"terminated": {"exitCode": code, "reason": "Error"}}
    status: dict[str, Any] = {"phase": "Failed", "containerStatuses": [{**_container(pod), "state": state}]}
    if how == DISRUPTED:
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}]
    path = f"/api/v1/namespaces/team-audio/pods/{pod['metadata']['name']}/status"
    call(play.stack.admin, "PATCH", path, {"status": status}, MERGE)


def _container(pod: dict[str, Any]) -> dict[str, Any]:
    container = pod["spec"]["containers"][0]
    return {"name": container["name"], "image": container["image"], "imageID": "", "ready": False, "restartCount": 0}


def status_of(play: Play, made: dict[str, Any]) -> dict[str, Any]:
    found = read(play.stack.admin, made)
    assert found is not None
    status: dict[str, Any] = found.get("status", {})
    return status


class TestAGang:
    def test_starts_again_as_a_whole_and_counts_only_failures_of_its_own(self, play: Play):
        made = started(play, **GANG)
        counted = 0
        for restarts, (how, counts) in enumerate(ENDS, start=1):
            before = {pod["metadata"]["uid"] for pod in bound(play)}
            end(play, how)
            counted += counts

            def again(restarts: int = restarts, counted: int = counted, before: set[str] = before) -> bool:
                status = status_of(play, made)
                assert (status.get("restarts", 0), status.get("restartsCountTowardsMax", 0)) == (restarts, counted), status
                return len({pod["metadata"]["uid"] for pod in bound(play)} - before) == WORKERS

            eventually(again)

    @pytest.mark.parametrize("code", [126, 127])
    def test_ends_at_once_where_there_is_no_command(self, play: Play, code: int):
        made = started(play, **GANG)
        end(play, code)
        eventually(lambda: status_of(play, made).get("terminalState") == "Failed")
        assert status_of(play, made).get("restarts", 0) == 0


class TestASingleWorker:
    @pytest.mark.parametrize("how", [RESUME_EXIT_CODE, DISRUPTED])
    def test_starts_again_and_counts_only_failures_of_its_own(self, play: Play, how: int | str):
        made = started(play, **ALONE)
        (before,) = bound(play)
        end(play, how)
        # The job controller waits before each new pod, and longer each time.
        assert eventually(lambda: [pod for pod in bound(play) if pod["metadata"]["uid"] != before["metadata"]["uid"]])
        assert status_of(play, made).get("failed", 0) == 0
        end(play, 1)
        eventually(lambda: status_of(play, made).get("failed") == 1)

    def test_ends_at_once_where_there_is_no_command(self, play: Play):
        made = started(play, **ALONE)
        end(play, 127)
        reasons = eventually(
            lambda: [
                one["reason"] for one in status_of(play, made).get("conditions", ()) if (one["type"], one["status"]) == ("Failed", "True")
            ]
        )
        assert reasons == ["PodFailurePolicy"]
