"""Process nodes and pods for one test, and how to ask for them."""

import os
import uuid
from pathlib import Path
from typing import Any

from kubernetes.client import ApiClient

from lab.cluster.apply import apply, create, delete, read
from lab.cluster.calling import call
from lab.cluster.control_plane import ControlPlane
from lab.kubelet import marks
from tests.cluster.waiting import eventually

Object = dict[str, Any]
TAINT = "tests.kubelet"
FINALIZER = "tests.kubelet/keep"


class Nodes:
    """Process nodes for one test, on which nothing else is placed."""

    def __init__(self, admin: ApiClient) -> None:
        self.admin = admin
        self.group = uuid.uuid4().hex[:8]
        self.made: list[Object] = []

    def add(self, **annotations: str) -> str:
        """A ready node; annotations by the names of the constants in `marks`."""
        name = f"process-{self.group}-{len(self.made)}"
        resources = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        labels = {marks.LAB_NODE_LABEL: marks.PROCESS, "tests.kubelet/group": self.group}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": {getattr(marks, key): value for key, value in annotations.items()}},
            "spec": {"taints": [{"key": TAINT, "value": self.group, "effect": "NoSchedule"}]},
            "status": {"capacity": resources, "allocatable": resources},
        }
        create(self.admin, node)
        self.made.append(node)
        eventually(lambda: self.ready(name) == "True")
        return name

    def read(self, name: str) -> Object:
        return read_object(self.admin, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    def ready(self, name: str) -> str:
        return str(condition(self.read(name), "Ready").get("status"))

    def stop(self, name: str, how: str) -> None:
        """What `lab.nodes` writes when a machine ends."""
        apply(self.admin, [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": {marks.STOP_ANNOTATION: how}}}])

    def pod(self, script: str, **spec: Any) -> Object:
        """A pod template that runs a shell script."""
        container = {"name": "main", "image": "not-used", "command": ["sh", "-c", script], **spec.pop("container", {})}
        return {
            "restartPolicy": "Never",
            "nodeSelector": {"tests.kubelet/group": self.group},
            "tolerations": [{"key": TAINT, "operator": "Exists"}],
            "containers": [container],
            **spec,
        }


class Pods:
    """Pods of one test's namespace."""

    def __init__(self, control_plane: ControlPlane, admin: ApiClient, namespace: str) -> None:
        self.admin = admin
        self.namespace = namespace
        self.kubelet = control_plane.files.lab / "kubelet"

    def run(self, spec: Object, name: str = "one", **metadata: Any) -> Object:
        return create(
            self.admin,
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace, **metadata}, "spec": spec},
        )

    def read(self, name: str = "one") -> Object:
        return read_object(self.admin, self._reference(name))

    def phase(self, name: str = "one") -> str:
        return str(self.read(name)["status"].get("phase"))

    def ended(self, name: str = "one", within: float = 30) -> Object:
        """The pod once it has ended."""
        eventually(lambda: self.phase(name) in ("Succeeded", "Failed"), within)
        return self.read(name)

    def log(self, pod: Object, container: str = "main", attempt: int = 0) -> str:
        metadata = pod["metadata"]
        folder = self.kubelet / "logs" / f"{metadata['namespace']}_{metadata['name']}_{metadata['uid']}"
        file = folder / container / f"{attempt}.log"
        return file.read_text() if file.exists() else ""

    def says(self, pod: Object, text: str) -> Object:
        """The pod once its container has written a text."""
        eventually(lambda: text in self.log(pod))
        return pod

    def release(self, name: str = "one") -> None:
        """Takes the finalizers off, so that an ended pod goes."""
        apply(self.admin, [{**self._reference(name), "metadata": {"name": name, "namespace": self.namespace, "finalizers": []}}])

    def delete(self, name: str = "one") -> None:
        delete(self.admin, [self._reference(name)])

    def of_job(self, job: str) -> list[Object]:
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        found = list_objects(self.admin, path)
        return [pod for pod in found if pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name") == job]

    def _reference(self, name: str) -> Object:
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace}}


def read_object(admin: ApiClient, reference: Object) -> Object:
    found = read(admin, reference)
    assert found is not None, f"{reference['metadata']['name']} is gone"
    return found


def list_objects(admin: ApiClient, path: str) -> list[Object]:
    items: list[Object] = call(admin, "GET", path)["items"]
    return items


def condition(item: Object, kind: str) -> Object:
    return next((each for each in item["status"].get("conditions", ()) if each["type"] == kind), {})


def state(pod: Object) -> Object:
    statuses: list[Object] = pod["status"].get("containerStatuses", [{}])
    state: Object = statuses[0].get("state", {})
    return state


def new_job(namespace: str, template: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": namespace},
        "spec": {"backoffLimit": 0, "template": {"spec": template}, **spec},
    }


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


TRAP = "trap 'echo told; exit 0' TERM; echo up; while :; do sleep 0.05; done"
DEAF = "trap '' TERM; echo up; while :; do sleep 0.05; done"


def renewal(admin: ApiClient, name: str) -> str:
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-node-lease"}}
    return str(read_object(admin, lease)["spec"]["renewTime"])


def shell(name: str, script: str) -> Object:
    return {"name": name, "image": "not-used", "command": ["sh", "-c", script]}
