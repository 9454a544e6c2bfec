"""The script that opens and closes the buffer, on the real Kueue, with the rights that its account has and no others."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from kubernetes.client import ApiClient, CustomObjectsApi

from hybrid_pools.blueprint.model.queues import (
    Admission,
    BufferQuota,
    Charts,
    ClassPolicy,
    Flavor,
    FlavorQuota,
    Kubernetes,
    Queues,
    Resources,
    TeamCohort,
    TeamQueue,
    Toleration,
)
from hybrid_pools.blueprint.vocabulary import (
    BUFFER_TAINT,
    DRAINED_ANNOTATION,
    GPU_KEY,
    NAMESPACE_TEAM_LABEL,
    QUEUE_LABEL,
    ROLE_LABEL,
    SYSTEM_NAMESPACE,
    AdmissionMode,
    Role,
    WorkloadClass,
)
from hybrid_pools.manifests.buffer import buffer, switch_script, switch_variables
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.queues import queues
from lab.build import build
from lab.cluster.access import Access
from lab.cluster.apply import apply, delete, read
from lab.cluster.control_plane import ControlPlane
from lab.cluster.ports import read_ports
from lab.cluster.programs import kubectl
from lab.paths import cache_folder
from lab.progress import Progress
from tests.cluster.conftest import MakeNamespace
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster

SWITCH = f"system:serviceaccount:{SYSTEM_NAMESPACE}:buffer-switch"
STABLE, BUFFER = "stable", "buffer"


def kubernetes(namespace: str) -> Kubernetes:
    """One team with two GPUs of its own on stable nodes, and a buffer of two. What belongs to the cluster is named after the namespace."""
    nothing, two = Resources(), Resources(cpu=2000, memory=2048, gpus=2)
    tolerated = Toleration(BUFFER_TAINT.key, BUFFER_TAINT.value, BUFFER_TAINT.effect)
    common: dict[str, Any] = {"gpu_family": None, "pools": (), "topology": None, "capacity": two, "usable_grace_seconds": 600}
    stable = Flavor(f"{namespace}-{STABLE}", Role.STABLE, node_labels={ROLE_LABEL: "stable"}, node_taints=(), tolerations=(), **common)
    free = Flavor(BUFFER, Role.BUFFER, node_labels={ROLE_LABEL: "buffer"}, node_taints=(BUFFER_TAINT,), tolerations=(tolerated,), **common)
    queue = TeamQueue(
        f"{namespace}-training",
        namespace,
        namespace,
        WorkloadClass.TRAINING,
        "training",
        (FlavorQuota(stable.name, two, nothing, None), FlavorQuota(free.name, nothing, None, None)),
    )
    service = ClassPolicy(WorkloadClass.SERVICE, f"{namespace}-service", 100, True, (), (), None)
    opened = BufferQuota(f"{namespace}-buffer", (FlavorQuota(free.name, two, None, None),), (), drain_seconds=20, image="kubectl")
    return Kubernetes(
        (service,),
        Queues(namespace, (), (stable, free), (TeamCohort(f"{namespace}-team", namespace, 1000),), (queue,), opened, ()),
        Admission(AdmissionMode.AUDIT, (), (), (), (), (), (), {}, 5, (), (), ()),
        Charts(None, None),
    )


@dataclass(frozen=True)
class Buffer:
    """A buffer in a running cluster, and the script on it."""

    admin: ApiClient
    kubernetes: Kubernetes
    namespace: str
    environment: dict[str, str]

    def switch(self, *, opens: bool) -> "subprocess.CompletedProcess[str]":
        """Runs the script as its job does."""
        quota = self.kubernetes.queues.buffer
        assert quota is not None
        variables = switch_variables(self.kubernetes, quota, opens=opens)
        command = ["/bin/sh", "-c", switch_script()]
        return subprocess.run(command, env={**self.environment, **variables}, capture_output=True, text=True, timeout=60, check=False)

    def start(self, name: str) -> Manifest:
        """A job that takes all of a flavor."""
        container = {
            "name": "train",
            "image": "train",
            "resources": {"requests": {"cpu": "1", GPU_KEY: "2"}, "limits": {GPU_KEY: "2"}},
        }
        job = manifest(
            "batch/v1",
            "Job",
            name,
            namespace=self.namespace,
            labels={QUEUE_LABEL: "training"},
            spec={"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}},
        )
        apply(self.admin, [job])
        return job

    def workload(self, job: Manifest) -> dict[str, Any]:
        """What Kueue knows of a job."""
        group, _, version = KUEUE_API.partition("/")
        listed: Any = CustomObjectsApi(self.admin).list_namespaced_custom_object(group, version, self.namespace, "workloads")
        found = [one for one in listed["items"] if one["metadata"]["ownerReferences"][0]["name"] == job["metadata"]["name"]]
        assert found, "Kueue has not seen it yet"
        return dict(found[0])

    def flavor(self, job: Manifest) -> str | None:
        """The flavor whose quota a job holds, without the namespace in its name."""
        admission = self.workload(job).get("status", {}).get("admission")
        return str(admission["podSetAssignments"][0]["flavors"][GPU_KEY]).rpartition("-")[2] if admission else None

    def runs_on(self, job: Manifest, flavor: str | None) -> None:
        """Waits until a job holds quota of a flavor, or of none."""
        eventually(lambda: self.flavor(job) == flavor)


@pytest.fixture
def closed(admin: ApiClient, control_plane: ControlPlane, make_namespace: MakeNamespace) -> Iterator[Buffer]:
    """A buffer that services have."""
    # Kueue looks at the jobs of teams' namespaces only.
    namespace = make_namespace("switched", {NAMESPACE_TEAM_LABEL: "switched"})
    described = kubernetes(namespace)
    system = manifest("v1", "Namespace", SYSTEM_NAMESPACE)
    objects = [system, *queues(described), *buffer(described)]
    apply(admin, objects)
    access = Access(control_plane.files, read_ports(control_plane.files.ports)["kube-apiserver"])
    binary = build(kubectl(), cache_folder(), Progress())
    environment = {"PATH": f"{binary.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", "KUBECONFIG": str(access.kubeconfig(SWITCH))}
    # Where kubectl keeps what it has learned of the API server.
    environment["KUBECACHEDIR"] = str(control_plane.files.discovery)
    yield Buffer(admin, described, namespace, environment)
    delete(admin, [*objects[1:]])


@pytest.fixture
def opened(closed: Buffer) -> Buffer:
    """A buffer that training has."""
    done = closed.switch(opens=True)
    assert done.returncode == 0, done.stderr
    return closed


def conditions(workload: dict[str, Any]) -> dict[str, str]:
    return {one["type"]: one["status"] for one in workload["status"].get("conditions", [])}


def test_a_job_waits_for_the_buffer_and_is_admitted_when_it_opens(closed: Buffer) -> None:
    first, second = closed.start("first"), closed.start("second")
    eventually(lambda: {closed.flavor(first), closed.flavor(second)} == {STABLE, None})
    done = closed.switch(opens=True)
    assert done.returncode == 0, done.stderr
    eventually(lambda: {closed.flavor(first), closed.flavor(second)} == {STABLE, BUFFER})


def test_closing_sends_what_is_on_the_buffer_back_to_its_queue_and_touches_nothing_else(opened: Buffer) -> None:
    jobs = [opened.start("first"), opened.start("second")]
    eventually(lambda: {opened.flavor(job) for job in jobs} == {STABLE, BUFFER})
    stays = next(job for job in jobs if opened.flavor(job) == STABLE)
    goes = next(job for job in jobs if opened.flavor(job) == BUFFER)
    before = opened.workload(stays)["metadata"]["resourceVersion"]

    done = opened.switch(opens=False)
    assert done.returncode == 0, done.stderr
    assert opened.flavor(goes) is None
    eventually(lambda: conditions(opened.workload(goes)).get("QuotaReserved") == "False")
    left = opened.workload(goes)
    assert left["spec"]["active"] is True
    assert DRAINED_ANNOTATION not in left["metadata"].get("annotations", {})
    assert (read(opened.admin, goes) or {})["spec"]["suspend"] is True
    assert (opened.flavor(stays), opened.workload(stays)["metadata"]["resourceVersion"]) == (STABLE, before)

    delete(opened.admin, [stays])
    opened.runs_on(goes, STABLE)


def test_closing_and_opening_twice_is_as_good_as_once(opened: Buffer) -> None:
    job = opened.start("first")
    opened.runs_on(job, STABLE)
    second = opened.start("second")
    opened.runs_on(second, BUFFER)
    for opens, flavor in ((False, None), (False, None), (True, BUFFER), (True, BUFFER)):
        done = opened.switch(opens=opens)
        assert done.returncode == 0, done.stderr
        opened.runs_on(second, flavor)


@pytest.mark.parametrize("opens", [True, False])
def test_what_a_drain_that_was_cut_short_left_behind_is_brought_back_by_the_next_switch(opened: Buffer, opens: bool) -> None:
    first, second = opened.start("first"), opened.start("second")
    eventually(lambda: {opened.flavor(first), opened.flavor(second)} == {STABLE, BUFFER})
    job = first if opened.flavor(first) == BUFFER else second
    found = opened.workload(job)
    name = {"name": found["metadata"]["name"], "namespace": opened.namespace}
    mark = {**name, "annotations": {DRAINED_ANNOTATION: "true"}}
    apply(opened.admin, [{"apiVersion": found["apiVersion"], "kind": "Workload", "metadata": mark, "spec": {"active": False}}])
    opened.runs_on(job, None)

    done = opened.switch(opens=opens)
    assert done.returncode == 0, done.stderr
    assert opened.workload(job)["spec"]["active"] is True
    opened.runs_on(job, BUFFER if opens else None)


def test_a_switch_that_may_not_do_its_work_says_so(opened: Buffer, control_plane: ControlPlane) -> None:
    access = Access(control_plane.files, read_ports(control_plane.files.ports)["kube-apiserver"])
    stranger = {**opened.environment, "KUBECONFIG": str(access.kubeconfig("stranger"))}
    refused = Buffer(opened.admin, opened.kubernetes, opened.namespace, stranger).switch(opens=False)
    assert refused.returncode != 0
    assert "forbidden" in refused.stderr
