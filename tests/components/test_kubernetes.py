"""What is inside the cluster as the engine receives it."""

import json
from typing import Any

import pulumi
import pytest

from components.kubernetes_access import kubeconfig
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.manifests.whole import manifests
from tests.components.recording import Registration, record
from tests.environments import ENVIRONMENTS, blueprint_of

PROVIDER = "pulumi:providers:kubernetes"
RELEASE = "kubernetes:helm.sh/v3:Release"
COHORT = "kubernetes:kueue.x-k8s.io/v1beta2:Cohort"
CONTROLLERS = {"kueue-system", "jobset-system"}


@pytest.fixture(scope="module")
def recorded() -> dict[str, list[Registration]]:
    return {environment: record(blueprint_of(environment)) for environment in ENVIRONMENTS}


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def blueprint(environment: str) -> Blueprint:
    return blueprint_of(environment)


@pytest.fixture
def registered(environment: str, recorded: dict[str, list[Registration]]) -> list[Registration]:
    return recorded[environment]


@pytest.fixture
def objects(registered: list[Registration]) -> list[Registration]:
    """Objects of Kubernetes, without releases and the namespaces of their controllers."""
    inside = [one for one in registered if one.type.startswith("kubernetes:") and one.type != RELEASE]
    return [one for one in inside if one.inputs["metadata"]["name"] not in CONTROLLERS]


def named(registered: list[Registration], kind: str, name: str) -> Registration:
    return next(one for one in registered if one.type.endswith(f":{kind}") and one.inputs["metadata"]["name"] == name)


def before(one: Registration, registered: list[Registration]) -> set[str]:
    """Names of everything that must be there first."""
    by_name = {other.name: other for other in registered}
    seen: set[str] = set()
    open_ = [urn.rpartition("::")[2] for urn in one.dependencies]
    while open_:
        name = open_.pop()
        if name not in seen and name in by_name:
            seen.add(name)
            open_ += [urn.rpartition("::")[2] for urn in by_name[name].dependencies]
    return seen


class TestEveryObject:
    def test_is_declared_as_its_manifest_says(self, blueprint: Blueprint, objects: list[Registration]) -> None:
        def key(inputs: dict[str, Any]) -> str:
            # Annotations are for Pulumi. Through JSON, because the engine's numbers are floats.
            metadata = {name: value for name, value in inputs["metadata"].items() if name != "annotations"}
            return json.dumps(json.loads(json.dumps(inputs | {"metadata": metadata}), parse_int=float), sort_keys=True)

        assert sorted(key(one.inputs) for one in objects) == sorted(map(key, manifests(blueprint)))

    def test_is_not_waited_for_if_it_is_a_quota(self, objects: list[Registration]) -> None:
        """On a cluster without JobSet the limit of job sets never shows in its status."""
        quotas = [one for one in objects if one.type.endswith(":ResourceQuota")]
        assert {one.inputs["metadata"]["annotations"]["pulumi.com/skipAwait"] for one in quotas} == {"true"}

    def test_has_a_type_that_names_group_version_and_kind(self, objects: list[Registration]) -> None:
        for one in objects:
            group, _, version = one.inputs["apiVersion"].rpartition("/")
            assert one.type == f"kubernetes:{group or 'core'}/{version}:{one.inputs['kind']}"

    def test_lies_under_a_component_that_prefixes_its_name(self, objects: list[Registration]) -> None:
        for one in objects:
            parent_type, _, parent_name = one.parent.rpartition("::")
            assert "hybrid-node-pools:index:" in parent_type
            assert one.name.startswith(f"{parent_name}-")

    def test_waits_for_its_namespace(self, objects: list[Registration], registered: list[Registration]) -> None:
        for one in objects:
            namespace = one.inputs["metadata"].get("namespace")
            if namespace is not None:
                assert named(objects, "Namespace", namespace).name in before(one, registered)

    def test_is_made_anew_where_the_server_takes_no_change(self, objects: list[Registration]) -> None:
        replaced = {one.type.rpartition(":")[2]: set(one.replace_on_changes) for one in objects if one.replace_on_changes}
        assert {"preemptionPolicy", "value"} == replaced["PriorityClass"]
        assert {"spec.clusterQueue"} == replaced["LocalQueue"]
        assert replaced.keys() <= {"LocalQueue", "PriorityClass", "ResourceFlavor", "Topology"}


class TestTheOrder:
    def test_policies_and_queues_guard_a_team_s_namespace_before_it_is_there(
        self, blueprint: Blueprint, objects: list[Registration], registered: list[Registration]
    ) -> None:
        guards = {one.name for one in objects if one.type.endswith((":ClusterQueue", ":ValidatingAdmissionPolicyBinding"))}
        assert guards
        for team in blueprint.teams:
            assert guards <= before(named(objects, "Namespace", team.namespace), registered)

    def test_parameters_come_before_policies_and_policies_before_bindings(
        self, objects: list[Registration], registered: list[Registration]
    ) -> None:
        parameters = {one.name for one in objects if one.type.endswith(":ConfigMap")}
        policies = {one.name for one in objects if one.type.endswith(":ValidatingAdmissionPolicy")}
        for one in objects:
            if one.type.endswith(":ValidatingAdmissionPolicy"):
                assert parameters <= before(one, registered)
            if one.type.endswith(":ValidatingAdmissionPolicyBinding"):
                assert policies <= before(one, registered)

    def test_everything_of_kueue_waits_for_its_chart_where_there_is_one(
        self, objects: list[Registration], registered: list[Registration]
    ) -> None:
        releases = {one.name for one in registered if one.type == RELEASE}
        for one in objects:
            if one.type.startswith("kubernetes:kueue.x-k8s.io/"):
                assert releases <= before(one, registered)

    def test_nothing_inside_waits_for_pools_that_may_be_out_of_stock(
        self, blueprint: Blueprint, objects: list[Registration], registered: list[Registration]
    ) -> None:
        stable = {f"{pool.name}-pool" for pool in blueprint.pools if pool.role == "stable"}
        pools = {one.name for one in registered if one.type == "gcp:container/nodePool:NodePool"}
        for one in objects:
            assert before(one, registered) & pools == stable


class TestWhatOthersOwn:
    def test_is_the_buffer_s_quota_and_nothing_else(self, blueprint: Blueprint, objects: list[Registration]) -> None:
        buffer = blueprint.kubernetes.queues.buffer if blueprint.kubernetes else None
        ignored = {(one.type, one.inputs["metadata"]["name"]): one.ignore_changes for one in objects if one.ignore_changes}
        assert ignored == ({(COHORT, buffer.cohort): ("spec.resourceGroups",)} if buffer else {})


class TestProtection:
    def test_is_for_namespaces_and_controllers_of_a_protected_environment(self, environment: str, registered: list[Registration]) -> None:
        inside = [one for one in registered if one.type.startswith("kubernetes:")]
        protected = {one.name for one in inside if one.protect}
        expected = {one.name for one in inside if one.type in (RELEASE, "kubernetes:core/v1:Namespace")}
        assert protected == (expected if environment == "prod" else set())


class TestTheProvider:
    def test_reaches_the_cluster_s_dns_endpoint_and_knows_the_cluster_by_its_name(self, registered: list[Registration]) -> None:
        (provider,) = (one for one in registered if one.type == PROVIDER)
        config = json.loads(provider.inputs["kubeconfig"])
        assert config["clusters"][0]["cluster"] == {"server": "https://gke-1.us-central1.gke.goog"}
        assert provider.inputs["clusterIdentifier"].startswith("projects/")

    def test_keeps_no_secret(self) -> None:
        (user,) = json.loads(kubeconfig("gke-1.us-central1.gke.goog"))["users"]
        assert set(user["user"]) == {"exec"}

    @pytest.mark.parametrize("endpoint", ["", "10.0.0.2", "34.1.2.3:443"])
    def test_is_refused_where_the_cluster_has_no_dns_endpoint(self, endpoint: str) -> None:
        with pytest.raises(pulumi.RunError, match="no DNS endpoint"):
            kubeconfig(endpoint)


class TestTheCharts:
    def test_are_installed_in_the_versions_of_the_blueprint(self, blueprint: Blueprint, registered: list[Registration]) -> None:
        assert blueprint.kubernetes is not None
        charts = blueprint.kubernetes.charts
        expected = {name: version for name, version in (("kueue", charts.kueue), ("jobset", charts.jobset)) if version}
        assert {one.inputs["name"]: one.inputs["version"] for one in registered if one.type == RELEASE} == expected
