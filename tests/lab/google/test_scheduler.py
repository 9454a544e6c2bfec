"""Scheduled calls against the HTTP face: who may call, what a call does, and what Cloud Scheduler makes of the answer."""

import base64
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from typer.testing import CliRunner

from lab.__main__ import app
from lab.errors import LabError
from lab.google import faults
from lab.google.catalogue import Catalogue
from lab.google.http import OPERATION, Clock, ContainerApi, serving, token_of
from lab.google.scheduler import Attempt, due, jobs_of, run
from lab.google.store import Store
from lab.paths import STORE_VARIABLE
from tests.lab.google.conftest import NODE_POOL, PROJECT, REGION, Engine, Landscape, Made, gpu_pool_inputs, kept, said

JOB = "gcp:cloudscheduler/job:Job"
GRANT = "gcp:projects/iAMMember:IAMMember"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
ACCOUNT = "gcp:serviceaccount/account:Account"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
WHOLE = {"enabled": True, "totalMinNodeCount": 1, "totalMaxNodeCount": 6, "locationPolicy": "ANY"}


@dataclass(frozen=True)
class Scene:
    """A buffer pool, an account that may switch it, and the face that answers."""

    engine: Engine
    store: Store
    pool: Made
    account: Made
    clock: Clock
    address: tuple[str, int]

    @property
    def autoscaling(self) -> Any:
        return kept(self.store, self.pool.id).document.get("autoscaling")

    def post(self, method: str, content: Any, *, token: str | None = None, pool: str = "") -> tuple[int, str]:
        """Call, and step over the operation that it begins."""
        connection = http.client.HTTPConnection(*self.address)
        headers = {"Authorization": token_of(self.store, self.account.properties["email"]) if token is None else token}
        body = content if isinstance(content, str) else json.dumps(content)
        connection.request("POST", f"/v1/{pool or self.pool.id}:{method}", body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.clock.now += OPERATION
        return answer.status, text

    def job(self, name: str, **changes: Any) -> Made:
        target = {
            "uri": f"https://container.googleapis.com/v1/{self.pool.id}:setAutoscaling",
            "httpMethod": "POST",
            "body": base64.b64encode(json.dumps({"autoscaling": WHOLE}).encode()).decode(),
            "oauthToken": {"serviceAccountEmail": self.account.properties["email"]},
        }
        target |= changes.pop("httpTarget", {})
        inputs = {
            "region": REGION,
            "schedule": "0 20 * * *",
            "timeZone": "Europe/Berlin",
            "retryConfig": {"retryCount": 2, "minBackoffDuration": "30s", "maxBackoffDuration": "40s", "maxDoublings": 3},
            "httpTarget": target,
        }
        return self.engine.create(JOB, name, inputs | changes)

    def play(self, days: float = 1) -> list[Attempt]:
        return list(run(self.store, jobs_of(self.store), self.address, self.clock, NOON, NOON + timedelta(days=days)))


@pytest.fixture
def scene(engine: Engine, store: Store, catalogue: Catalogue, landscape: Landscape) -> Iterator[Scene]:
    pool = engine.create(NODE_POOL, "buffer", gpu_pool_inputs(landscape.cluster, landscape.account, spot=False, taints=[]))
    account = engine.create(ACCOUNT, "schedule", {"accountId": "schedule"})
    role = engine.create(ROLE, "role", {"roleId": "bufferSchedule1", "title": "t", "permissions": ["container.clusters.update"]})
    engine.create(GRANT, "grant", {"project": PROJECT, "role": role.properties["name"], "member": account.properties["member"]})
    clock = Clock(NOON)
    with serving(ContainerApi(catalogue, store, clock)) as address:
        yield Scene(engine, store, pool, account, clock, address)


class TestSetAutoscaling:
    def test_replaces_the_whole_object(self, scene: Scene):
        assert scene.post("setAutoscaling", {"autoscaling": WHOLE})[0] == 200
        assert scene.autoscaling == {"totalMinNodeCount": 1, "totalMaxNodeCount": 6, "locationPolicy": "ANY"}

    def test_resets_what_the_call_leaves_out(self, scene: Scene):
        assert scene.post("setAutoscaling", {"autoscaling": {"enabled": True, "totalMaxNodeCount": 3}})[0] == 200
        assert scene.autoscaling == {"totalMinNodeCount": 0, "totalMaxNodeCount": 3, "locationPolicy": "BALANCED"}

    def test_turns_it_off_where_enabled_is_left_out(self, scene: Scene):
        assert scene.post("setAutoscaling", {"autoscaling": {"totalMaxNodeCount": 3}})[0] == 200
        assert scene.autoscaling is None

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("{", "an object is expected"),
            ({}, "autoscaling is required"),
            ({"autoscaling": WHOLE | {"maximum": 3}}, "Unknown name"),
            ({"autoscaling": WHOLE | {"totalMinNodeCount": 7}}, "cannot be greater"),
            ({"autoscaling": WHOLE | {"maxNodeCount": 7}}, "both per-zone"),
            ({"autoscaling": {"enabled": True}}, "upper limit"),
        ],
    )
    def test_of_what_makes_no_sense_is_refused_and_changes_nothing(self, scene: Scene, content, says):
        before = scene.autoscaling
        status, text = scene.post("setAutoscaling", content)
        assert (status, says in text) == (400, True), text
        assert scene.autoscaling == before


class TestSetSize:
    def test_sets_the_nodes_of_each_zone(self, scene: Scene):
        assert scene.post("setSize", {"nodeCount": 2})[0] == 200
        assert kept(scene.store, scene.pool.id).document["nodeCount"] == 2

    @pytest.mark.parametrize("count", [-1, "2", None, True])
    def test_of_no_number_is_refused(self, scene: Scene, count):
        assert scene.post("setSize", {"nodeCount": count})[0] == 400


class TestACall:
    def test_without_a_token_has_no_one_behind_it(self, scene: Scene):
        assert scene.post("setSize", {"nodeCount": 2}, token="")[0] == 401

    def test_of_an_account_without_the_permission_is_refused(self, scene: Scene, landscape: Landscape):
        status, text = scene.post("setSize", {"nodeCount": 2}, token=token_of(scene.store, landscape.account.properties["email"]))
        assert (status, "container.clusters.update" in text) == (403, True)

    def test_for_a_pool_that_is_not_there_is_refused(self, scene: Scene):
        assert scene.post("setSize", {"nodeCount": 2}, pool=f"{scene.pool.id}x")[0] == 404

    def test_of_another_method_is_refused(self, scene: Scene):
        assert scene.post("setLabels", {})[0] == 404

    def test_while_another_operation_runs_on_the_cluster_is_refused(self, scene: Scene):
        scene.post("setSize", {"nodeCount": 2})
        scene.clock.now -= OPERATION
        status, text = scene.post("setSize", {"nodeCount": 3})
        assert (status, "incompatible operation" in text) == (400, True)
        assert scene.post("setSize", {"nodeCount": 3})[0] == 200


class TestAJob:
    def test_runs_at_its_time_in_its_zone(self, scene: Scene):
        scene.job("switch")
        (attempt,) = scene.play()
        assert attempt.ok
        assert attempt.at == datetime(2026, 12, 1, 19, tzinfo=UTC)
        assert scene.autoscaling["totalMaxNodeCount"] == 6

    def test_does_not_run_while_it_is_paused(self, scene: Scene):
        made = scene.job("switch", paused=True)
        assert made.properties["state"] == "PAUSED"
        assert scene.play() == []

    def test_is_tried_again_with_growing_pauses_and_not_for_ever(self, scene: Scene):
        scene.job("switch")
        scene.store.add_fault(faults.lost_call(times=5))
        attempts = scene.play()
        assert [attempt.number for attempt in attempts] == [1, 2, 3]
        assert [(attempt.at - attempts[0].at).total_seconds() for attempt in attempts] == [0, 30, 70]
        assert all(attempt.status is None for attempt in attempts)

    def test_that_is_done_although_the_answer_is_lost_is_done_again_and_that_changes_nothing(self, scene: Scene):
        scene.job("switch", retryConfig={"retryCount": 2, "minBackoffDuration": "60s", "maxBackoffDuration": "60s", "maxDoublings": 0})
        scene.store.add_fault(faults.lost_answer("NodePool", method="setAutoscaling"))
        first, second = scene.play()
        assert (first.status, second.status) == (None, 200)

    def test_that_is_sent_twice_is_done_twice(self, scene: Scene):
        scene.job("switch")
        scene.store.add_fault(faults.doubled_call())
        assert [attempt.number for attempt in scene.play()] == [1, 1]

    def test_to_another_host_reaches_nobody(self, scene: Scene):
        scene.job("switch", httpTarget={"uri": "https://example.com/v1/x:setSize"})
        assert {attempt.message for attempt in scene.play()} == {"nobody stands for example.com here"}

    def test_of_an_account_that_is_gone_gets_no_token(self, scene: Scene):
        scene.job("switch")
        scene.store.delete(scene.account.id)
        assert {attempt.status for attempt in scene.play()} == {404}

    def test_comes_due_once_a_day_over_both_changes_of_the_clock(self, scene: Scene):
        scene.job("switch")
        (record,) = jobs_of(scene.store)
        instants = list(due(record, datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)))
        assert len(instants) == 274
        assert {instant.hour for instant in instants} == {18, 19}


class TestARefusal:
    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"schedule": "0 25 * * *"}, "is invalid"),
            ({"timeZone": "Europe/Munich"}, "no zone of the tz database"),
            ({"attemptDeadline": "5s"}, "attempt deadline"),
            ({"httpTarget": {"body": "{}"}}, "Base64"),
            ({"httpTarget": {"httpMethod": "GET"}}, "body is allowed only"),
            ({"httpTarget": {"oauthToken": {"serviceAccountEmail": f"nobody@{PROJECT}.iam.gserviceaccount.com"}}}, "Not found"),
            ({"httpTarget": {"oauthToken": {"serviceAccountEmail": "other@another.iam.gserviceaccount.com"}}}, "within the same project"),
        ],
    )
    def test_of_a_job_says_what_is_wrong_with_it(self, scene: Scene, changes, says):
        with pytest.raises(grpc.RpcError) as error:
            scene.job("switch", **changes)
        assert says in said(error.value)


class TestTheClock:
    @pytest.fixture(autouse=True)
    def _of_the_test(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(STORE_VARIABLE, str(store.path))
        monkeypatch.setenv("COLUMNS", "200")

    def test_plays_a_day_and_tells_what_switched(self, scene: Scene):
        scene.job("switch")
        told = CliRunner().invoke(app, ["clock", "lab", "--from", "2026-12-01T00:00", "--to", "2026-12-02T00:00"])
        assert told.exit_code == 0, told.output
        assert "Tue 2026-12-01 20:00:00" in told.output
        assert "1 to 6 nodes" in told.output

    @pytest.mark.parametrize(
        ("stack", "start", "end", "says"),
        [
            ("other", "2026-12-01T00:00", "2026-12-02T00:00", "has no scheduler jobs"),
            ("lab", "2026-12-01T00:00", "2026-12-01T00:00", "is not after"),
            ("lab", "yesterday", "2026-12-01T00:00", "is no time"),
        ],
    )
    def test_says_what_is_wrong_with_a_command(self, scene: Scene, stack, start, end, says):
        scene.job("switch")
        result = CliRunner().invoke(app, ["clock", stack, "--from", start, "--to", end])
        assert isinstance(result.exception, LabError)
        assert says in str(result.exception)
