"""Kueue, JobSet and simulated nodes work together in the lab: jobs wait, run, are taken back and come again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kubernetes.client import ApiClient, CoreV1Api
from kubernetes.client.exceptions import ApiException

from hybrid_pools.blueprint.vocabulary import NAMESPACE_TEAM_LABEL
from hybrid_pools.manifests.queues import cluster_wide_queues
from lab.cluster.apply import apply, create, delete, read
from lab.cluster.kwok import DURATION_ANNOTATION, SIMULATED
from tests.cluster.conftest import MakeNamespace
from tests.cluster.waiting import eventually
from tests.environments import ENVIRONMENTS, blueprint_of

pytestmark = pytest.mark.cluster

Manifest = dict[str, Any]
KUEUE = "kueue.x-k8s.io/v1beta2"


@pytest.fixture
def namespace(make_namespace: MakeNamespace) -> str:
    """A fresh namespace of a team: Kueue looks at no others."""
    return make_namespace("team", {NAMESPACE_TEAM_LABEL: "any"})


@pytest.fixture
def queue(admin: ApiClient, namespace: str) -> Iterator[Manifest]:
    """A cluster queue of four processors, on a tainted node of its own; its local queue is called `training`."""
    labels, taint = {"test": namespace}, {"key": "test", "value": namespace, "effect": "NoSchedule"}
    amounts = {"cpu": "8", "memory": "8Gi", "pods": "20"}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": namespace, "labels": labels, "annotations": dict([SIMULATED])},
        "spec": {"taints": [taint]},
        "status": {"allocatable": amounts, "capacity": amounts},
    }
    toleration = {"key": "test", "operator": "Equal", "value": namespace, "effect": "NoSchedule"}
    flavor = {
        "apiVersion": KUEUE,
        "kind": "ResourceFlavor",
        "metadata": {"name": namespace},
        "spec": {"nodeLabels": labels, "nodeTaints": [taint], "tolerations": [toleration]},
    }
    quotas = [{"name": namespace, "resources": [{"name": "cpu", "nominalQuota": "4"}]}]
    cluster_queue = {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": namespace},
        "spec": {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": quotas}],
        },
    }
    local_queue = {
        "apiVersion": KUEUE,
        "kind": "LocalQueue",
        "metadata": {"name": "training", "namespace": namespace},
        "spec": {"clusterQueue": namespace},
    }
    create(admin, node)
    apply(admin, [flavor, cluster_queue, local_queue])
    yield cluster_queue
    delete(admin, [node, flavor, cluster_queue])


def job(namespace: str, name: str, cpu: int = 2, annotations: dict[str, str] | None = None) -> Manifest:
    container = {"name": "main", "image": "trainer", "resources": {"requests": {"cpu": str(cpu)}}}
    disruption = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, "labels": {"kueue.x-k8s.io/queue-name": "training"}},
        "spec": {
            "podFailurePolicy": {"rules": [disruption]},
            "template": {"metadata": {"annotations": annotations or {}}, "spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }


@pytest.fixture
def running_pods(admin: ApiClient, namespace: str) -> Callable[[], list[str]]:
    """Names of the nodes of the pods that run."""

    def look() -> list[str]:
        pods = CoreV1Api(admin).list_namespaced_pod(namespace, field_selector="status.phase=Running").items
        return [str(pod.spec.node_name) for pod in pods if pod.spec and pod.metadata and not pod.metadata.deletion_timestamp]

    return look


class TestAQueue:
    def test_places_what_fits_and_holds_the_rest_back(self, admin, namespace, queue, running_pods):
        for name in ("one", "two", "three"):
            create(admin, job(namespace, name))
        eventually(lambda: running_pods() == [namespace, namespace])
        held = [name for name in ("one", "two", "three") if (read(admin, job(namespace, name)) or {})["spec"]["suspend"]]
        assert len(held) == 1

    def test_lets_the_next_go_when_one_has_succeeded(self, admin, namespace, queue, running_pods):
        create(admin, job(namespace, "short", 4, {DURATION_ANNOTATION: "1s"}))
        create(admin, job(namespace, "next", 4))
        eventually(lambda: (read(admin, job(namespace, "short")) or {})["status"].get("succeeded") == 1)
        eventually(lambda: running_pods() == [namespace])

    def test_takes_a_job_back_and_places_it_again(self, admin, namespace, queue, running_pods):
        create(admin, job(namespace, "one"))
        eventually(running_pods)
        apply(admin, [queue | {"spec": {**queue["spec"], "stopPolicy": "HoldAndDrain"}}])
        # Without the end of its pods, a job with a failure policy would wait for ever.
        eventually(lambda: not CoreV1Api(admin).list_namespaced_pod(namespace).items)
        apply(admin, [queue | {"spec": {**queue["spec"], "stopPolicy": "None"}}])
        eventually(running_pods)

    def test_takes_a_job_set_as_a_whole(self, admin, namespace, queue, running_pods):
        template = {"spec": job(namespace, "", 1)["spec"] | {"parallelism": 1, "completions": 1}}
        replicated = [{"name": name, "replicas": replicas, "template": template} for name, replicas in (("coordinator", 1), ("worker", 3))]
        create(
            admin,
            {
                "apiVersion": "jobset.x-k8s.io/v1alpha2",
                "kind": "JobSet",
                "metadata": {"name": "set", "namespace": namespace, "labels": {"kueue.x-k8s.io/queue-name": "training"}},
                "spec": {"replicatedJobs": replicated},
            },
        )
        eventually(lambda: running_pods() == [namespace] * 4)


class TestKueue:
    def test_refuses_wrong_objects_by_its_webhooks(self, admin, namespace, queue):
        wrong = queue | {"metadata": {"name": f"{namespace}-wrong"}, "spec": {**queue["spec"], "fairSharing": {"weight": "-1"}}}
        with pytest.raises(ApiException, match=r"vclusterqueue\.kb\.io"):
            create(admin, wrong)

    def test_reads_objects_of_its_older_version(self, admin, namespace, queue):
        older = read(admin, queue | {"apiVersion": "kueue.x-k8s.io/v1beta1"})
        assert older is not None
        assert older["spec"]["resourceGroups"][0]["flavors"][0]["name"] == namespace


class TestEveryEnvironment:
    @pytest.mark.parametrize("name", ENVIRONMENTS)
    def test_tells_kueue_only_what_kueue_takes(self, admin: ApiClient, name: str):
        kubernetes = blueprint_of(name).kubernetes
        assert kubernetes is not None
        told = cluster_wide_queues(kubernetes)
        taken = apply(admin, told, dry_run=True)
        assert [(one["kind"], one["metadata"]["name"]) for one in taken] == [(one["kind"], one["metadata"]["name"]) for one in told]
