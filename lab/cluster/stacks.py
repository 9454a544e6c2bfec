"""Which stacks need the lab's control plane, and when it is started and stopped for them.

A lab has one control plane, so one stack at a time may declare objects inside a cluster: those of two would have the same names.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from lab.cluster.control_plane import ControlPlane
from lab.engine import Engine
from lab.errors import LabError
from lab.google.endpoint import api_server
from lab.stacks import known_stacks, stack_text

_SECTION = "kubernetes"
_CLUSTER = "gcp:container/cluster:Cluster"


def needs_cluster(engine: Engine, stack: str) -> bool:
    """Whether a stack declares objects inside its cluster: its file has the section for it.

    Raises:
        LabError: The stack file cannot be read.
    """
    return f"{engine.project_name}:{_SECTION}" in yaml.safe_load(stack_text(engine.project, stack))["config"]


def serve(engine: Engine, stack: str) -> None:
    """Starts the control plane for a stack that needs it, and tells the stack where it is.

    Raises:
        LabError: Another stack has objects in the cluster, or the control plane cannot be started.
    """
    if not needs_cluster(engine, stack):
        return
    for other in _inside(engine):
        if other != stack:
            raise LabError(
                f"Stack {other} has objects in the lab's control plane, of which there is one, and those of {stack} would have the same "
                f"names. Remove that stack first: make down STACK={other}"
            )
    control_plane = ControlPlane(engine.lab.directory)
    control_plane.start()
    if engine.exists(stack):
        moved = moved_clusters(engine.state(stack), api_server(engine.lab.directory))
        if moved:
            engine.refresh(stack, *(argument for urn in moved for argument in ("--target", urn)))


def serve_if_up(engine: Engine, stack: str) -> None:
    """Does the same for a stack that has made something; one that has not needs no control plane to be looked at or removed.

    Raises:
        LabError: As of `serve`.
    """
    if stack in _inside(engine):
        serve(engine, stack)


def release(engine: Engine) -> None:
    """Stops the control plane if no stack has objects in it any more."""
    control_plane = ControlPlane(engine.lab.directory)
    if control_plane.files.directory.exists() and not any(True for _ in _inside(engine)):
        control_plane.stop()


def moved_clusters(state: Mapping[str, Any], endpoint: str | None) -> tuple[str, ...]:
    """The clusters whose endpoint in a stack's state is another one than the control plane has now."""
    return tuple(
        resource["urn"]
        for resource in state["deployment"].get("resources") or ()
        if resource["type"] == _CLUSTER and _endpoint(resource.get("outputs") or {}) not in (endpoint, None)
    )


def _endpoint(outputs: Mapping[str, Any]) -> str | None:
    settings = outputs.get("controlPlaneEndpointsConfig") or {}
    return (settings.get("dnsEndpointConfig") or {}).get("endpoint")


def _inside(engine: Engine) -> Iterator[str]:
    for stack in known_stacks(engine.project):
        if engine.exists(stack) and needs_cluster(engine, stack) and engine.state(stack)["deployment"].get("resources"):
            yield stack
