"""What teams do with their queues, and what can be seen of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_URI_ANNOTATION,
    FLAVOR_LABEL,
    GPU_KEY,
    MAX_EXEC_LABEL,
    QUEUE_LABEL,
    WorkloadClass,
    local_queue,
    priority_class,
    team_namespace,
)
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.queues import buffer_groups
from lab.cluster.apply import apply, delete, read
from tests.cluster.admission.api import Api
from tests.cluster.stack import Stack, clear, engineers, listed
from tests.cluster.waiting import eventually
from tests.workloads import PERSON, honest_job_set, honest_job_spec, honest_template, named, service_template

_COLLECTIONS = ("/apis/jobset.x-k8s.io/v1alpha2/jobsets", "/apis/batch/v1/jobs", "/apis/apps/v1/deployments")
"""Of what teams make."""

_OWNER = "batch.kubernetes.io/job-name"


def address(team: str, name: str) -> str:
    """Where a job keeps its checkpoints."""
    return f"gs://acme-checkpoints/runs/{team}/{name}"


@dataclass(frozen=True)
class Play:
    """The queues of a stack, as teams use them."""

    stack: Stack

    @property
    def api(self) -> Api:
        return Api(self.stack.control_plane)

    def start(
        self,
        team: str,
        name: str,
        *,
        gpus: int = 0,
        cpu: str = "100m",
        pods: int = 1,
        workload_class: WorkloadClass = WorkloadClass.TRAINING,
        selector: Mapping[str, str] | None = None,
    ) -> Manifest:
        """A job that an engineer of the team gives to the class's queue. It runs until it is ended."""
        job = job_of(team, name, gpus=gpus, cpu=cpu, pods=pods, workload_class=workload_class, selector=selector)
        return self.give(team, job)

    def give(self, team: str, made: Manifest) -> Manifest:
        """Anything that an engineer of the team makes."""
        answer = self.api.create(made, "engineer@acme.example", engineers(team), keep=True)
        assert answer.admitted, answer.body
        return made

    def job_set(self, team: str, name: str) -> Manifest:
        """A coordinator and two workers."""
        worker = _template(team, name, gpus=1, cpu="1")
        made = honest_job_set(worker)
        coordinator = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
        coordinator["spec"]["containers"][0]["resources"] = _resources(0, "1")
        made["metadata"] |= {"name": name, "namespace": team_namespace(team)}
        return self.give(team, made)

    def serve(self, name: str, replicas: int) -> Manifest:
        """A service of which each pod wants a GPU of the buffer."""
        template = service_template()
        template["spec"]["containers"][0]["resources"] = _resources(1, "1")
        template["spec"]["nodeSelector"] = {FLAVOR_LABEL: "buffer-l4"}
        spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        made = named("apps/v1", "Deployment", spec, namespace=team_namespace("web"), name=name)
        answer = self.api.create(made, PERSON, keep=True)
        assert answer.admitted, answer.body
        return made

    def open_buffer(self, *, opens: bool) -> None:
        """Give the buffer's quota to training, or take it back without a drain."""
        buffer = self.stack.kubernetes.queues.buffer
        assert buffer is not None
        spec = {"parentName": self.stack.kubernetes.queues.cohort, "resourceGroups": buffer_groups(buffer, opened=opens)}
        apply(self.stack.admin, [manifest(KUEUE_API, "Cohort", buffer.cohort, spec=spec)])

    def end(self, *jobs: Manifest) -> None:
        """End jobs as their team does."""
        delete(self.stack.admin, jobs)

    def pods(self, job: Manifest) -> list[dict[str, Any]]:
        """Pods of a job that are not on their way out."""
        path = f"/api/v1/namespaces/{job['metadata']['namespace']}/pods"
        found = listed(self.stack.admin, path, labelSelector=f"{_OWNER}={job['metadata']['name']}")
        return [pod for pod in found if "deletionTimestamp" not in pod["metadata"] and pod["status"].get("phase") in ("Pending", "Running")]

    def flavors(self, job: Manifest) -> Counter[str]:
        """Flavors of the nodes that the pods of a job, or of the service of a deployment, run on."""
        return Counter(self._flavor_of(pod["spec"]["nodeName"]) for pod in self.pods(job) if pod["spec"].get("nodeName"))

    def flavors_of_service(self, deployment: Manifest) -> Counter[str]:
        """Flavors of the nodes of a service's pods."""
        found = listed(self.stack.admin, f"/api/v1/namespaces/{deployment['metadata']['namespace']}/pods", labelSelector="app=web")
        return Counter(self._flavor_of(pod["spec"]["nodeName"]) for pod in found if pod["spec"].get("nodeName"))

    def runs(self, job: Manifest, flavor: str, pods: int = 1, within: float = 30) -> None:
        """Return once all pods of a job run on nodes of a flavor."""
        eventually(lambda: self.flavors(job) == Counter({flavor: pods}), within)

    def waits(self, job: Manifest) -> None:
        """Return once Kueue has looked at a job and found no quota for it."""

        def looked() -> bool:
            workload = self.workload(job)
            conditions = {one["type"]: one for one in workload.get("status", {}).get("conditions", ())}
            assert conditions.get("QuotaReserved", {}).get("status") == "False", conditions
            return bool(conditions["QuotaReserved"]["reason"] == "Pending")

        eventually(looked)
        assert (read(self.stack.admin, job) or {})["spec"]["suspend"] is True

    def workload(self, job: Manifest) -> dict[str, Any]:
        """What Kueue knows of a job."""
        group = f"/apis/{KUEUE_API}/namespaces/{job['metadata']['namespace']}/workloads"
        found = [one for one in listed(self.stack.admin, group) if one["metadata"]["ownerReferences"][0]["name"] == job["metadata"]["name"]]
        assert len(found) == 1, [one["metadata"]["name"] for one in found]
        return found[0]

    def clear(self) -> None:
        """Take away everything that teams have made."""
        admin = self.stack.admin
        places = [team.namespace for team in self.stack.blueprint.teams]
        for path in _COLLECTIONS:
            clear(admin, path, places)

        def gone() -> bool:
            left = [pod["metadata"]["name"] for place in places for pod in listed(admin, f"/api/v1/namespaces/{place}/pods", limit="1")]
            left += [one["metadata"]["name"] for one in listed(admin, f"/apis/{KUEUE_API}/workloads", limit="1")]
            assert not left, left
            return True

        eventually(gone, within=120)
        self.open_buffer(opens=False)

    def _flavor_of(self, node: str) -> str:
        found = read(self.stack.admin, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
        assert found is not None
        return str(found["metadata"]["labels"][FLAVOR_LABEL])


def job_of(
    team: str,
    name: str,
    *,
    gpus: int = 0,
    cpu: str = "100m",
    pods: int = 1,
    workload_class: WorkloadClass = WorkloadClass.TRAINING,
    selector: Mapping[str, str] | None = None,
) -> Manifest:
    """A job of so many pods at once."""
    template = _template(team, name, gpus=gpus, cpu=cpu, workload_class=workload_class, selector=selector)
    spec = {**honest_job_spec(template), "parallelism": pods, "completions": pods}
    labels = {QUEUE_LABEL: local_queue(workload_class), MAX_EXEC_LABEL: "86400"}
    return named("batch/v1", "Job", spec, namespace=team_namespace(team), name=name, labels=labels)


def _template(
    team: str,
    name: str,
    *,
    gpus: int,
    cpu: str,
    workload_class: WorkloadClass = WorkloadClass.TRAINING,
    selector: Mapping[str, str] | None = None,
) -> Manifest:
    template = honest_template(workload_class)
    template["metadata"]["annotations"][CHECKPOINT_URI_ANNOTATION] = address(team, name)
    template["spec"]["priorityClassName"] = priority_class(workload_class)
    template["spec"]["containers"][0]["resources"] = _resources(gpus, cpu)
    template["spec"]["nodeSelector"] = dict(selector or {})
    return template


def _resources(gpus: int, cpu: str) -> Manifest:
    wanted = {"cpu": cpu, "memory": "64Mi", **({GPU_KEY: str(gpus)} if gpus else {})}
    return {"requests": wanted, **({"limits": {GPU_KEY: str(gpus)}} if gpus else {})}
