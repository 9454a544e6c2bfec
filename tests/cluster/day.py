"""A simulated day of the buffer: what is declared at Google and in the cluster, and the clock that makes it come due."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim

from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.model import Blueprint, Schedule
from hybrid_pools.blueprint.model.schedule import RETRIES, SWITCHING_PERMISSIONS
from hybrid_pools.blueprint.vocabulary import FLAVOR_LABEL, GPU_KEY, SYSTEM_NAMESPACE, team_namespace
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from lab.cluster.apply import apply, create, read
from lab.google.computed import NODE_POOL, SCHEDULER_JOB
from lab.google.http import Clock
from lab.google.scheduler import jobs_of, run
from lab.google.store import Record, Store
from tests.cluster.admission.api import Api
from tests.cluster.stack import Stack, derived, listed, sections
from tests.cluster.waiting import eventually

POOL, FLAVOR = "buffer-l4", "buffer-l4"
BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 12, 1, 12, tzinfo=BERLIN)
DRAIN = 60
"""Seconds; the shortest drain time that a schedule can have, apart from none."""


def described() -> Blueprint:
    """The stack with a short drain and few spot nodes."""
    found = sections()
    found["schedule"]["drainMinutes"] = DRAIN // 60
    return derived(found)


def scheduled(blueprint: Blueprint, pools: dict[str, Record]) -> Iterator[Record]:
    """What the program declares at Google for the schedule."""
    schedule, project = blueprint.schedule, blueprint.environment.project
    assert schedule is not None
    email = f"{schedule.account_id}@{project}.iam.gserviceaccount.com"
    role = f"projects/{project}/roles/switch"
    member = {"role": role, "member": f"serviceAccount:{email}", "project": project}
    cluster = pools[POOL].id.partition("/nodePools/")[0]
    yield Record("gcp:container/cluster:Cluster", cluster, {"project": project, "location": blueprint.environment.region})
    yield Record("gcp:serviceaccount/account:Account", f"projects/{project}/serviceAccounts/{email}", {})
    yield Record("gcp:projects/iAMCustomRole:IAMCustomRole", role, {"permissions": list(SWITCHING_PERMISSIONS)})
    yield Record("gcp:projects/iAMMember:IAMMember", "grant", member)
    for job in schedule.jobs:
        target = {
            "uri": f"https://container.googleapis.com/v1/{pools[job.pool].id}:{job.method}",
            "body": base64.b64encode(json.dumps(job.body).encode()).decode(),
            "oauthToken": {"serviceAccountEmail": email},
        }
        document = {
            "schedule": job.cron,
            "timeZone": schedule.calendar.zone,
            "paused": job.paused,
            "attemptDeadline": f"{RETRIES.deadline}s",
            "httpTarget": target,
        }
        yield Record(SCHEDULER_JOB, job.name, document)


@dataclass(frozen=True)
class Promise:
    """GPUs at a time: that training may take by its quota, that services may have by their limits, that the pool may have."""

    training: int
    services: int
    pool: int


def suspended_switches(stack: Stack) -> list[dict[str, Any]]:
    """The CronJobs that open and close the buffer, from now on without times of their own."""
    found = listed(stack.admin, f"/apis/batch/v1/namespaces/{SYSTEM_NAMESPACE}/cronjobs")
    for one in found:
        answer = Api(stack.control_plane).change(
            {**one, "apiVersion": "batch/v1", "kind": "CronJob"}, {"spec": {"suspend": True}}, keep=True
        )
        assert answer.admitted, answer.body
    return found


@dataclass
class Day:
    """The day as it goes by.

    Attributes:
        waits: Seconds that pods of services waited for a node, by uid.
        promised: By time.
    """

    stack: Stack
    store: Store
    schedule: Schedule
    switches: list[dict[str, Any]]
    address: tuple[str, int]
    clock: Clock
    now: datetime = NOON
    waits: dict[str, float] = field(default_factory=dict)
    promised: dict[datetime, Promise] = field(default_factory=dict)

    def instants(self, end: datetime) -> list[datetime]:
        """Every hour, and whenever something is due."""
        hours = [self.now + timedelta(hours=number) for number in range(1, 25)]
        calls = [instant for job in self.schedule.jobs for instant in _due(job.cron, self.schedule.calendar.zone, self.now, end)]
        switches = [instant for one in self.switches for instant in _due(one["spec"]["schedule"], one["spec"]["timeZone"], self.now, end)]
        return sorted({*hours, *calls, *switches})

    def pass_to(self, instant: datetime) -> None:
        """Let everything happen that is due up to and at an instant."""
        jobs, beyond = jobs_of(self.store), instant + timedelta(minutes=1)
        for attempt in run(
            self.store, jobs, self.address, self.clock, self.now.astimezone(UTC) + timedelta(minutes=1), beyond.astimezone(UTC)
        ):
            assert attempt.ok, attempt
        for switch in self.switches:
            for _ in _due(switch["spec"]["schedule"], switch["spec"]["timeZone"], self.now, beyond):
                self._fire(switch, instant)
        self.now = instant
        eventually(self._has_no_idle_nodes, within=DRAIN)

    def _has_no_idle_nodes(self) -> bool:
        """Whether the autoscaler has taken what nobody uses. In the cloud that is minutes of a day's hour, here some real seconds."""
        busy = {pod["spec"]["nodeName"] for team in ("audio", "web") for pod in self.on_buffer(team)}
        return len(self._nodes()) <= max(self._limits()[0], len(busy))

    def _nodes(self) -> set[str]:
        nodes = listed(self.stack.admin, "/api/v1/nodes", labelSelector=f"{FLAVOR_LABEL}={FLAVOR}")
        return {node["metadata"]["name"] for node in nodes}

    def _fire(self, switch: dict[str, Any], instant: datetime) -> None:
        name = f"{switch['metadata']['name']}-{int(instant.timestamp())}"
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": SYSTEM_NAMESPACE},
            "spec": switch["spec"]["jobTemplate"]["spec"],
        }
        create(self.stack.admin, job)
        eventually(lambda: (read(self.stack.admin, job) or {})["status"].get("succeeded") == 1, within=DRAIN)

    def look(self) -> None:
        """Note what is promised to whom."""
        limits = self._limits()
        (pool,) = self.schedule.pools
        profile = next(name for name, found in pool.limits.items() if (found.minimum, found.maximum) == limits)
        has = limits[1] * next(one.gpus_per_node for one in self.stack.blueprint.pools if one.name == POOL)
        self.promised[self.now] = Promise(self.open_quota(), has if profile is Profile.SERVICES else 0, has)

    def _limits(self) -> tuple[int, int]:
        record = self.store.get(self.stack.pools[POOL].id, NODE_POOL)
        assert record is not None
        found = record.document["autoscaling"]
        return int(found.get("totalMinNodeCount", 0)), int(found["totalMaxNodeCount"])

    def open_quota(self) -> int:
        """GPUs of the buffer that training may take."""
        buffer = self.stack.kubernetes.queues.buffer
        assert buffer is not None
        cohort = read(self.stack.admin, {"apiVersion": KUEUE_API, "kind": "Cohort", "metadata": {"name": buffer.cohort}}) or {}
        resources = [one for group in cohort["spec"]["resourceGroups"] for flavor in group["flavors"] for one in flavor["resources"]]
        return sum(int(one["nominalQuota"]) for one in resources if one["name"] == GPU_KEY)

    def on_buffer(self, team: str) -> list[dict[str, Any]]:
        """Pods of a team on nodes of the buffer that have not ended."""
        nodes = self._nodes()
        found = listed(self.stack.admin, f"/api/v1/namespaces/{team_namespace(team)}/pods")
        return [pod for pod in found if pod["spec"].get("nodeName") in nodes and pod["status"].get("phase") in ("Pending", "Running")]

    def training_runs(self) -> list[str]:
        """Uids of training's pods that run on the buffer and stay."""
        pods = [
            pod for pod in self.on_buffer("audio") if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
        ]
        return [pod["metadata"]["uid"] for pod in pods]

    def serve(self, replicas: int) -> None:
        """Services want so many GPUs; note how long each new pod waits."""
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": team_namespace("web")}}
        apply(self.stack.admin, [{**deployment, "spec": {"replicas": replicas}}])

        def served() -> bool:
            pods = self.on_buffer("web")
            for pod in pods:
                self.waits.setdefault(pod["metadata"]["uid"], _waited(pod))
            return (
                len([pod for pod in pods if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]]) == replicas
            )

        eventually(served, within=2 * DRAIN)


def _due(cron: str, zone: str, after: datetime, before: datetime) -> Iterator[datetime]:
    for instant in CronSim(cron, after.astimezone(ZoneInfo(zone))):
        if instant >= before:
            return
        yield instant


def _waited(pod: dict[str, Any]) -> float:
    (scheduled,) = (one["lastTransitionTime"] for one in pod["status"]["conditions"] if one["type"] == "PodScheduled")
    return (datetime.fromisoformat(scheduled) - datetime.fromisoformat(pod["metadata"]["creationTimestamp"])).total_seconds()
