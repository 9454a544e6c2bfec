from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.kubelet.containers import Attempt
from lab.kubelet.lifecycle import Cause, Stop, kill_at, next_start, restarts, shutdown_windows, stop_of
from tests.lab.kubelet.pods import NOW, ended, pod, running

_NOW = datetime.fromisoformat(NOW)
_POLICIES = ("Always", "OnFailure", "Never")


def _pause(attempts: list[Attempt], policy: str = "Always") -> float:
    due = next_start(attempts, policy, init=False)
    assert due is not None
    return (due - datetime.fromisoformat(attempts[-1].finished_at)).total_seconds()


class TestRestarts:
    @pytest.mark.parametrize(
        ("policy", "code", "init", "again"),
        [
            ("Always", 0, False, True),
            ("Always", 1, False, True),
            ("Always", 0, True, False),
            ("Always", 1, True, True),
            ("OnFailure", 0, False, False),
            ("OnFailure", 1, False, True),
            ("Never", 0, False, False),
            ("Never", 1, False, False),
            ("Never", 1, True, False),
        ],
    )
    def test_follow_the_policy(self, policy: str, code: int, init: bool, again: bool):
        assert restarts(policy, ended(code), init) is again

    def test_pauses_double_up_to_five_minutes(self):
        pauses = [_pause([ended(1, number) for number in range(count)]) for count in range(1, 10)]
        assert pauses == [0, 10, 20, 40, 80, 160, 300, 300, 300]

    def test_a_container_that_has_run_long_starts_at_once(self):
        crashes = [ended(1, number) for number in range(5)]
        assert _pause([*crashes, ended(1, 5, finished="2026-12-01T00:10:00Z")]) == 0
        assert _pause([*crashes, ended(1, 5, finished="2026-12-01T00:09:59Z")]) == 160

    @pytest.mark.parametrize("policy", _POLICIES)
    def test_what_runs_is_not_started_again(self, policy: str):
        assert next_start([running()], policy, init=False) is None

    @pytest.mark.parametrize("policy", _POLICIES)
    def test_what_has_never_run_is_due(self, policy: str):
        due = next_start([], policy, init=False)
        assert due is not None
        assert due < _NOW


_DELETED = {"deletionTimestamp": NOW, "deletionGracePeriodSeconds": 7}


class TestWhyAPodEnds:
    def test_a_pod_that_nobody_ends_goes_on(self):
        assert stop_of(pod(), None, _NOW) is None

    def test_a_deletion_brings_its_own_grace_period(self):
        assert stop_of(pod(metadata=_DELETED, terminationGracePeriodSeconds=60), None, _NOW) == Stop(Cause.DELETED, 7)

    @given(st.integers(0, 1000), st.integers(0, 200))
    def test_a_shutdown_never_leaves_more_than_its_window_nor_than_the_pod_wants(self, own: int, window: int):
        stop = stop_of(pod(metadata=_DELETED, terminationGracePeriodSeconds=own), window, _NOW)
        assert stop == Stop(Cause.SHUTDOWN, min(own, window))

    def test_a_deadline_is_counted_from_the_start_of_the_pod(self):
        made = pod(activeDeadlineSeconds=60, terminationGracePeriodSeconds=5)
        assert stop_of(made, None, _NOW) is None
        made["status"] = {"startTime": "2026-12-01T00:00:00Z"}
        assert stop_of(made, None, _NOW - timedelta(seconds=1)) is None
        assert stop_of(made, None, _NOW) == Stop(Cause.DEADLINE, 5)

    @pytest.mark.parametrize(("settings", "windows"), [((30, 15), (15, 15)), ((120, 15), (105, 15)), ((0, 0), (0, 0)), ((10, 20), (0, 20))])
    def test_ordinary_pods_have_what_critical_ones_leave(self, settings: tuple[int, int], windows: tuple[int, int]):
        assert shutdown_windows(*settings) == windows


class TestTheKill:
    begun = datetime(2026, 12, 1, tzinfo=UTC)

    def test_follows_the_grace_period(self):
        assert kill_at(self.begun, 15, self.begun) == self.begun + timedelta(seconds=15)

    def test_interrupts_a_hook_that_takes_all_of_it(self):
        assert kill_at(self.begun, 15, None) == self.begun + timedelta(seconds=15)

    def test_leaves_two_seconds_after_a_late_hook(self):
        late = self.begun + timedelta(seconds=14)
        assert kill_at(self.begun, 15, late) == late + timedelta(seconds=2)

    def test_is_immediate_without_grace(self):
        assert kill_at(self.begun, 0, self.begun + timedelta(seconds=9)) == self.begun
