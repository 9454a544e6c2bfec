"""Wiring of the whole program, with every option as the engine receives it."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.vocabulary import Role
from tests.components.recording import Registration, record
from tests.environments import ENVIRONMENTS, blueprint_of, sections_of

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
PROTECTED = (
    CLUSTER,
    "gcp:storage/bucket:Bucket",
    "hybrid-node-pools:index:Network",
    "hybrid-node-pools:index:NodeIdentity",
    "hybrid-node-pools:index:ContinuousIntegration",
)
WITH_CHILDREN = ("index:NodeIdentity::", "index:ContinuousIntegration::")
"""Components all of whose children are protected. Grants of people and workloads are not: they come and go."""


@pytest.fixture(scope="module")
def registrations() -> dict[str, list[Registration]]:
    return {environment: record(blueprint_of(environment)) for environment in ENVIRONMENTS}


def of_type(registered: list[Registration], type: str) -> list[Registration]:  # noqa: A002 — Pulumi's word
    return [registration for registration in registered if registration.type == type]


def role_of(pool: Registration) -> str:
    return str(pool.inputs["nodeConfig"]["resourceLabels"]["pool-role"])


@pytest.mark.parametrize("environment", ENVIRONMENTS)
class TestEveryEnvironment:
    def test_declares_these_inputs(
        self, environment: str, registrations: dict[str, list[Registration]], snapshot: SnapshotAssertion
    ) -> None:
        declared = {f"{r.type} {r.name}": r.inputs for r in registrations[environment] if r.type.startswith("gcp:")}
        assert dict(sorted(declared.items())) == snapshot

    def test_puts_every_cloud_resource_under_a_component_that_prefixes_its_name(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        children = [r for r in registrations[environment] if r.type.startswith("gcp:")]
        assert children
        for child in children:
            parent_type, _, parent_name = child.parent.rpartition("::")
            assert "hybrid-node-pools:index:" in parent_type
            assert child.name.startswith(f"{parent_name}-")

    def test_protects_network_accounts_buckets_cluster_and_stable_pools_of_a_protected_environment_and_nothing_else(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        # What is inside the cluster has its own test (`test_kubernetes`).
        protected = {r.name for r in registrations[environment] if r.protect and not r.type.startswith("kubernetes:")}
        expected = {
            r.name
            for r in registrations[environment]
            if r.type in PROTECTED
            or r.type.startswith("gcp:compute/")
            or any(component in r.parent for component in WITH_CHILDREN)
            or (r.type == NODE_POOL and role_of(r) == Role.STABLE)
        }
        assert protected == (expected if environment == "prod" else set())

    def test_leaves_counts_to_the_autoscaler_and_buffer_limits_to_the_schedule(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        for pool in of_type(registrations[environment], NODE_POOL):
            ignored = {"initialNodeCount", "nodeCount"} | ({"autoscaling"} if role_of(pool) == Role.BUFFER else set())
            assert set(pool.ignore_changes) == ignored

    def test_replaces_a_pool_whose_machine_changes(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        for pool in of_type(registrations[environment], NODE_POOL):
            assert pool.replace_on_changes == ("nodeConfig.machineType",)

    def test_creates_stable_pools_one_after_the_other_and_the_rest_beside_each_other(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        pools = of_type(registrations[environment], NODE_POOL)
        stable = [pool.name for pool in pools if role_of(pool) == Role.STABLE]
        for pool in pools:
            waits_for = {urn.rpartition("::")[2] for urn in pool.dependencies if "nodePool:NodePool" in urn}
            expected = set(stable[: stable.index(pool.name)]) if pool.name in stable else set(stable)
            assert waits_for == expected

    def test_waits_for_every_node_role_before_the_cluster(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        (cluster,) = of_type(registrations[environment], CLUSTER)
        grants = of_type(registrations[environment], "gcp:projects/iAMMember:IAMMember")
        members = {grant.name for grant in grants if "-nodes@" in grant.inputs["member"]}
        assert members <= {urn.rpartition("::")[2] for urn in cluster.dependencies}


EXISTING_CLUSTER: dict[str, Any] = {"existing": {"name": "shared", "minimumVersion": "1.35.1"}}
EXISTING_NETWORK: dict[str, Any] = {
    "existing": {"network": "shared-vpc", "subnetwork": "shared-nodes", "podsRange": "pods", "servicesRange": "services"}
}
FOUND_CLUSTER: dict[str, Any] = {
    "name": "shared",
    "endpoint": "10.0.0.2",
    "enableAutopilot": False,
    "masterVersion": "1.35.2-gke.1000",
    "workloadIdentityConfigs": [{"workloadPool": "hybrid-pools-local.svc.id.goog"}],
    "controlPlaneEndpointsConfigs": [{"dnsEndpointConfigs": [{"endpoint": "gke-2.us-central1.gke.goog"}]}],
}


def adopt(found: dict[str, Any]) -> list[Registration]:
    sections = sections_of("local") | {"cluster": EXISTING_CLUSTER}
    del sections["network"]
    return record(derive(check("stacks/Pulumi.local.yaml", sections)), {"gcp:container/getCluster:getCluster": found})


class TestAnExistingCluster:
    def test_is_extended_with_pools_and_not_declared(self) -> None:
        registered = adopt(FOUND_CLUSTER)
        assert of_type(registered, CLUSTER) == []
        assert {pool.inputs["cluster"] for pool in of_type(registered, NODE_POOL)} == {"shared"}


class TestAnExistingNetwork:
    def test_is_read_and_nothing_of_it_is_declared(self) -> None:
        sections = sections_of("local") | {"network": EXISTING_NETWORK}
        calls: dict[str, dict[str, Any]] = {
            "gcp:compute/getNetwork:getNetwork": {"selfLink": "link/shared-vpc"},
            "gcp:compute/getSubnetwork:getSubnetwork": {
                "selfLink": "link/shared-nodes",
                "secondaryIpRanges": [{"rangeName": "pods"}, {"rangeName": "services"}],
            },
        }
        registered = record(derive(check("stacks/Pulumi.local.yaml", sections)), calls)
        assert [r.name for r in registered if r.type.startswith("gcp:compute/")] == []
        (cluster,) = of_type(registered, CLUSTER)
        assert (cluster.inputs["network"], cluster.inputs["subnetwork"]) == ("link/shared-vpc", "link/shared-nodes")
