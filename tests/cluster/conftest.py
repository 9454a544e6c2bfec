"""Fixtures of tests on a real control plane with queues: one for each pytest worker, and namespaces of their own for each test."""

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
from kubernetes.client import ApiClient

from lab.cluster.apply import Manifest, apply, delete, read
from lab.cluster.control_plane import ControlPlane
from lab.paths import CHECKOUT
from tests.cluster.waiting import eventually

MakeNamespace = Callable[..., str]


@contextmanager
def running(control_plane: ControlPlane, *, start: bool = True) -> Iterator[ControlPlane]:
    """The control plane from its start to its end, which comes even if this process is killed. A test may start it itself."""
    command = [sys.executable, "-m", "tests.cluster.guard", str(control_plane.files.lab)]
    with subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, start_new_session=True) as guard:
        try:
            if start:
                control_plane.start()
            yield control_plane
        finally:
            control_plane.stop()
            guard.communicate()


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Kubernetes, Kueue, JobSet and simulated nodes; built on first use. Tests that kill parts start them again."""
    with running(ControlPlane(tmp_path_factory.mktemp("lab"))) as started:
        yield started


@pytest.fixture(scope="session")
def admin(control_plane: ControlPlane) -> ApiClient:
    """The official client of the administrator."""
    return control_plane.client()


@pytest.fixture
def make_namespace(admin: ApiClient) -> Iterator[MakeNamespace]:
    """Makes namespaces that nobody else has, with labels; pods can be made in them at once. They are deleted after the test."""
    made: list[Manifest] = []

    def make(prefix: str = "test", labels: Mapping[str, str] | None = None) -> str:
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels or {})}}
        made.append(manifest)
        apply(admin, [manifest])
        # Pods are refused until a controller has made the service account that they run as.
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
        eventually(lambda: read(admin, account))
        return name

    yield make
    delete(admin, made)


@pytest.fixture
def namespace(make_namespace: MakeNamespace) -> str:
    """A fresh namespace."""
    return make_namespace()
