"""A run on Vertex AI comes to its end once, whatever the service answers and whoever submits it how often."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from google.auth.credentials import AnonymousCredentials, Credentials
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_pools.training.vertex import Attempt, RefusedError, Request, RunError, State, submit, vertex_request
from hybrid_pools.training.vertex.service import VertexJobs
from tests.hybrid_pools.training.vertex.double import BUG, NO_MACHINE, TAKEN, FakeClock, Fault, Script, Service, serving
from tests.hybrid_pools.training.vertex.jobs import ACCOUNT, contract_of, job

HOUR = 3600
LOCAL = contract_of("local")
REQUEST = vertex_request(job(), LOCAL, ACCOUNT)


NOBODY: Credentials = AnonymousCredentials()  # type: ignore[no-untyped-call]


class Run:
    """A run against the double, and what was told of it."""

    def __init__(self, service: Service, address: str) -> None:
        self.service, self.address = service, address
        self.told: list[str] = []

    def submit(self, request: Request = REQUEST) -> Attempt:
        jobs = VertexJobs(request.parent, NOBODY, self.address)
        return submit(request, jobs, self.service.clock, self._tell)

    def _tell(self, attempt: Attempt | None, what: str) -> None:
        self.told.append(f"{attempt.number} {what}" if attempt else what)


@contextmanager
def run_of(*scripts: Script, faults: tuple[Fault, ...] = (), lag: float = 0, page: int = 100) -> Iterator[Run]:
    service = Service(FakeClock(), list(scripts), lag=lag, page=page, faults=deque(faults))
    with serving(service) as address:
        yield Run(service, address)
    assert service.refused == []


def numbers(run: Run) -> list[str]:
    return [one.body["labels"]["hybrid-pools-attempt"] for one in run.service.jobs]


class TestARun:
    def test_is_submitted_once_and_followed_to_its_end(self):
        with run_of(Script()) as run:
            assert run.submit().state is State.SUCCEEDED
            assert run.told == ["1 waits for its machines", "1 is running", "1 has succeeded"]
            assert numbers(run) == ["1"]

    def test_goes_on_when_its_restarts_are_used_up_with_what_is_left_of_its_bound(self):
        with run_of(TAKEN, TAKEN, Script(runs=600), page=1) as run:
            assert run.submit().number == 3
            assert numbers(run) == ["1", "2", "3"]
            timeouts = [one.body["jobSpec"]["scheduling"]["timeout"] for one in run.service.jobs]
            assert timeouts == [f"{72 * HOUR}s", f"{71 * HOUR}s", f"{70 * HOUR}s"]
            addresses = {str(one.body["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["env"]) for one in run.service.jobs}
            assert len(addresses) == 1

    def test_goes_on_after_a_stop_that_the_trainer_has_saved_at(self):
        stopped = Script(
            ends=State.FAILED, code=3, message="The replica workerpool0-0 exited with a non-zero status of 42. Termination reason"
        )
        with run_of(stopped, Script()) as run:
            assert run.submit().number == 2

    def test_ends_at_its_bound_over_all_attempts(self):
        request = vertex_request(job(boundHours=2.5), LOCAL, ACCOUNT)
        with run_of(TAKEN) as run:
            with pytest.raises(RunError, match=r"vision/resnet-7 has reached its bound of 2.5 hours. Raise boundHours"):
                run.submit(request)
            assert [one.body["jobSpec"]["scheduling"]["timeout"] for one in run.service.jobs] == ["9000s", "5400s", "1800s"]

    def test_ends_with_the_reason_when_the_code_fails(self):
        with run_of(BUG) as run:
            with pytest.raises(RunError, match="exited with a non-zero status of 1"):
                run.submit()
            assert numbers(run) == ["1"]

    def test_ends_when_quota_is_missing(self):
        missing = Script(
            runs=None, ends=State.FAILED, code=8, message="The following quota metrics exceed quota limits: custom_model_training_gpus."
        )
        with run_of(missing) as run, pytest.raises(RunError, match="has no quota"):
            run.submit()

    def test_asks_less_and_less_often_while_there_are_no_machines_and_gives_up_after_a_day(self):
        with run_of(NO_MACHINE) as run:
            with pytest.raises(RunError, match="has got no machine for 24 hours: Resources are insufficient"):
                run.submit()
            created = [one.created for one in run.service.jobs]
            pauses = [after - before for before, after in pairwise(created)]
            assert pauses == sorted(pauses)
            assert len(created) < 60
            assert created[-1] - created[0] > timedelta(hours=23)

    def test_ends_when_attempt_after_attempt_brings_nothing(self):
        with run_of(Script(runs=20, ends=State.FAILED, code=3, message="exited with a non-zero status of 42")) as run:
            with pytest.raises(RunError, match="gets nowhere: 10 attempts in a row ended within 10 minutes"):
                run.submit()
            assert len(run.service.jobs) == 10

    def test_is_not_submitted_again_when_somebody_cancels_it(self):
        with run_of(Script()) as run:
            service = run.service
            sleep = service.clock.sleep

            def cancelling(duration: timedelta) -> None:
                sleep(duration)
                service.jobs[0].cancelled = service.jobs[0].cancelled or service.clock.now()

            service.clock.sleep = cancelling  # type: ignore[method-assign]
            with pytest.raises(RunError, match=r"was ended from outside .* Submit it again to go on"):
                run.submit()
            assert len(service.jobs) == 1

    def test_is_not_submitted_again_when_somebody_deletes_its_job(self):
        with run_of(Script()) as run:
            service = run.service
            sleep = service.clock.sleep

            def deleting(duration: timedelta) -> None:
                sleep(duration)
                service.jobs.clear()

            service.clock.sleep = deleting  # type: ignore[method-assign]
            with pytest.raises(RunError, match=r"was followed as .*/1000, which is gone .* Submit it again to go on"):
                run.submit()
            assert service.jobs == []


class TestSubmittedAgain:
    def test_while_it_runs_it_is_followed(self):
        with run_of(Script()) as run:
            VertexJobs(REQUEST.parent, NOBODY, run.address).create(REQUEST, REQUEST.body())
            assert run.submit().number == 1
            assert numbers(run) == ["1"]

    def test_after_success_nothing_is_submitted(self):
        with run_of(Script()) as run:
            first = run.submit()
            assert run.submit() == first
            assert numbers(run) == ["1"]

    def test_after_a_failure_it_goes_on_as_the_next_attempt(self):
        with run_of(BUG, Script()) as run:
            with pytest.raises(RunError):
                run.submit()
            run.service.clock.sleep(timedelta(minutes=1))
            assert run.submit().number == 2

    def test_with_another_description_while_it_runs_it_is_refused(self):
        with run_of(Script()) as run:
            VertexJobs(REQUEST.parent, NOBODY, run.address).create(REQUEST, REQUEST.body())
            with pytest.raises(RunError, match="is running with another description, as projects/"):
                run.submit(vertex_request(job(boundHours=3), LOCAL, ACCOUNT))
            assert numbers(run) == ["1"]

    def test_with_another_description_after_success_it_goes_on(self):
        with run_of(Script()) as run:
            run.submit()
            assert run.submit(vertex_request(job(boundHours=80), LOCAL, ACCOUNT)).number == 2

    def test_by_two_at_once_one_job_is_cancelled_whoever_looks(self):
        with run_of(Script()) as run:
            jobs = VertexJobs(REQUEST.parent, NOBODY, run.address)
            first, second = (jobs.create(REQUEST, REQUEST.body()) for _ in range(2))
            assert run.submit().name == first.name
            assert [one.name for one in run.service.jobs if one.cancelled] == [second.name]
            assert run.told.count("1 was submitted twice and is cancelled") == 1

    def test_by_two_at_once_a_surplus_that_cannot_be_cancelled_is_told_once_and_the_run_goes_on(self):
        with run_of(Script()) as run:
            jobs = VertexJobs(REQUEST.parent, NOBODY, run.address)
            for _ in range(2):
                jobs.create(REQUEST, REQUEST.body())
            run.service.faults.append(Fault("POST", 403))
            assert run.submit().state is State.SUCCEEDED
            assert sum("cannot be cancelled" in line for line in run.told) == 1


class TestFaults:
    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_a_refusal_for_now_is_asked_again_and_submits_once(self, status):
        with run_of(Script(), faults=(Fault("GET", status), Fault("GET", status), Fault("POST", status))) as run:
            assert run.submit().state is State.SUCCEEDED
            assert numbers(run) == ["1"]
            assert any(f"no answer (HTTP {status}" in line for line in run.told)

    def test_a_lost_answer_to_a_submission_does_not_submit_twice(self):
        with run_of(Script(), faults=(Fault("GET", 429), Fault("POST", done=True)), lag=20) as run:
            assert run.submit().state is State.SUCCEEDED
            assert numbers(run) == ["1"]
            assert [line for line in run.service.requests if line.startswith("POST")] == ["POST customJobs"]

    def test_a_submission_that_never_arrived_is_made_again(self):
        with run_of(Script(), faults=(Fault("GET", 503), Fault("POST"), Fault("POST", 503))) as run:
            assert run.submit().state is State.SUCCEEDED
            assert numbers(run) == ["1"]

    def test_a_job_that_is_listed_late_is_not_submitted_again(self):
        with run_of(Script(), lag=300) as run:
            assert run.submit().state is State.SUCCEEDED
            assert numbers(run) == ["1"]

    def test_a_lost_answer_that_is_listed_much_too_late_costs_one_job_that_is_cancelled(self):
        with run_of(Script(), faults=(Fault("GET", 503), Fault("POST", done=True)), lag=120) as run:
            assert run.submit().name == run.service.jobs[0].name
            assert [one.cancelled is not None for one in run.service.jobs] == [False, True]

    def test_a_refusal_for_good_is_told_with_the_rights_that_are_needed(self):
        with run_of(Script(), faults=(Fault("GET", 403),)) as run, pytest.raises(RefusedError, match=r"roles/aiplatform\.user"):
            run.submit()

    def test_an_hour_without_an_answer_ends_the_waiting_and_not_the_run(self):
        with run_of(Script()) as run:
            VertexJobs(REQUEST.parent, NOBODY, run.address).create(REQUEST, REQUEST.body())
            run.service.faults.extend(Fault("GET", 503) for _ in range(200))
            with pytest.raises(RunError, match=r"has not answered for an hour .* submit again to follow it"):
                run.submit()
            assert run.service.jobs[0].cancelled is None

    @given(
        st.lists(st.sampled_from([replace(TAKEN, runs=700), NO_MACHINE, Script(runs=90, ends=State.FAILED, code=14)]), max_size=3),
        st.lists(st.builds(Fault, st.sampled_from(["GET", "POST"]), st.sampled_from([0, 429, 500, 503]), st.booleans()), max_size=8),
        st.sampled_from([0.0, 10.0, 25.0]),
    )
    @settings(max_examples=25)
    def test_whatever_goes_wrong_on_the_way_one_job_of_each_attempt_counts(self, lives, faults, lag):
        # A refused request does nothing; only of a lost answer or a broken server nobody knows.
        honest = tuple(Fault(one.method, one.status, one.done and one.status in (0, 500, 503)) for one in faults)
        with run_of(*lives, Script(runs=90), faults=honest, lag=lag) as run:
            assert run.submit().state is State.SUCCEEDED
            kept = [one.body["labels"]["hybrid-pools-attempt"] for one in run.service.jobs if one.cancelled is None]
            assert kept == [str(number) for number in range(1, len(kept) + 1)]
            assert len(run.service.jobs) == len(kept)
