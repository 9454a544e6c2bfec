"""Pulumi's Kubernetes provider in the lab: it finds the cluster as it would find one on GKE."""

from pathlib import Path

import pytest
from kubernetes.client import ApiClient

from lab.cluster.apply import read
from lab.cluster.control_plane import ControlPlane
from lab.engine import Engine
from lab.google.endpoint import api_server
from lab.paths import Lab
from lab.pulumi_cli import PulumiCli
from tests.lab.conftest import SmallProject

pytestmark = [pytest.mark.cluster, pytest.mark.engine]

_MORE = """
import json

user = {{"exec": {{"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "gke-gcloud-auth-plugin", "interactiveMode": "Never"}}}}
kubeconfig = {{
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{{"name": "gke", "cluster": {{"server": "https://{endpoint}"}}}}],
    "users": [{{"name": "gke", "user": user}}],
    "contexts": [{{"name": "gke", "context": {{"cluster": "gke", "user": "gke"}}}}],
    "current-context": "gke",
}}
provider = pulumi.ProviderResource(
    "kubernetes", "kubernetes", {{"kubeconfig": json.dumps(kubeconfig)}}, pulumi.ResourceOptions(version="4.25.0")
)
options = pulumi.ResourceOptions(provider=provider)
metadata = {{"name": "{name}"}}
namespace = {{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}}
pulumi.CustomResource("kubernetes:core/v1:Namespace", "namespace", namespace, options)
spec = {{"fairSharing": {{"weight": config.require("greeting")}}}}
cohort = {{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": metadata, "spec": spec}}
pulumi.CustomResource("kubernetes:kueue.x-k8s.io/v1beta2:Cohort", "cohort", cohort, options)
"""


@pytest.fixture
def engine(control_plane: ControlPlane, small_project: SmallProject, engine_binary: PulumiCli, namespace: str) -> Engine:
    """An engine in the control plane's lab, on a program that makes a namespace and an object of Kueue named after the test's."""
    small_project.greet("2")
    small_project.program(_MORE.format(endpoint=api_server(control_plane.files.lab), name=f"{namespace}-made"))
    return Engine(Lab(control_plane.files.lab), small_project.folder, engine_binary)


@pytest.fixture
def small_project(tmp_path: Path) -> SmallProject:
    return SmallProject(tmp_path / "project")


class TestAProgram:
    def test_makes_changes_and_removes_objects_of_every_kind(self, engine: Engine, admin: ApiClient, namespace: str, small_project):
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{namespace}-made"}}
        cohort = made | {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort"}
        up = engine.up("one", "--skip-preview")
        assert up.ok, up.output
        assert read(admin, made)
        assert engine.preview("one", "--expect-no-changes").ok
        small_project.greet("3")
        assert engine.up("one", "--skip-preview").ok
        changed = read(admin, cohort)
        assert changed is not None
        assert changed["spec"]["fairSharing"]["weight"] == "3"
        assert engine.destroy("one").ok
        assert read(admin, cohort) is None
