from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from lab.kubelet.containers import Attempt
from lab.kubelet.lifecycle import Cause
from lab.kubelet.status import PodView, Waiting, is_over, pod_phase, pod_status
from tests.lab.kubelet.pods import NOW, container, ended, pod, running

_POLICIES = ("Always", "OnFailure", "Never")
_ATTEMPTS: st.SearchStrategy[list[Attempt]] = st.one_of(
    st.just([]), st.just([running()]), st.integers(0, 255).map(lambda code: [ended(code)])
)
_CODES = st.integers(0, 255)


def _view(main: list[Attempt], **more: Any) -> PodView:
    return PodView({"main": main}, "2026-12-01T00:00:00Z", NOW, **more)


class TestThePhase:
    @pytest.mark.parametrize(
        ("attempts", "phase"),
        [
            ([], "Pending"),
            ([Attempt(0)], "Pending"),
            ([running()], "Running"),
            ([ended(1)], "Running"),
            ([ended(1), running(1)], "Running"),
        ],
    )
    def test_of_a_pod_that_goes_on(self, attempts: list[Attempt], phase: str):
        assert pod_phase(pod(), _view(attempts)) == phase

    @given(_CODES, st.sampled_from([None, Cause.DELETED, Cause.SHUTDOWN]))
    def test_of_an_ended_pod_is_success_on_exit_0_whoever_ended_it(self, code: int, cause: Cause | None):
        assert pod_phase(pod(), _view([ended(code)], stop=cause, ended=True)) == ("Succeeded" if code == 0 else "Failed")

    @given(_CODES)
    def test_after_a_deadline_is_failure(self, code: int):
        assert pod_phase(pod(), _view([ended(code)], stop=Cause.DEADLINE, ended=True)) == "Failed"

    @given(_ATTEMPTS, st.sampled_from([None, *Cause]))
    def test_is_final_exactly_when_nothing_runs_any_more(self, attempts: list[Attempt], cause: Cause | None):
        view = _view(attempts, stop=cause)
        assert pod_phase(pod(), view) in ("Pending", "Running")
        assert pod_phase(pod(), replace(view, ended=True)) in ("Succeeded", "Failed")

    def test_waits_for_init_containers(self):
        made = pod(initContainers=[container("first")])
        assert pod_phase(made, PodView({"first": [running()], "main": []}, NOW, NOW)) == "Pending"
        assert pod_phase(made, PodView({"first": [ended(0)], "main": [running()]}, NOW, NOW)) == "Running"


class TestTheEnd:
    @given(_ATTEMPTS, st.sampled_from(_POLICIES))
    def test_is_there_when_nothing_is_started_again(self, attempts: list[Attempt], policy: str):
        code = attempts[-1].exit_code if attempts else None
        expected = code is not None and (policy == "Never" or (policy == "OnFailure" and code == 0))
        assert is_over(pod(restartPolicy=policy), _view(attempts)) is expected

    @pytest.mark.parametrize(("policy", "over"), [("Never", True), ("OnFailure", False), ("Always", False)])
    def test_comes_with_a_failed_init_container(self, policy: str, over: bool):
        made = pod(initContainers=[container("first")], restartPolicy=policy)
        assert is_over(made, PodView({"first": [ended(1)], "main": []}, NOW, NOW)) is over


def _conditions(status: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["type"]: each for each in status["conditions"]}


class TestConditions:
    @given(st.lists(_ATTEMPTS, min_size=2, max_size=2))
    def test_a_pod_is_ready_exactly_when_all_its_containers_run(self, attempts: list[list[Attempt]]):
        made = pod(container("a"), container("b"))
        view = PodView(dict(zip("ab", attempts, strict=True)), NOW, NOW)
        runs = all(one and one[-1].exit_code is None for one in attempts)
        status = pod_status(made, view)
        assert _conditions(status)["Ready"]["status"] == _conditions(status)["ContainersReady"]["status"] == ("True" if runs else "False")
        assert [each["ready"] for each in status["containerStatuses"]] == [bool(one and one[-1].exit_code is None) for one in attempts]

    @pytest.mark.parametrize("cause", [None, *Cause])
    @pytest.mark.parametrize("over", [False, True])
    def test_a_disruption_is_told_only_after_a_shutdown_is_over(self, cause: Cause | None, over: bool):
        status = pod_status(pod(), _view([ended(143)], stop=cause, ended=over))
        assert ("DisruptionTarget" in _conditions(status)) is (cause is Cause.SHUTDOWN and over)

    def test_keep_their_time_while_they_stay(self):
        before = pod_status(pod(), _view([running()]))["conditions"]
        later = _conditions(pod_status(pod(), replace(_view([ended(0)], conditions=before, ended=True), now="2026-12-01T01:00:00Z")))
        assert later["Initialized"]["lastTransitionTime"] == NOW
        assert later["Ready"]["lastTransitionTime"] == "2026-12-01T01:00:00Z"


class TestTheWholeStatus:
    def test_of_a_shut_down_pod(self, snapshot: SnapshotAssertion):
        assert pod_status(pod(), _view([ended(143)], stop=Cause.SHUTDOWN, ended=True)) == snapshot

    def test_of_a_crash_loop(self, snapshot: SnapshotAssertion):
        waiting = {"main": Waiting("CrashLoopBackOff", "back-off 20s restarting failed container=main")}
        assert pod_status(pod(), _view([ended(1), ended(2, 1)], waiting=waiting)) == snapshot

    def test_of_a_pod_that_was_deleted_before_it_began(self, snapshot: SnapshotAssertion):
        made = pod(initContainers=[container("first")])
        assert pod_status(made, PodView({}, NOW, NOW, stop=Cause.DELETED, ended=True)) == snapshot
