"""One simulated day of the buffer, on real parts: the declared calls of Cloud Scheduler move limits and nodes, the declared CronJobs move
quota, real schedulers place services and training, and trainers are real processes that take their time to save.

The day is the lab's clock, and two things are not what they are in the cloud. Cloud Scheduler is played by the lab
(`lab.google.scheduler`). The CronJobs are suspended, and the test makes a job of each one's template at the times that its own expression
and zone say, as `kubectl create job --from` does: Kubernetes' controller cannot be told another time. What such a job does, it does with
its account's rights on a process node. Waiting is measured in real seconds, of which a switch has as many as the schedule says it has to
drain.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, timedelta

import pytest

from hybrid_pools.blueprint.vocabulary import ROLE_LABEL, team_namespace
from hybrid_pools.manifests.manifest import Manifest
from lab.cluster.apply import create
from lab.cluster.registry import CLUSTER
from lab.google import functions
from lab.google.catalogue import load_catalogue
from lab.google.http import Clock, ContainerApi, serving
from lab.google.store import Store
from lab.nodes.settings import NodeSettings, write_settings
from lab.paths import Lab
from tests.cluster.day import DRAIN, NOON, Day, described, scheduled, suspended_switches
from tests.cluster.queues.play import job_of
from tests.cluster.stack import raised
from tests.cluster.waiting import eventually
from tests.workloads import named, service_template

pytestmark = pytest.mark.cluster

SAVES = 3
"""Seconds that a trainer takes to save."""

TRAINER = f"trap 'sleep {SAVES}; exit 42' TERM; while :; do sleep 0.1; done"
TRAINING = 2
"""GPUs of the buffer that training has in its window."""

WANTED = {12: 4, 18: 2, 19: 0, 3: 1, 4: 0, 9: 4}
"""GPUs of the buffer that services want, from an hour on: much by day, nothing in the evening, a peak at night, and the morning."""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    blueprint = described()
    assert blueprint.schedule is not None
    with raised(tmp_path_factory.mktemp("day"), blueprint, CLUSTER) as stack:
        lab = Lab(stack.control_plane.files.lab)
        write_settings(lab.nodes, NodeSettings(process=("stable", "buffer"), idle_seconds=3, repair_seconds=3))
        store, clock = Store(lab.store), Clock(NOON.astimezone(UTC))
        for record in (*scheduled(blueprint, dict(stack.pools)), *stack.pools.values()):
            store.put(record)
        switches = suspended_switches(stack)
        with serving(ContainerApi(load_catalogue(lab.directory, functions.TOKENS), store, clock)) as address:
            yield Day(stack, store, blueprint.schedule, switches, address, clock)


def web() -> Manifest:
    """A service of which each pod wants a GPU of the buffer."""
    template = service_template()
    wanted = {"cpu": "1", "memory": "64Mi", "nvidia.com/gpu": "1"}
    container = {"name": "web", "image": "web", "command": ["sleep", "86400"], "resources": {"requests": wanted, "limits": wanted}}
    template["spec"] |= {"containers": [container], "nodeSelector": {ROLE_LABEL: "buffer"}, "terminationGracePeriodSeconds": 1}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return named("apps/v1", "Deployment", spec, namespace=team_namespace("web"), name="web")


def trainer(name: str) -> Manifest:
    """A job for the buffer alone."""
    job = job_of("audio", name, gpus=1, cpu="1", selector={ROLE_LABEL: "buffer"})
    job["spec"]["template"]["spec"]["containers"][0]["command"] = ["/bin/sh", "-c", TRAINER]
    return job


class TestADayOfTheBuffer:
    def test_promises_no_gpu_twice_and_lets_services_wait_for_training_no_longer_than_it_drains(self, day: Day):
        create(day.stack.admin, web())
        for name in ("first", "second", "third"):
            create(day.stack.admin, trainer(name))
        day.serve(WANTED[12])
        day.look()
        trained: set[str] = set()
        peak = WANTED[12]
        for instant in day.instants(NOON + timedelta(days=1)):
            day.pass_to(instant)
            peak = WANTED.get(instant.hour, peak)
            day.serve(peak)
            day.look()
            if day.open_quota():
                eventually(lambda: len(day.training_runs()) == TRAINING - peak, within=DRAIN)  # noqa: B023 - waited for here
                trained |= set(day.training_runs())
            else:
                # When the switch is done, not some time after it.
                assert day.on_buffer("audio") == []
        for instant, promise in day.promised.items():
            assert promise.training + promise.services <= promise.pool, instant
        assert Counter(promise.training for promise in day.promised.values()) == {0: 16, TRAINING: 13}
        # Two in the evening; one of them goes for the peak at night, and comes back.
        assert len(trained) == 3
        night = [wait for wait in day.waits.values() if wait >= SAVES - 1]
        assert night, "no service has met training, so how long they wait was not seen"
        assert max(day.waits.values()) <= DRAIN, day.waits
