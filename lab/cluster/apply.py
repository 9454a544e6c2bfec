"""Puts manifests into a cluster and takes them out again, whatever their kind.

Not the official dynamic client: it keeps what it has learnt of a server in a file of the system's temporary folder under the server's
address, and a lab's address is another cluster's next time.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubernetes.client import ApiClient
from kubernetes.client.exceptions import ApiException

from lab.cluster.calling import APPLY, call
from lab.errors import LabError

Manifest = Mapping[str, Any]

FIELD_MANAGER = "hybrid-pools-lab"

_NOT_FOUND = 404
_DRY_RUN = {"dryRun": "All"}
_PAUSE = 0.1  # seconds between two questions
_DEFAULT_NAMESPACE = "default"


def apply(client: ApiClient, manifests: Iterable[Manifest], *, within: float = 30, dry_run: bool = False) -> list[dict[str, Any]]:
    """Applies manifests in their order on the server (server-side apply), taking over fields that others own.

    Args:
        client: Who applies.
        manifests: Objects with `apiVersion`, `kind` and `metadata.name`; without a namespace, `default` where the kind has one.
        within: Seconds to wait for the definition of a kind that the server does not know yet, such as one applied just before.
        dry_run: Whether the server judges everything and keeps nothing.

    Returns:
        The objects as the server has them.

    Raises:
        LabError: The server knows a kind not even after `within` seconds.
        ApiException: The server refuses an object.
    """
    kinds = _Kinds(client)
    query = {"fieldManager": FIELD_MANAGER, "force": "true"} | (_DRY_RUN if dry_run else {})
    return [call(client, "PATCH", kinds.path(manifest, within), manifest, APPLY, query=query) for manifest in manifests]


def create(client: ApiClient, manifest: Manifest, *, within: float = 30, dry_run: bool = False) -> dict[str, Any]:
    """Creates one object, as `kubectl create` does; arguments and errors as of `apply`. `metadata.generateName` will do for a name."""
    path = _Kinds(client).collection(manifest, within)
    return call(client, "POST", path, manifest, query=_DRY_RUN if dry_run else {})


def read(client: ApiClient, manifest: Manifest) -> dict[str, Any] | None:
    """The object of this kind and name as the server has it; None if there is none."""
    try:
        return call(client, "GET", _Kinds(client).path(manifest, within=0))
    except ApiException as error:
        if error.status == _NOT_FOUND:
            return None
        raise


def delete(client: ApiClient, manifests: Iterable[Manifest]) -> None:
    """Deletes objects in the reverse of their order; what is gone already is passed over."""
    kinds = _Kinds(client)
    for manifest in reversed(list(manifests)):
        try:
            call(client, "DELETE", kinds.path(manifest, within=0), query={"propagationPolicy": "Background"})
        except (ApiException, LabError) as error:
            if isinstance(error, ApiException) and error.status != _NOT_FOUND:
                raise


@dataclass
class _Kinds:
    """Where the objects of each kind are, asked of the server once."""

    client: ApiClient
    _known: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict)

    def path(self, manifest: Manifest, within: float) -> str:
        return f"{self.collection(manifest, within)}/{manifest['metadata']['name']}"

    def collection(self, manifest: Manifest, within: float) -> str:
        version, kind = manifest["apiVersion"], manifest["kind"]
        plural, namespaced = self._find(version, kind, within)
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        namespace = manifest["metadata"].get("namespace", _DEFAULT_NAMESPACE)
        return f"{base}/namespaces/{namespace}/{plural}" if namespaced else f"{base}/{plural}"

    def _find(self, version: str, kind: str, within: float) -> tuple[str, bool]:
        give_up = time.monotonic() + within
        while (version, kind) not in self._known:
            self._known |= _resources(self.client, version)
            if (version, kind) in self._known:
                break
            if time.monotonic() >= give_up:
                raise LabError(f"The API server knows no kind {kind} of {version}. Apply its CustomResourceDefinition first.")
            time.sleep(_PAUSE)
        return self._known[version, kind]


def _resources(client: ApiClient, version: str) -> dict[tuple[str, str], tuple[str, bool]]:
    try:
        listed = call(client, "GET", f"/apis/{version}" if "/" in version else f"/api/{version}")
    except ApiException as error:
        if error.status == _NOT_FOUND:
            return {}
        raise
    return {
        (version, resource["kind"]): (resource["name"], resource["namespaced"])
        for resource in listed["resources"]
        if "/" not in resource["name"]
    }
