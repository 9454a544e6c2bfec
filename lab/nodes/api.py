"""The API server, as far as nodes need it: lists as plain objects, and the few changes that are made."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from lab.cluster.calling import APPLY, JSON, MERGE, STRATEGIC, call
from lab.errors import LabError
from lab.kubelet.marks import SHUTTING_DOWN, TERMINATED
from lab.nodes.manifests import InPlace
from lab.nodes.objects import APPLIED_ANNOTATION, DRAIN_ANNOTATION, LabNode, Object, Pod
from lab.nodes.sizes import Sizes

_NODES = "/api/v1/nodes"
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
_NAMESPACE, _SIZES = "kube-system", "lab-node-pools"
_SIZES_PATH = f"/api/v1/namespaces/{_NAMESPACE}/configmaps/{_SIZES}"
_OWNER = "lab-nodes"
_TIMEOUT = 20  # seconds
_NOBODY = "lab-stopped"
_FOR_EVER = 10**9  # seconds; some thirty years
_SIGTERM_EXIT = 143


class Api:
    """The API server of one lab.

    Args:
        kubeconfig: Of somebody who may do everything.

    Raises:
        LabError: There is no such file.
    """

    def __init__(self, kubeconfig: Path) -> None:
        if not kubeconfig.exists():
            raise LabError(f"The lab has no control plane yet: {kubeconfig} is not there. Start it: python -m lab start")
        self._client: client.ApiClient = config.new_client_from_config(config_file=str(kubeconfig))  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Ends the connections."""
        self._client.close()  # type: ignore[no-untyped-call]

    def nodes(self) -> list[Object]:
        """All nodes."""
        return self._listed(_NODES)

    def pods(self) -> list[Object]:
        """All pods."""
        return self._listed("/api/v1/pods")

    def sizes(self) -> dict[str, Sizes]:
        """The sizes of the pools as they were remembered."""
        found = self._call("GET", _SIZES_PATH, passing=(HTTPStatus.NOT_FOUND,))
        if found is None:
            return {}
        content: dict[str, Any] = json.loads(found["data"]["sizes"])
        return {pool: Sizes(entry["asked"], entry["zones"]) for pool, entry in content.items()}

    def remember(self, sizes: Mapping[str, Sizes]) -> None:
        """Remembers the sizes of the pools."""
        content = {pool: {"asked": entry.asked, "zones": dict(entry.zones)} for pool, entry in sizes.items()}
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": _SIZES, "namespace": _NAMESPACE},
            "data": {"sizes": json.dumps(content, sort_keys=True)},
        }
        self._apply(_SIZES_PATH, body)

    def create(self, node: Object) -> None:
        """Makes a node; one that is there already stays as it is."""
        self._call("POST", _NODES, node, passing=(HTTPStatus.CONFLICT,))

    def change(self, node: LabNode, change: InPlace, note: str) -> None:
        """Gives a node other labels and taints, and notes what its pool has put on."""
        body = {
            "metadata": {"uid": node.uid, "labels": dict(change.labels), "annotations": {APPLIED_ANNOTATION: note}},
            "spec": {"taints": change.taints},
        }
        self._patch(f"{_NODES}/{node.name}", body, MERGE)

    def drain(self, node: LabNode, now: float) -> None:
        """Closes a node to new pods and marks it as one that goes."""
        body = {"metadata": {"uid": node.uid, "annotations": {DRAIN_ANNOTATION: f"{now:.3f}"}}, "spec": {"unschedulable": True}}
        self._patch(f"{_NODES}/{node.name}", body, MERGE)

    def annotate(self, node: LabNode, annotations: Mapping[str, str]) -> None:
        """Writes annotations on a node."""
        self._patch(f"{_NODES}/{node.name}", {"metadata": {"uid": node.uid, "annotations": dict(annotations)}}, MERGE)

    def remove(self, node: LabNode) -> None:
        """Removes a node."""
        self._delete(f"{_NODES}/{node.name}", {"preconditions": {"uid": node.uid}})

    def evict(self, pod: Pod) -> None:
        """Evicts a pod with its own grace period, unless a disruption budget holds it back."""
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": {"preconditions": {"uid": pod.uid}},
        }
        passing = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
        try:
            self._call("POST", f"{_pod_path(pod)}/eviction", body, passing=passing)
        except ApiException as error:
            # An eviction counts as something new, and a namespace that is being deleted takes nothing new.
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            self.delete_pod(pod)

    def delete_pod(self, pod: Pod) -> None:
        """Deletes a pod with its own grace period."""
        self._delete(_pod_path(pod), {"preconditions": {"uid": pod.uid}})

    def silence(self, node: LabNode) -> None:
        """Takes the lease of a simulated node, so that KWOK neither renews it nor touches the node and its pods any more."""
        lease = self._call("GET", f"{_LEASES}/{node.name}", passing=(HTTPStatus.NOT_FOUND,))
        if lease and lease["spec"].get("holderIdentity") == _NOBODY:
            return
        owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": node.uid}
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": node.name, "namespace": "kube-node-lease", "ownerReferences": [owner]},
            "spec": {"holderIdentity": _NOBODY, "leaseDurationSeconds": _FOR_EVER, "renewTime": _now("microseconds")},
        }
        self._apply(f"{_LEASES}/{node.name}", body)

    def shut_down(self, node: LabNode) -> None:
        """Lets a node say that it shuts down, as its kubelet would."""
        ready = {
            "type": "Ready",
            "status": "False",
            "reason": "KubeletNotReady",
            "message": SHUTTING_DOWN,
            "lastHeartbeatTime": _now(),
            "lastTransitionTime": _now(),
        }
        self._patch(f"{_NODES}/{node.name}/status", {"metadata": {"uid": node.uid}, "status": {"conditions": [ready]}}, STRATEGIC)

    def terminate(self, pod: Pod) -> None:
        """Ends a pod as a kubelet does that shuts down: failed, terminated, and marked as disrupted."""
        self._patch(f"{_pod_path(pod)}/status", {"metadata": {"uid": pod.uid}, "status": _terminated(pod)}, STRATEGIC)

    def _listed(self, path: str) -> list[Object]:
        # From the API server's cache: what is decided on is looked at again a second later.
        found = self._call("GET", path, query={"resourceVersion": "0"})
        items: list[Object] = found["items"] if found else []
        return items

    def _patch(self, path: str, body: Object, kind: str) -> None:
        """A change of an object that may be gone, or replaced by another of its name."""
        self._call("PATCH", path, body, kind, passing=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT))

    def _apply(self, path: str, body: Object) -> None:
        self._call("PATCH", path, body, APPLY, query={"force": "true"})

    def _delete(self, path: str, options: Object) -> None:
        body = {"apiVersion": "v1", "kind": "DeleteOptions", **options}
        self._call("DELETE", path, body, passing=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT))

    def _call(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        content: str = JSON,
        *,
        query: Mapping[str, str] | None = None,
        passing: Sequence[HTTPStatus] = (),
    ) -> dict[str, Any] | None:
        """One call. None for a refusal that may be passed over.

        Raises:
            ApiException: The API server says no.
        """
        asked = {**(query or {}), **({"fieldManager": _OWNER} if method in ("PATCH", "POST") else {})}
        try:
            return call(self._client, method, path, body, content, query=asked, timeout=_TIMEOUT)
        except ApiException as error:
            if error.status in passing:
                return None
            raise


def _pod_path(pod: Pod) -> str:
    return f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"


def _terminated(pod: Pod) -> dict[str, Any]:
    now = _now()

    def condition(type_: str, status: str, reason: str, message: str) -> dict[str, str]:
        return {"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}

    ended = {"terminated": {"exitCode": _SIGTERM_EXIT, "reason": "Error", "finishedAt": now, "startedAt": now}}
    containers = [
        {"name": container["name"], "image": container.get("image", ""), "imageID": "", "ready": False, "restartCount": 0, "state": ended}
        for container in pod.spec["containers"]
    ]
    return {
        "phase": "Failed",
        "reason": "Terminated",
        "message": TERMINATED,
        "containerStatuses": containers,
        "conditions": [
            condition("DisruptionTarget", "True", "TerminationByKubelet", TERMINATED),
            condition("Ready", "False", "PodFailed", ""),
            condition("ContainersReady", "False", "PodFailed", ""),
        ],
    }


def _now(precision: str = "seconds") -> str:
    return datetime.now(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
