"""Process nodes and pods of one test."""

from collections.abc import Iterator

import pytest
from kubernetes.client import ApiClient

from lab.cluster.apply import delete
from lab.cluster.control_plane import ControlPlane
from tests.cluster.kubelet.process_nodes import Nodes, Pods


@pytest.fixture
def nodes(admin: ApiClient) -> Iterator[Nodes]:
    made = Nodes(admin)
    yield made
    delete(admin, made.made)


@pytest.fixture
def pods(control_plane: ControlPlane, admin: ApiClient, namespace: str) -> Pods:
    return Pods(control_plane, admin, namespace)
