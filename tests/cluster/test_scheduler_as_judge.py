"""Thousands of generated workloads go through the real API server, Kueue and scheduler: who gets onto spot nodes is seen, not computed.

What reached a spot node is judged twice: by the rules of `workload`, and by the few essentials below, written without them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import JOB_CONTROLLER, SPOT_KEY
from hybrid_pools.manifests.admission import admission
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.rule import Verdict
from lab.cluster.apply import apply, delete
from tests.cluster.admission.api import Answer, Api, at_once
from tests.cluster.judged import DETOUR, SIZE, drawn, honest, hostile
from tests.cluster.stack import WEIGHTS, Stack, blueprint, clear, engineers, listed, raised, wait_for_policies
from tests.cluster.waiting import eventually
from tests.cluster.watching import Watch
from tests.workloads import NO_TEAM, PERSON, TEAM, Manifest

pytestmark = pytest.mark.cluster

_BATCH = 300
"""Objects in the cluster at a time."""

_COLLECTIONS = {
    "JobSet": "/apis/jobset.x-k8s.io/v1alpha2/jobsets",
    "Deployment": "/apis/apps/v1/deployments",
    "StatefulSet": "/apis/apps/v1/statefulsets",
    "DaemonSet": "/apis/apps/v1/daemonsets",
    "ReplicaSet": "/apis/apps/v1/replicasets",
    "Job": "/apis/batch/v1/jobs",
    "Pod": "/api/v1/pods",
}
"""What people make, and their controllers of it; owners first."""

_WORKLOADS = f"/apis/{KUEUE_API}/workloads"
"""What Kueue makes of all that."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with raised(tmp_path_factory.mktemp("judge"), blueprint()) as made:
        made.make_nodes({"services": 3, "reserve-l4": 2, "train-l4": 10, "train-t4": 2, "buffer-l4": 2})
        queue = {"kind": "LocalQueue", "metadata": {"name": DETOUR, "namespace": TEAM}, "spec": {"clusterQueue": "audio-training"}}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NO_TEAM}}
        accounts = [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "builder", "namespace": place}}
            for place in (TEAM, NO_TEAM, "team-web")
        ]
        training = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "training", "namespace": NO_TEAM}}
        mine = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "mine"}, "value": 1000}
        apply(made.admin, [namespace, {"apiVersion": KUEUE_API, **queue}, *accounts, training, mine])
        yield made


@dataclass
class Court:
    """What was tried, and what came of it.

    Attributes:
        watches: Of what there ever was, by kind: job sets make their jobs anew, and nothing else would remember those that are gone.
        counts: By what is counted.
    """

    stack: Stack
    watches: Mapping[str, Watch]
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.api = Api(self.stack.control_plane)
        self.spot = {
            node["metadata"]["name"] for node in listed(self.stack.admin, "/api/v1/nodes") if SPOT_KEY in node["metadata"]["labels"]
        }

    def bound(self) -> list[dict[str, Any]]:
        """Pods that have ever had a node."""
        return [pod for pod in list(self.watches["Pod"].seen.values()) if pod["spec"].get("nodeName")]

    def on_spot(self) -> list[dict[str, Any]]:
        """Pods that have ever been on a spot node."""
        return [pod for pod in self.bound() if pod["spec"]["nodeName"] in self.spot]

    def owners(self) -> dict[str, dict[str, Any]]:
        """Jobs and job sets that there ever were, by uid."""
        return {uid: {**one, "kind": kind} for kind in ("Job", "JobSet") for uid, one in list(self.watches[kind].seen.items())}

    def try_all(self, tried: list[Manifest], by: Callable[[Manifest], tuple[str, ...]], *, all_run: bool = False) -> list[Answer]:
        """Make objects, let everybody act on them, or until all of them run, and clear them away."""
        answers = at_once(lambda one: self.api.create(one, *by(one), keep=True), tried)
        self.counts.update(
            f"{one['kind']} admitted" if answer.admitted else f"{one['kind']} refused" for one, answer in zip(tried, answers, strict=True)
        )
        eventually(self._is_settled, within=180)
        if all_run:
            eventually(self._all_run, within=180)
        self._clear()
        return answers

    def _all(self, kind: str) -> list[dict[str, Any]]:
        found = listed(self.stack.admin, _COLLECTIONS[kind])
        return [one for one in found if one["metadata"]["namespace"] in {NO_TEAM, *(team.namespace for team in self.stack.blueprint.teams)}]

    def _workloads(self) -> list[dict[str, Any]]:
        return listed(self.stack.admin, _WORKLOADS)

    def _is_settled(self) -> bool:
        """Whether every controller has seen what is its own, and the scheduler has decided on every pod."""
        for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"):
            unseen = [one for one in self._all(kind) if one["status"].get("observedGeneration") != one["metadata"]["generation"]]
            assert not unseen, (kind, len(unseen))
        waiting = [job for job in self._all("Job") if not _is_seen(job)]
        assert not waiting, ("Job", len(waiting), waiting[0]["metadata"], waiting[0]["status"])
        children = {owner["uid"] for job in self._all("Job") for owner in job["metadata"].get("ownerReferences", ())}
        unmade = [one for one in self._all("JobSet") if one["metadata"]["uid"] not in children]
        assert not unmade, ("JobSet", len(unmade), unmade[0])
        undecided = [pod for pod in self._all("Pod") if not _is_decided(pod)]
        assert not undecided, ("Pod", len(undecided), undecided[0])
        return True

    def _all_run(self) -> bool:
        waiting = [
            job for job in self._all("Job") if job["spec"].get("suspend") or job["status"].get("active") != job["spec"]["parallelism"]
        ]
        # As text, which pytest does not cut short.
        assert not waiting, "\n".join(str(self._told(job)) for job in waiting)
        return all(pod["spec"].get("nodeName") for pod in self._all("Pod"))

    def _told(self, job: dict[str, Any]) -> tuple[Any, ...]:
        """A job's status, and what Kueue says of it."""
        uid = job["metadata"]["uid"]
        owned = [one for one in self._workloads() if uid in {owner["uid"] for owner in one["metadata"]["ownerReferences"]}]
        return (
            job["metadata"]["name"],
            job["spec"].get("suspend"),
            job["status"],
            [(one["metadata"]["name"], one.get("status")) for one in owned],
        )

    def _clear(self) -> None:
        places = [NO_TEAM, *(team.namespace for team in self.stack.blueprint.teams)]
        for path in _COLLECTIONS.values():
            clear(self.stack.admin, path, places)
        eventually(lambda: not self._workloads() and not any(self._all(kind) for kind in ("Pod", "Job", "JobSet")), within=120)


def _is_seen(job: dict[str, Any]) -> bool:
    """Whether the job waits in its queue, or has its pods or was refused them."""
    if job["spec"].get("suspend"):
        return True
    status = job["status"]
    return bool(status.get("startTime")) and (bool(status.get("active")) or bool(status.get("failed")) or "ready" in status)


def _is_decided(pod: dict[str, Any]) -> bool:
    conditions = {one["type"]: one for one in pod["status"].get("conditions", ())}
    strange = pod["spec"].get("schedulerName", "default-scheduler") != "default-scheduler"
    gated = bool(pod["spec"].get("schedulingGates"))
    return bool(pod["spec"].get("nodeName")) or strange or gated or conditions.get("PodScheduled", {}).get("reason") == "Unschedulable"


def essentials(pod: dict[str, Any], owners: dict[str, dict[str, Any]]) -> list[str]:
    """What is missing for a pod to be checkpoint-capable, by the definition in words, not by the rules."""
    spec, labels, notes = pod["spec"], pod["metadata"].get("labels", {}), pod["metadata"].get("annotations", {})
    namespace = pod["metadata"]["namespace"]
    team = namespace.removeprefix("team-")
    controllers = [one for one in pod["metadata"].get("ownerReferences", ()) if one.get("controller")]
    job = owners.get(controllers[0]["uid"]) if controllers else None
    saves = notes.get("hybrid-pools.io/checkpoint-save-seconds", "")
    seconds = int(saves) if saves.isascii() and saves.isdigit() else 10**9
    address = notes.get("hybrid-pools.io/checkpoint-uri", "")
    below = address.partition(f"/runs/{team}/")
    workload_class = labels.get("hybrid-pools.io/class")
    demands = {
        "a job made it": job is not None and job["kind"] == "Job",
        "its team may use spot": team in WEIGHTS,
        "it saves checkpoints": labels.get("hybrid-pools.io/checkpoint") == "enabled",
        "it is training": workload_class in ("training", "deferred"),
        "its checkpoints are its team's": below[0].startswith("gs://")
        and "/" not in below[0][5:]
        and bool(below[2])
        and ".." not in address,
        "it runs as the training account": spec.get("serviceAccountName") == "training",
        "it has time to save": seconds + 5 <= min(105, spec["terminationGracePeriodSeconds"]),
        "it is never restarted in place": spec["restartPolicy"] == "Never",
        "it yields to others": spec.get("priorityClassName") in ("hybrid-training", "hybrid-deferred")
        and spec["preemptionPolicy"] == "Never",
        "the scheduler placed it": spec["schedulerName"] == "default-scheduler"
        and any(one["type"] == "PodScheduled" and one["status"] == "True" for one in pod["status"].get("conditions", ())),
        "a disruption is no failure": job is not None and _survives(job, owners),
    }
    return [demand for demand, met in demands.items() if not met]


def _survives(job: dict[str, Any], owners: dict[str, dict[str, Any]]) -> bool:
    rules = job["spec"].get("podFailurePolicy", {}).get("rules", [])
    on_disruption = [rule["action"] for rule in rules for one in rule.get("onPodConditions") or () if one["type"] == "DisruptionTarget"]
    above = [owners[one["uid"]] for one in job["metadata"].get("ownerReferences", ()) if one["uid"] in owners]
    restarts = [rule["action"] for whole in above for rule in whole["spec"].get("failurePolicy", {}).get("rules", [])]
    return "Ignore" in on_disruption or any(action.endswith("IgnoreMaxRestarts") for action in restarts)


def _violations(manifest: dict[str, Any], stack: Stack, creator: str | None) -> list[str]:
    findings = judge(manifest, stack.kubernetes.admission, creator=creator)
    return [str(finding) for finding in findings if finding.verdict is not Verdict.PASSED]


def _engineer(job: Manifest) -> tuple[str, ...]:
    return ("engineer@acme.example", engineers(job["metadata"]["namespace"].removeprefix("team-")))


def _person(_: Manifest) -> tuple[str, ...]:
    return (PERSON,)


@pytest.fixture
def court(stack: Stack) -> Iterator[Court]:
    with ExitStack() as watching:
        watches = {kind: watching.enter_context(Watch(stack.control_plane, _COLLECTIONS[kind])) for kind in ("Pod", "Job", "JobSet")}
        yield Court(stack, watches)


def _batches(made: list[Manifest]) -> Iterator[list[Manifest]]:
    # Mixed, so that each batch has some of every kind.
    number = -(-len(made) // _BATCH)
    yield from (made[index::number] for index in range(number))


class TestTheScheduler:
    def test_lets_hostile_pods_onto_spot_nodes_where_nothing_is_admitted_first(self, stack: Stack, court: Court):
        """The control: without it, that nothing hostile arrives would prove nothing."""
        policies = admission(stack.kubernetes.admission)
        bindings = [one for one in policies if one["kind"] == "ValidatingAdmissionPolicyBinding"]
        delete(stack.admin, bindings)
        try:
            wait_for_policies(stack, hold=False)
            court.try_all(hostile(100, min(court.spot)), _person)
        finally:
            apply(stack.admin, bindings)
            wait_for_policies(stack)
        owners = court.owners()
        arrived = [pod for pod in court.on_spot() if essentials(pod, owners)]
        assert len(arrived) >= 10

    def test_puts_only_checkpoint_capable_pods_on_spot_nodes(self, court: Court, stack: Stack):
        for batch in _batches(hostile(SIZE * 2 // 3, min(court.spot))):
            answers = court.try_all(batch, _person)
            for tried, answer in zip(batch, answers, strict=True):
                if not _violations(tried, stack, PERSON):
                    assert not answer.refusal, (answer.refusal, tried)
        assert sum(count for what, count in court.counts.items() if what.endswith("refused")) >= SIZE // 5, court.counts
        self._judge(court, stack)

    def test_puts_every_honest_pod_on_a_node_and_most_on_spot(self, court: Court, stack: Stack):
        made = drawn(honest(), SIZE // 3, min(court.spot))
        for batch in _batches(made):
            answers = court.try_all(batch, _engineer, all_run=True)
            assert [answer.body["message"] for answer in answers if not answer.admitted] == []
        self._judge(court, stack)
        assert len(court.on_spot()) >= SIZE // 3, court.counts

    @staticmethod
    def _judge(court: Court, stack: Stack) -> None:
        arrived, owners = court.on_spot(), court.owners()
        for pod in arrived:
            assert essentials(pod, owners) == [], pod
            unbound = {**pod, "apiVersion": "v1", "kind": "Pod", "spec": {k: v for k, v in pod["spec"].items() if k != "nodeName"}}
            assert _violations(unbound, stack, JOB_CONTROLLER) == [], pod
        print(f"{sum(court.counts.values())} objects, {len(court.bound())} pods bound, {len(arrived)} to spot: {dict(court.counts)}")  # noqa: T201
