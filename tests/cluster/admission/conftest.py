"""An API server with the admission policies and the kinds that they judge, and nothing that would act on what is admitted."""

from collections.abc import Iterator
from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import (
    NAMESPACE_TEAM_LABEL,
    SYSTEM_NAMESPACE,
    TRAINING_SERVICE_ACCOUNT,
    WorkloadClass,
    priority_class,
)
from hybrid_pools.manifests.admission import admission as admission_manifests
from hybrid_pools.workload.kinds import Kind, kinds
from lab.cluster.apply import apply
from lab.cluster.control_plane import ControlPlane
from lab.cluster.kubernetes import API_SERVER, ETCD
from lab.cluster.programs import control_plane as programs
from lab.cluster.registry import KUBERNETES
from lab.cluster.upstream import module_directory, resources
from tests.cluster.admission.api import Api
from tests.cluster.admission.corpus import read, shaped
from tests.cluster.conftest import running
from tests.cluster.waiting import eventually
from tests.workloads import NO_TEAM, PERSON, TEAM, TEAM_WITHOUT_SPOT, admission

OLDEST = "1.34"
"""The oldest version that the API server of 1.37 can behave as: three before its own."""

_PARTS = tuple(part for part in KUBERNETES if part.name in (ETCD, API_SERVER))
_BUILT_IN = ("", "apps", "batch")
_UPSTREAM = {"jobset.x-k8s.io": ("jobset", "sigs.k8s.io/jobset"), "kueue.x-k8s.io": ("kueue", "sigs.k8s.io/kueue")}


@pytest.fixture(scope="session", params=[None, OLDEST], ids=["newest", "oldest"])
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The API server, once as itself and once as the oldest version that it can be."""
    plane = ControlPlane(tmp_path_factory.mktemp("admission"), _PARTS, request.param)
    with running(plane):
        prepare(plane)
        yield Api(plane)


def prepare(plane: ControlPlane) -> None:
    """Give the API server kinds, teams and the policies, and wait until the policies hold.

    Everybody has every right: what is refused is refused by admission.
    """
    client = plane.client()
    apply(client, [*_definitions(), _everybody_may(), *_environment()])
    apply(client, admission_manifests(admission()))
    asked = Api(plane)
    # The API server takes policies up together, in the order in which they were made.
    eventually(lambda: asked.create(_probe(), PERSON).refusal, within=60)


def _probe() -> dict[str, Any]:
    """What only the policy that was made last refuses."""
    shape = next(shape for shape in read("kinds.yaml") if shape["kind"] == "Deployment")
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"nodeName": "one", "containers": [{"name": "one", "image": "one"}]}}
    return shaped(shape, template)


def _environment() -> Iterator[dict[str, Any]]:
    for name in (SYSTEM_NAMESPACE, NO_TEAM, TEAM, TEAM_WITHOUT_SPOT):
        labels = {NAMESPACE_TEAM_LABEL: name.removeprefix("team-")} if name.startswith("team-") else {}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        # No controller makes the default account here, and no pod is taken without its account.
        for account in ("default", "builder", TRAINING_SERVICE_ACCOUNT):
            yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": name}}
    for name in (*map(priority_class, WorkloadClass), "mine"):
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1000}


def _everybody_may() -> dict[str, Any]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "everybody"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}],
    }


def _definitions() -> Iterator[dict[str, Any]]:
    tools = programs()
    for tool, module in _UPSTREAM.values():
        yield from resources(module_directory(tools[tool], module) / "config" / "components" / "crd")
    versions = {(_group(shape["apiVersion"]), shape["kind"]): shape for shape in read("kinds.yaml")}
    for key, kind in kinds().items():
        if kind.group not in (*_BUILT_IN, *_UPSTREAM):
            yield _definition(kind, versions[key])


def _group(api_version: str) -> str:
    return api_version.partition("/")[0] if "/" in api_version else ""


def _definition(kind: Kind, shape: dict[str, Any]) -> dict[str, Any]:
    """A definition that takes whatever is written, as admission must not count on anything better."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = shape["apiVersion"].rpartition("/")[2]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{kind.group}", "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"}},
        "spec": {
            "group": kind.group,
            "names": {"kind": kind.kind, "plural": kind.plural, "singular": kind.kind.lower()},
            "scope": "Cluster" if shape.get("clusterWide") else "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
