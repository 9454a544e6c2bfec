"""A flood of jobs from three teams is shared by weight, and none is lost while the parts of the control plane are killed.

How long a job runs is the test's to say: it ends the oldest ones, a few at a time, as others come in. So the teams compete all the time,
however quick the machine is. Shares are GPU time: the quota that each team's jobs hold, integrated over the time in which all of it is
taken and every team has jobs that wait. Admissions would not do: they count a job that was pushed off again like one that ran. The first
jobs to come find free GPUs and need not compete; what is held counts once as many jobs have ended as there are GPUs. Every team floods
alike, so that order of arrival would give each a third.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, WorkloadClass, cluster_queue, team_namespace
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from lab.cluster.kubernetes import API_SERVER, CONTROLLER_MANAGER
from lab.cluster.kueue import KUEUE
from tests.cluster.admission.api import Api, at_once
from tests.cluster.queues.play import Play, job_of
from tests.cluster.stack import WEIGHTS, engineers, listed, succeed
from tests.cluster.waiting import eventually
from tests.workloads import Manifest

pytestmark = pytest.mark.cluster

SIZE = 1002 if os.environ.get("HYPOTHESIS_PROFILE") == "sweep" else 300
"""Jobs of one GPU each, a third from each team."""

GPUS = 60
AT_A_TIME = 6
"""GPUs at the most whose job has ended and whose next one does not run yet."""

TOLERANCE = 0.1
PATIENCE = 1500.0
"""Seconds for all of it."""

DEAD_LOOKS = 5
"""How often the test looks at the flood while a part is dead."""

_NO_ANSWER = (ApiException, HTTPError, HTTPException, OSError)
_L4 = {ACCELERATOR_LABEL: "nvidia-l4", "hybrid-pools.io/role": "spot"}


@dataclass
class Flood:
    """The jobs, as they come and go.

    Attributes:
        shares: GPU seconds by team while all wanted more than there was.
        ended: Jobs that the test has ended, as far as the answers came.
    """

    play: Play
    shares: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    ended: int = 0
    _last: float | None = None

    def look(self) -> int:
        """Look once, account, and end some jobs. Returns how many wait or hold quota."""
        admin = self.play.stack.admin
        pending, held = self._by_team("pendingWorkloads"), self._by_team("reservingWorkloads")
        running = [pod for pod in listed(admin, "/api/v1/pods", fieldSelector="status.phase=Running") if _is_ours(pod)]
        contested = all(pending.values())
        oldest = sorted(running, key=lambda pod: (pod["status"]["startTime"], pod["metadata"]["name"]))
        if contested and sum(held.values()) == GPUS and self.ended >= GPUS:
            self._account(held)
        else:
            self.interrupt()
        self._succeed(oldest[: max(0, AT_A_TIME - (GPUS - len(running)))] if contested else oldest)
        return sum(pending.values()) + sum(held.values())

    def _by_team(self, number: str) -> dict[str, int]:
        queues = {one["metadata"]["name"]: one["status"] for one in listed(self.play.stack.admin, f"/apis/{KUEUE_API}/clusterqueues")}
        return {team: int(queues[cluster_queue(team, WorkloadClass.TRAINING)].get(number, 0)) for team in WEIGHTS}

    def is_there(self, number: int) -> bool:
        """Whether Kueue knows of all jobs."""
        return sum(self._by_team("pendingWorkloads").values()) + sum(self._by_team("reservingWorkloads").values()) == number

    def interrupt(self) -> None:
        """What passes until the next look is not accounted."""
        self._last = None

    def evicted(self) -> int:
        """Jobs that were pushed off at least once."""
        found = listed(self.play.stack.admin, f"/apis/{KUEUE_API}/workloads")
        return sum(one["type"] == "Evicted" for workload in found for one in workload["status"]["conditions"])

    def _account(self, gpus: Mapping[str, int]) -> None:
        now = time.monotonic()
        if self._last is not None:
            for team, number in gpus.items():
                self.shares[team] += number * (now - self._last)
        self._last = now

    def _succeed(self, pods: list[dict[str, Any]]) -> None:
        for pod in pods:
            self.ended += succeed(self.play.stack.admin, pod)


def _is_ours(pod: dict[str, Any]) -> bool:
    return pod["metadata"]["namespace"] in map(team_namespace, WEIGHTS) and "deletionTimestamp" not in pod["metadata"]


def _jobs() -> Iterator[Manifest]:
    for index in range(SIZE // len(WEIGHTS)):
        for team in WEIGHTS:
            yield job_of(team, f"flood-{index}", gpus=1, selector=_L4)


def _create_all(play: Play) -> None:
    api = Api(play.stack.control_plane)
    answers = at_once(
        lambda job: api.create(job, "engineer@acme.example", engineers(job["metadata"]["namespace"].removeprefix("team-")), keep=True),
        list(_jobs()),
    )
    assert [answer.body for answer in answers if not answer.admitted] == []


class Killer:
    """Kills one part after the other, each at its share of the flood; the others go on without it for a while.

    Attributes:
        killed: Names of the parts that are up again.
    """

    def __init__(self, play: Play) -> None:
        self._plane = play.stack.control_plane
        self._due = [(0.25, KUEUE), (0.5, API_SERVER), (0.75, CONTROLLER_MANAGER)]
        self._dead: str | None = None
        self._looks = 0
        self.killed: list[str] = []

    def look(self, share: float) -> bool:
        """Whether something was killed or started."""
        if self._dead is not None:
            self._looks += 1
            if self._looks < DEAD_LOOKS:
                return False
            self._plane.start()
            self.killed.append(self._dead)
            self._dead = None
            return True
        if self._due and share >= self._due[0][0]:
            _, self._dead = self._due.pop(0)
            self._looks = 0
            self._plane.kill(self._dead)
            return True
        return False


def _all_succeeded(play: Play) -> bool:
    jobs = [job for team in WEIGHTS for job in listed(play.stack.admin, f"/apis/batch/v1/namespaces/{team_namespace(team)}/jobs")]
    assert len(jobs) == len(list(_jobs()))
    odd = [job["metadata"]["name"] for job in jobs if (job["status"].get("succeeded"), job["status"].get("failed", 0)) != (1, 0)]
    assert not odd, (len(odd), odd[:3])
    return all(any(one["type"] == "Complete" and one["status"] == "True" for one in job["status"]["conditions"]) for job in jobs)


class TestAFloodOfJobs:
    def test_is_shared_by_weight_and_loses_no_job_whatever_is_killed(self, play: Play):
        _create_all(play)
        flood, killer, number = Flood(play), Killer(play), len(list(_jobs()))
        eventually(lambda: flood.is_there(number), within=120)
        give_up, left = time.monotonic() + PATIENCE, number
        while left or len(killer.killed) < 3:
            assert time.monotonic() < give_up, (left, killer.killed, dict(flood.shares))
            try:
                left = flood.look()
            except _NO_ANSWER:
                flood.interrupt()
            if killer.look(1 - left / number):
                flood.interrupt()
        eventually(lambda: _all_succeeded(play), within=60)
        whole = sum(flood.shares.values())
        found = {team: share / whole for team, share in flood.shares.items()}
        print(f"{number} jobs, {whole:.0f} contested GPU seconds, shares {found}, {flood.evicted()} evictions")  # noqa: T201
        for team, weight in WEIGHTS.items():
            assert found[team] == pytest.approx(weight / sum(WEIGHTS.values()), rel=TOLERANCE)
