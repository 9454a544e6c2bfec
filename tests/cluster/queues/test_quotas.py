"""Quotas and orders of pools on the real Kueue: who gets what, and who gives it back."""

import time
from collections import Counter

import pytest

from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, CHECKPOINT_URI_ANNOTATION, WorkloadClass
from lab.cluster.apply import read
from tests.cluster.queues.play import Play, address
from tests.cluster.stack import listed
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster

T4 = {ACCELERATOR_LABEL: "nvidia-tesla-t4"}
WITHIN = 30
"""Seconds in which a team gets its own back."""


class TestATeam:
    def test_gets_its_quota_back_while_another_borrows_it(self, play: Play):
        borrowed = [play.start("speech", f"long-{index}", gpus=1, selector=T4) for index in range(8)]
        for job in borrowed:
            play.runs(job, "spot-t4")
        started = time.monotonic()
        own = [play.start("audio", f"own-{index}", gpus=1, selector=T4) for index in range(2)]
        for job in own:
            play.runs(job, "spot-t4", within=WITHIN - (time.monotonic() - started))
        # No more than was owed is taken.
        eventually(lambda: sorted(sum(play.flavors(job).values()) for job in borrowed) == [0] * 2 + [1] * 6)

    def test_has_an_evicted_job_come_back_with_its_checkpoints(self, play: Play):
        borrowed = {f"long-{index}": play.start("speech", f"long-{index}", gpus=1, selector=T4) for index in range(8)}
        before = {name: uid for name, job in borrowed.items() for uid in [_pod_uid(play, job)]}
        owner = play.start("audio", "own", gpus=1, selector=T4)
        play.runs(owner, "spot-t4")

        def evicted() -> list[str]:
            return [name for name, job in borrowed.items() if (read(play.stack.admin, job) or {})["spec"]["suspend"]]

        (name,) = eventually(evicted)
        play.waits(borrowed[name])
        conditions = {one["type"]: one for one in play.workload(borrowed[name])["status"]["conditions"]}
        assert (conditions["Evicted"]["status"], conditions["Evicted"]["reason"]) == ("True", "Preempted")
        play.end(owner)
        play.runs(borrowed[name], "spot-t4")
        (pod,) = play.pods(borrowed[name])
        assert pod["metadata"]["uid"] != before[name]
        assert pod["metadata"]["annotations"][CHECKPOINT_URI_ANNOTATION] == address("speech", name)


def _pod_uid(play: Play, job: dict[str, object]) -> str:
    play.runs(job, "spot-t4")
    (pod,) = play.pods(job)
    return str(pod["metadata"]["uid"])


class TestAClass:
    def test_of_training_goes_to_spot_then_to_the_buffer_then_to_stable(self, play: Play):
        play.open_buffer(opens=True)
        for flavor, pods, gpus in (("spot-l4", 30, 2), ("spot-t4", 8, 1), ("buffer-l4", 2, 1), ("stable-l4", 1, 1)):
            job = play.start("vision", f"on-{flavor}", gpus=gpus, pods=pods)
            play.runs(job, flavor, pods)
        play.waits(play.start("vision", "late", gpus=1))

    def test_of_deferred_work_never_goes_to_stable(self, play: Play):
        play.open_buffer(opens=True)
        for flavor, pods, gpus in (("spot-l4", 30, 2), ("spot-t4", 2, 1), ("buffer-l4", 2, 1)):
            selector = T4 if flavor == "spot-t4" else None
            job = play.start("vision", f"on-{flavor}", gpus=gpus, pods=pods, selector=selector, workload_class=WorkloadClass.DEFERRED)
            play.runs(job, flavor, pods)
            if flavor == "spot-t4":
                play.runs(play.start("vision", "more", gpus=1, pods=6, workload_class=WorkloadClass.DEFERRED), flavor, 6)
        play.waits(play.start("vision", "late", gpus=1, workload_class=WorkloadClass.DEFERRED))

    def test_of_interactive_work_goes_to_stable_then_to_the_buffer(self, play: Play):
        play.open_buffer(opens=True)
        for name, flavor in (("first", "stable-cpu"), ("second", "buffer-l4")):
            play.runs(play.start("audio", name, cpu="2", workload_class=WorkloadClass.INTERACTIVE), flavor)

    def test_waits_for_the_buffer_while_services_have_it(self, play: Play):
        job = play.start("audio", "first", cpu="2", workload_class=WorkloadClass.INTERACTIVE)
        play.runs(job, "stable-cpu")
        late = play.start("audio", "second", cpu="2", workload_class=WorkloadClass.INTERACTIVE)
        play.waits(late)
        play.open_buffer(opens=True)
        play.runs(late, "buffer-l4")


class TestAJobSet:
    def test_has_its_coordinator_on_stable_and_its_workers_on_spot(self, play: Play):
        made = play.job_set("audio", "mixed")
        parts = [{"metadata": {**made["metadata"], "name": f"mixed-{part}"}} for part in ("coordinator-0", "workers-0", "workers-1")]
        placed = [("stable-cpu", parts[0]), ("spot-l4", parts[1]), ("spot-l4", parts[2])]
        for flavor, part in placed:
            play.runs(part, flavor)
        assert Counter(flavor for flavor, _ in placed) == Counter({"spot-l4": 2, "stable-cpu": 1})


class TestServices:
    def test_push_training_off_the_buffer(self, play: Play):
        play.open_buffer(opens=True)
        jobs = [play.start("audio", f"night-{index}", gpus=1, selector={"hybrid-pools.io/role": "buffer"}) for index in range(2)]
        for job in jobs:
            play.runs(job, "buffer-l4")
        service = play.serve("web", 2)
        eventually(lambda: play.flavors_of_service(service) == Counter({"buffer-l4": 2}))
        eventually(lambda: sum((play.flavors(job) for job in jobs), Counter()) == Counter())

    def test_are_never_pushed_off_by_training(self, play: Play):
        service = play.serve("web", 2)
        eventually(lambda: play.flavors_of_service(service) == Counter({"buffer-l4": 2}))
        before = _uids(play)
        play.open_buffer(opens=True)
        job = play.start("audio", "night", gpus=1, selector={"hybrid-pools.io/role": "buffer"})
        (pod,) = eventually(lambda: [one for one in play.pods(job) if _is_refused(one)])
        assert "nominatedNodeName" not in pod["status"]
        assert _uids(play) == before


def _uids(play: Play) -> set[str]:
    return {pod["metadata"]["uid"] for pod in listed(play.stack.admin, "/api/v1/namespaces/team-web/pods")}


def _is_refused(pod: dict[str, dict[str, list[dict[str, str]]]]) -> bool:
    conditions = {one["type"]: one for one in pod["status"].get("conditions", ())}
    return conditions.get("PodScheduled", {}).get("reason") == "Unschedulable"
