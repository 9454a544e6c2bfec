"""What is decided for a run, whatever jobs it has had."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.training.vertex.attempts import Attempt, Create, Done, Ending, Follow, State, Stop, decide, ending, utc

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
BOUND = 72 * 3600
MESSAGES = (
    "",
    "The job was restarted 6 times: STOCKOUT.",
    "Resources are insufficient in region: us-central1.",
    "The replica workerpool0-0 exited with a non-zero status of 1.",
    "The replica workerpool1-3 exited with a non-zero status of 42.",
    "The following quota metrics exceed quota limits: custom_model_training_gpus",
)
ENDED = [state for state in State if state.has_ended]


@st.composite
def attempts(draw: st.DrawFn) -> Attempt:
    number, state = draw(st.integers(1, 6)), draw(st.sampled_from(State))
    created = NOW - timedelta(seconds=draw(st.integers(1, 4 * 86_400)))
    started = created + timedelta(seconds=60) if draw(st.booleans()) else None
    return Attempt(
        name=f"projects/p/locations/l/customJobs/{draw(st.integers(1, 10**6))}",
        number=number,
        digest=draw(st.sampled_from(["now", "before"])),
        state=state,
        created=created,
        started=started,
        ended=(started or created) + timedelta(seconds=draw(st.integers(0, 86_400))) if state.has_ended else None,
        code=draw(st.integers(0, 16)),
        message=draw(st.sampled_from(MESSAGES)),
    )


rows = st.lists(attempts(), max_size=6, unique_by=lambda one: one.name)
times = st.integers(0, 4 * 86_400).map(lambda seconds: NOW - timedelta(seconds=seconds))


class TestEveryRun:
    @given(rows, times)
    def test_never_has_a_new_attempt_while_one_has_not_ended(self, row, since):
        step = decide(row, "now", BOUND, NOW, since)
        if isinstance(step, Create):
            newest = max((one.number for one in row), default=0)
            assert step.number == newest + 1
            assert min((one for one in row if one.number == newest), key=lambda one: (one.created, one.name), default=None) in (
                None,
                *(one for one in row if one.state.has_ended),
            )

    @given(rows, times)
    def test_never_runs_for_more_than_its_bound(self, row, since):
        step = decide(row, "now", BOUND, NOW, since)
        if isinstance(step, Create):
            counting: dict[int, Attempt] = {}
            for one in sorted(row, key=lambda one: (one.created, one.name)):
                counting.setdefault(one.number, one)
            ran = sum((one.ended - one.started).total_seconds() for one in counting.values() if one.started and one.ended)
            assert 0 < step.timeout_seconds <= BOUND - ran + 1

    @given(rows, times)
    def test_is_done_only_when_the_newest_attempt_of_this_description_has_succeeded(self, row, since):
        step = decide(row, "now", BOUND, NOW, since)
        if isinstance(step, Done):
            assert step.attempt.state in (State.SUCCEEDED, State.PARTIALLY_SUCCEEDED)
            assert step.attempt.digest == "now"
            assert step.attempt.number == max(one.number for one in row)

    @given(rows, times)
    def test_follows_the_job_that_everybody_follows(self, row, since):
        step, reversed_step = decide(row, "now", BOUND, NOW, since), decide(row[::-1], "now", BOUND, NOW, since)
        assert step == reversed_step
        if isinstance(step, Follow):
            assert not step.attempt.state.has_ended
            assert all((step.attempt.created, step.attempt.name) < (one.created, one.name) for one in step.surplus)

    @given(attempts(), times)
    def test_that_failed_by_its_code_is_tried_again_only_by_who_submits_it_again(self, attempt, since):
        if attempt.state is State.FAILED and ending(attempt) is Ending.BROKEN and attempt.digest == "now" and attempt.ended is not None:
            step = decide([attempt], "now", 10**7, NOW, since)
            assert isinstance(step, Create if attempt.ended < since else Stop)


@pytest.mark.parametrize(
    ("message", "code", "expected"),
    [
        (MESSAGES[1], 8, Ending.TAKEN),
        (MESSAGES[2], 8, Ending.TAKEN),
        (MESSAGES[3], 3, Ending.BROKEN),
        (MESSAGES[4], 3, Ending.TAKEN),
        (MESSAGES[5], 8, Ending.QUOTA),
        ("The replica workerpool0-0 exited with a non-zero status of 143.", 3, Ending.TAKEN),
        ("The replica workerpool0-0 ran out-of-memory and exited with a non-zero status of 9(SIGKILL).", 3, Ending.BROKEN),
        ("Internal error occurred.", 13, Ending.TAKEN),
        ("Instance was preempted.", 0, Ending.TAKEN),
        ("The image could not be pulled.", 9, Ending.BROKEN),
        ("", 0, Ending.BROKEN),
    ],
)
def test_why_a_job_failed_is_told_from_its_error(message, code, expected):
    assert ending(Attempt("n", 1, "d", State.FAILED, NOW, code=code, message=message)) is expected


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-30T12:00:00Z", NOW),
        ("2026-11-30T12:00:00.5Z", NOW + timedelta(seconds=0.5)),
        ("2026-11-30T12:00:00.123456789Z", NOW + timedelta(microseconds=123456)),
    ],
)
def test_times_are_read_as_the_api_writes_them(text, time):
    assert utc(text) == time
