"""Pods as the API server gives them."""

from typing import Any

from lab.kubelet.containers import Attempt

NOW = "2026-12-01T00:01:00Z"


def container(name: str = "main", **more: Any) -> dict[str, Any]:
    """A container with a command."""
    return {"name": name, "image": "not-used", "command": ["true"], **more}


def pod(*containers: dict[str, Any], metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod that is bound to a node."""
    return {
        "metadata": {"name": "one", "namespace": "team-a", "uid": "1234", **(metadata or {})},
        "spec": {"nodeName": "node-a", "serviceAccountName": "training", "containers": list(containers or (container(),)), **spec},
        "status": {},
    }


def running(number: int = 0) -> Attempt:
    """An attempt that runs."""
    return Attempt(number, "2026-12-01T00:00:00Z")


def ended(code: int, number: int = 0, finished: str = "2026-12-01T00:00:30Z") -> Attempt:
    """An attempt that has ended."""
    return Attempt(number, "2026-12-01T00:00:00Z", code, "Completed" if code == 0 else "Error", "", finished)


class Store:
    """Config maps and secrets by kind and name."""

    def __init__(self, **found: dict[str, bytes]) -> None:
        self.found = found

    def data(self, kind: str, name: str) -> dict[str, bytes] | None:
        return self.found.get(f"{kind}_{name}")
