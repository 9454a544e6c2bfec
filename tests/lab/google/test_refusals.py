"""What Google refuses although it is well-formed, and that it then does nothing."""

from typing import Any

import grpc
import pytest

from tests.lab.google.conftest import (
    CLUSTER,
    NETWORK,
    NODE_POOL,
    PROJECT,
    REGION,
    SUBNETWORK,
    Engine,
    Landscape,
    cluster_inputs,
    gpu_pool_inputs,
    pool_inputs,
)

NO_RESERVATION = {"consumeReservationType": "NO_RESERVATION"}
ANY = {"locationPolicy": "ANY", "totalMaxNodeCount": 4}
ROUTER = "gcp:compute/router:Router"
NAT = "gcp:compute/routerNat:RouterNat"
FIREWALL = "gcp:compute/firewall:Firewall"
ALL = "ALL_SUBNETWORKS_ALL_IP_RANGES"


def refusal(call: Any, *arguments: Any) -> str:
    with pytest.raises(grpc.RpcError) as error:
        call(*arguments)
    assert error.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    return str(error.value.details())


class TestANodePool:
    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"autoscaling": {"maxNodeCount": 3, "totalMaxNodeCount": 9}}, "both per-zone"),
            ({"autoscaling": {"minNodeCount": 4, "maxNodeCount": 3}}, "minNodeCount (4) cannot be greater"),
            ({"autoscaling": {"totalMinNodeCount": 4, "totalMaxNodeCount": 3}}, "totalMinNodeCount (4) cannot be greater"),
            ({"autoscaling": {"locationPolicy": "ANY"}}, "needs an upper limit"),
            ({"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}}, "cannot both be 0"),
            ({"upgradeSettings": {"maxSurge": 11, "maxUnavailable": 10}}, "cannot be more than 20"),
            ({"upgradeSettings": {"blueGreenSettings": {"standardRolloutPolicy": {"batchNodeCount": 1}}}}, "need the strategy BLUE_GREEN"),
            ({"nodeLocations": ["us-central1-a"]}, "'us-central1-a' is not a zone of the region 'europe-west4'"),
            ({"nodeLocations": [REGION]}, "is not a zone"),
            ({"cluster": "missing"}, f"Not found: projects/{PROJECT}/locations/{REGION}/clusters/missing"),
            ({"placementPolicy": {"type": "COMPACT"}, "nodeLocations": [f"{REGION}-a", f"{REGION}-b"]}, "needs exactly one zone"),
            ({"placementPolicy": {"type": "COMPACT", "policyName": "none"}, "nodeLocations": [f"{REGION}-a"]}, "resource policy none"),
        ],
    )
    def test_that_contradicts_itself_or_the_cloud_is_refused(self, engine: Engine, landscape: Landscape, store, changes, says):
        assert says in refusal(engine.create, NODE_POOL, "p", {**pool_inputs(landscape.cluster, landscape.account), **changes})
        assert len(store.resources(NODE_POOL)) == 1

    @pytest.mark.parametrize(
        ("node_config", "says"),
        [
            ({"reservationAffinity": {"consumeReservationType": "ANY_RESERVATION"}}, "Spot VMs cannot consume a reservation"),
            ({"preemptible": True}, "both spot and preemptible"),
            ({"flexStart": True, "reservationAffinity": NO_RESERVATION}, "Spot VMs cannot be combined"),
            ({"spot": False, "flexStart": True}, "need a reservation affinity of NO_RESERVATION"),
            ({"spot": False, "flexStart": True, "reservationAffinity": NO_RESERVATION}, "cannot be repaired"),
            ({"spot": False, "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}, "is named exactly when"),
            ({"spot": False, "kubeletConfig": {"shutdownGracePeriodSeconds": 30}}, "for Spot VMs only"),
            ({"taints": [{"key": "nvidia.com/gpu", "value": "yes", "effect": "NO_SCHEDULE"}]}, "nvidia.com/gpu in nodeConfig is reserved"),
            ({"taints": [{"key": "a", "value": value, "effect": "NO_EXECUTE"} for value in "bc"]}, "given twice"),
            ({"imageType": "UBUNTU_CONTAINERD", "gcfsConfig": {"enabled": True}}, "Image streaming needs COS_CONTAINERD"),
            ({"fastSocket": {"enabled": True}}, "Fast socket needs gVNIC"),
            ({"secondaryBootDisks": [{"diskImage": "i", "mode": "CONTAINER_IMAGE_CACHE"}]}, "need image streaming"),
            (
                {"ephemeralStorageLocalSsdConfig": {"localSsdCount": 1}, "localNvmeSsdBlockConfig": {"localSsdCount": 1}},
                "not both",
            ),
            ({"serviceAccount": f"nobody@{PROJECT}.iam.gserviceaccount.com"}, "service account 'nobody@"),
            (
                {
                    "imageType": "UBUNTU_CONTAINERD",
                    "guestAccelerators": [
                        {"type": "nvidia-l4", "count": 1, "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}},
                    ],
                },
                "LATEST needs COS_CONTAINERD",
            ),
        ],
    )
    def test_with_nodes_that_cannot_be_is_refused(self, engine, landscape, node_config, says):
        assert says in refusal(engine.create, NODE_POOL, "p", gpu_pool_inputs(landscape.cluster, landscape.account, **node_config))

    def test_of_flex_start_needs_an_ordinary_pool_beside_it(self, engine, landscape):
        inputs = gpu_pool_inputs(landscape.cluster, landscape.account, spot=False, flexStart=True, reservationAffinity=NO_RESERVATION)
        flex = {**inputs, "management": {"autoRepair": False}}
        engine.create(NODE_POOL, "flex", flex)
        engine.delete(landscape.ordinary)
        assert "at least one node pool without flex-start" in refusal(engine.create, NODE_POOL, "other", flex)

    def test_that_declares_the_very_taint_that_gke_sets_is_accepted(self, engine, landscape):
        gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
        pool = engine.create(NODE_POOL, "p", gpu_pool_inputs(landscape.cluster, landscape.account, taints=[gpu]))
        assert pool.properties["nodeConfig"]["effectiveTaints"] == [gpu]

    def test_is_judged_at_an_update_too_and_stays_as_it_was(self, engine, landscape, store):
        before = store.get(landscape.ordinary.id)
        wrong = pool_inputs(landscape.cluster, landscape.account, autoscaling={"minNodeCount": 9, "maxNodeCount": 3})
        assert "cannot be greater" in refusal(engine.update, landscape.ordinary, wrong)
        assert store.get(landscape.ordinary.id) == before

    def test_with_the_deletion_policy_prevent_is_not_deleted(self, engine, landscape, store):
        guarded = engine.update(landscape.ordinary, {**landscape.ordinary.inputs, "deletionPolicy": "PREVENT"})
        assert "deletionPolicy is PREVENT" in refusal(engine.delete, guarded)
        assert store.get(guarded.id)

    def test_with_the_deletion_policy_abandon_stays_in_the_cloud(self, engine, landscape, store):
        abandoned = engine.update(landscape.ordinary, {**landscape.ordinary.inputs, "deletionPolicy": "ABANDON"})
        engine.delete(abandoned)
        assert store.get(abandoned.id)


class TestACluster:
    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"network": "missing"}, "Not found: projects/lab-project/global/networks/missing"),
            ({"subnetwork": "missing"}, "subnetworks/missing"),
            ({"ipAllocationPolicy": {"clusterSecondaryRangeName": "Pods"}}, "'Pods' is not a secondary range"),
            ({"ipAllocationPolicy": {"servicesSecondaryRangeName": "svc"}}, "which has pods, services"),
            ({"nodeLocations": ["europe-west1-b"]}, "is not a zone of the region"),
            ({"workloadIdentityConfig": {"workloadPool": "other.svc.id.goog"}}, f"{PROJECT}.svc.id.goog"),
        ],
    )
    def test_that_does_not_fit_its_surroundings_is_refused(self, engine, landscape, changes, says):
        assert says in refusal(engine.create, CLUSTER, "c", {**cluster_inputs(landscape.network, landscape.subnetwork), **changes})

    def test_must_be_in_the_network_of_its_subnetwork(self, engine, landscape):
        other = engine.create(NETWORK, "other", {})
        assert "is not in the network" in refusal(engine.create, CLUSTER, "c", cluster_inputs(other, landscape.subnetwork))

    def test_is_protected_from_deletion_unless_the_program_says_otherwise(self, engine, landscape, store):
        inputs = {
            key: value for key, value in cluster_inputs(landscape.network, landscape.subnetwork).items() if key != "deletionProtection"
        }
        cluster = engine.create(CLUSTER, "c", inputs)
        assert cluster.properties["deletionProtection"] is True
        assert "deletionProtection" in refusal(engine.delete, cluster)
        assert store.get(cluster.id)

    def test_takes_its_pools_with_it(self, engine, landscape, store):
        engine.delete(landscape.cluster)
        assert store.resources(NODE_POOL) == []


class TestANetwork:
    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({"ipCidrRange": "10.0.0.1/20"}, "Must be a CIDR range"),
            ({"ipCidrRange": "ten"}, "Must be a CIDR range"),
            ({"ipCidrRange": "10.80.0.0/30"}, "smaller than the smallest"),
            ({"ipCidrRange": "10.0.8.0/24"}, "overlaps with ipCidrRange 10.0.0.0/20 of projects/"),
            ({"ipCidrRange": "10.16.0.0/24"}, "overlaps with pods"),
            (
                {"ipCidrRange": "10.80.0.0/20", "secondaryIpRanges": [{"rangeName": "a", "ipCidrRange": "10.80.1.0/24"}]},
                "of the same subnetwork",
            ),
            (
                {
                    "ipCidrRange": "10.80.0.0/20",
                    "secondaryIpRanges": [{"rangeName": "a", "ipCidrRange": f"10.{n}.0.0/24"} for n in (81, 82)],
                },
                "'a' is given twice",
            ),
        ],
    )
    def test_takes_no_range_that_is_wrong_or_taken(self, engine, landscape, inputs, says):
        assert says in refusal(engine.create, SUBNETWORK, "s", {"network": landscape.network.id, **inputs})

    def test_lets_two_networks_use_one_range(self, engine, landscape):
        other = engine.create(NETWORK, "other", {})
        engine.create(SUBNETWORK, "s", {"network": other.properties["selfLink"], "ipCidrRange": "10.0.0.0/20"})

    def test_must_exist(self, engine):
        assert "networks/missing" in refusal(engine.create, SUBNETWORK, "s", {"network": "missing", "ipCidrRange": "10.0.0.0/20"})

    def test_is_not_deleted_while_it_is_used(self, engine, landscape):
        assert "already being used by" in refusal(engine.delete, landscape.network)
        assert landscape.cluster.id in refusal(engine.delete, landscape.subnetwork)

    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({"router": "missing", "sourceSubnetworkIpRangesToNat": ALL}, "routers/missing"),
            ({"sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS"}, "subnetworks are given exactly when"),
            ({"sourceSubnetworkIpRangesToNat": ALL, "natIpAllocateOption": "MANUAL_ONLY"}, "needs natIps"),
        ],
    )
    def test_has_a_nat_only_as_its_router_can_give_it(self, engine, landscape, inputs, says):
        router = engine.create(ROUTER, "r", {"network": landscape.network.id})
        assert says in refusal(engine.create, NAT, "n", {"router": router.properties["name"], **inputs})

    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({}, "needs sourceRanges"),
            ({"direction": "EGRESS", "sourceRanges": ["10.0.0.0/8"]}, "direction EGRESS"),
            ({"sourceRanges": ["10.0.0.1/8"]}, "Must be a CIDR range"),
        ],
    )
    def test_has_firewall_rules_with_the_right_side(self, engine, landscape, inputs, says):
        rule = {"network": landscape.network.id, "allows": [{"protocol": "tcp"}], **inputs}
        assert says in refusal(engine.create, FIREWALL, "f", rule)


class TestABinding:
    def test_of_an_account_that_does_not_exist_is_refused(self, engine):
        member = {"project": PROJECT, "role": "roles/viewer", "member": f"serviceAccount:nobody@{PROJECT}.iam.gserviceaccount.com"}
        assert "does not exist" in refusal(engine.create, "gcp:projects/iAMMember:IAMMember", "m", member)

    def test_on_an_account_that_does_not_exist_is_refused(self, engine):
        name = f"projects/{PROJECT}/serviceAccounts/nobody@{PROJECT}.iam.gserviceaccount.com"
        binding = {"serviceAccountId": name, "role": "roles/iam.workloadIdentityUser", "member": "user:a@b.c"}
        assert "Not found" in refusal(engine.create, "gcp:serviceaccount/iAMMember:IAMMember", "m", binding)

    @pytest.mark.parametrize(
        "member", ["user:a@b.c", f"serviceAccount:{PROJECT}.svc.id.goog[ns/sa]", "serviceAccount:1@gcp-sa-x.iam.gserviceaccount.com"]
    )
    def test_of_somebody_whom_the_project_does_not_keep_is_accepted(self, engine, member):
        engine.create("gcp:projects/iAMMember:IAMMember", "m", {"project": PROJECT, "role": "roles/viewer", "member": member})
