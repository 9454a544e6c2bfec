"""Asking the API server quickly and as anybody: thousands of dry runs a minute."""

import json
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPSConnection
from typing import Any, TypeVar

from hybrid_pools.workload.kinds import kinds
from lab.cluster.control_plane import ControlPlane

Manifest = Mapping[str, Any]
T = TypeVar("T")
R = TypeVar("R")

_THREADS = 6
_REFUSED = 403
_BUILT_IN = {
    "Binding": "bindings",
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "ConfigMap": "configmaps",
    "LocalQueue": "localqueues",
    "Namespace": "namespaces",
    "Node": "nodes",
    "PriorityClass": "priorityclasses",
    "ResourceFlavor": "resourceflavors",
    "ServiceAccount": "serviceaccounts",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}


@dataclass(frozen=True)
class Answer:
    """What the API server says."""

    status: int
    body: Mapping[str, Any]

    @property
    def admitted(self) -> bool:
        """Whether it does what was asked."""
        return self.status < 300

    @property
    def refusal(self) -> str:
        """Why an admission policy refuses; empty where none does."""
        message = str(self.body.get("message", ""))
        return message if self.status == _REFUSED and "ValidatingAdmissionPolicy" in message else ""


class Api:
    """The API server of a control plane, asked as any user."""

    def __init__(self, control_plane: ControlPlane) -> None:
        self._context = ssl.create_default_context(cafile=str(control_plane.ca))
        self._host, _, self._port = control_plane.url.removeprefix("https://").partition(":")
        self._token = control_plane.files.tokens.read_text().partition(",")[0]
        self._local = threading.local()

    def create(self, manifest: Manifest, user: str | None = None, *groups: str, keep: bool = False) -> Answer:
        """Create an object, as the administrator unless a user is named; a dry run unless it is kept."""
        return self._ask("POST", collection(manifest), manifest, "application/json", keep, user, groups)

    def change(
        self, manifest: Manifest, patch: Manifest, user: str | None = None, *groups: str, sub: str = "", keep: bool = False
    ) -> Answer:
        """Merge a patch into an object."""
        path = f"{collection(manifest)}/{manifest['metadata']['name']}{f'/{sub}' if sub else ''}"
        return self._ask("PATCH", path, patch, "application/merge-patch+json", keep, user, groups)

    def delete(self, manifest: Manifest, user: str | None = None, *groups: str, keep: bool = False) -> Answer:
        """Delete an object."""
        path = f"{collection(manifest)}/{manifest['metadata']['name']}"
        # With a body the API server does not look at the query.
        return self._ask("DELETE", path, {} if keep else {"dryRun": ["All"]}, "application/json", keep, user, groups)

    def post(self, path: str, body: Manifest, user: str | None = None) -> Answer:
        """Post to any path, as a dry run."""
        return self._ask("POST", path, body, "application/json", keep=False, user=user, groups=())

    def _ask(self, method: str, path: str, body: Manifest, content: str, keep: bool, user: str | None, groups: Iterable[str]) -> Answer:
        connection = self._connection()
        connection.putrequest(method, path if keep else f"{path}?dryRun=All")
        data = json.dumps(body).encode()
        headers = [("Authorization", f"Bearer {self._token}"), ("Content-Type", content), ("Content-Length", str(len(data)))]
        if user is not None:
            headers += [("Impersonate-User", user), *(("Impersonate-Group", group) for group in (*groups, "system:authenticated"))]
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        return Answer(response.status, json.loads(response.read()))

    def _connection(self) -> HTTPSConnection:
        # One connection a thread, kept open: making one costs more than the question.
        if not hasattr(self._local, "connection"):
            self._local.connection = HTTPSConnection(self._host, int(self._port), context=self._context, timeout=60)
        connection: HTTPSConnection = self._local.connection
        return connection


def collection(manifest: Manifest) -> str:
    """Path of all objects of the manifest's kind, in its namespace if it has one."""
    version, kind = manifest["apiVersion"], manifest["kind"]
    group = version.partition("/")[0] if "/" in version else ""
    known = kinds().get((group, kind))
    plural = known.plural if known else _BUILT_IN[kind]
    base = f"/apis/{version}" if group else f"/api/{version}"
    namespace = manifest["metadata"].get("namespace")
    return f"{base}/namespaces/{namespace}/{plural}" if namespace else f"{base}/{plural}"


def at_once(ask: Callable[[T], R], questions: Iterable[T]) -> list[R]:
    """Ask many questions by several threads; answers come in the order of the questions."""
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(ask, questions))
