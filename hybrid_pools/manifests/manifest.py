"""What a Kubernetes object is here: plain data in Kubernetes' own spelling."""

from collections.abc import Mapping
from typing import Any

Manifest = dict[str, Any]


def manifest(
    api_version: str,
    kind: str,
    name: str,
    *,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    **parts: Any,
) -> Manifest:
    """An object.

    Args:
        namespace: None for what belongs to the whole cluster.
        parts: What stands beside the metadata: `spec`, `rules`, `value` and the like.
    """
    metadata: Manifest = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
