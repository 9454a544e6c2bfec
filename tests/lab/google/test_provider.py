"""The life of a resource, over gRPC."""

from importlib.metadata import version

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from lab.google.store import Record
from lab.google.values import UNKNOWN, Document, encode
from tests.lab.google.conftest import (
    ACCOUNT,
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
    kept,
    pool_inputs,
    said,
    urn,
)

GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
SPOT_TAINT = {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NO_SCHEDULE"}


def everything(engine: Engine, landscape: Landscape):
    """One resource of every type, with the inputs it was made from."""
    made = [
        (landscape.network, {"autoCreateSubnetworks": False}),
        (landscape.cluster, cluster_inputs(landscape.network, landscape.subnetwork)),
        (landscape.account, {"accountId": "hybrid-nodes"}),
        (landscape.ordinary, pool_inputs(landscape.cluster, landscape.account)),
    ]
    network, member = landscape.network.id, landscape.account.properties["member"]
    inputs: dict[str, Document] = {
        SUBNETWORK: {"network": network, "ipCidrRange": "10.64.0.0/24", "logConfig": {}},
        "gcp:compute/router:Router": {"network": network},
        "gcp:compute/firewall:Firewall": {
            "network": network,
            "allows": [{"protocol": "tcp", "ports": ["443"]}],
            "sourceRanges": ["10.0.0.0/8"],
        },
        "gcp:compute/resourcePolicy:ResourcePolicy": {"groupPlacementPolicy": {"collocation": "COLLOCATED"}},
        "gcp:projects/service:Service": {"service": "container.googleapis.com"},
        "gcp:projects/iAMMember:IAMMember": {"project": PROJECT, "role": "roles/container.defaultNodeServiceAccount", "member": member},
        "gcp:serviceaccount/iAMMember:IAMMember": {
            "serviceAccountId": landscape.account.properties["name"],
            "role": "roles/iam.workloadIdentityUser",
            "member": f"serviceAccount:{PROJECT}.svc.id.goog[team/trainer]",
        },
        NODE_POOL: gpu_pool_inputs(landscape.cluster, landscape.account),
    }
    made += [(engine.create(type_, "sample", one), one) for type_, one in inputs.items()]
    router = next(one for one, _ in made if one.type == "gcp:compute/router:Router")
    nat = {
        "router": router.properties["name"],
        "region": REGION,
        "sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS",
        "subnetworks": [{"name": landscape.subnetwork.id, "sourceIpRangesToNats": ["ALL_IP_RANGES"]}],
        "natIpAllocateOption": "AUTO_ONLY",
    }
    return [*made, (engine.create("gcp:compute/routerNat:RouterNat", "sample", nat), nat)]


class TestEveryType:
    def test_has_nothing_to_change_after_a_create(self, engine, landscape):
        for made, inputs in everything(engine, landscape):
            assert engine.diff(made, inputs).paths == [], made.type

    def test_has_nothing_to_change_after_an_update(self, engine, landscape):
        for made, inputs in everything(engine, landscape):
            assert engine.update(made, inputs).properties == made.properties, made.type

    def test_reads_back_as_it_was_made(self, engine, landscape):
        for made, _ in everything(engine, landscape):
            read = engine.refresh(made)
            assert read == made or (read.inputs, read.properties) == (made.inputs, made.properties), made.type

    def test_can_be_imported_by_its_identifier_and_then_has_nothing_to_change(self, engine, landscape):
        for made, inputs in everything(engine, landscape):
            imported = engine.read(made.type, made.name, made.id)
            given = {**inputs, "name": made.properties["name"]} if "name" in made.inputs else inputs
            assert engine.diff(imported, given).paths == [], made.type

    def test_can_be_imported_by_every_other_form_of_its_identifier(self, engine, landscape, catalogue):
        for made, _ in everything(engine, landscape):
            for template in catalogue.facts[made.type].import_ids:
                text = template.format_map({**made.properties, "condition": ""})
                assert engine.read(made.type, made.name, text).id == made.id, template

    def test_is_gone_after_a_delete_and_a_second_delete_is_fine(self, engine, landscape, store):
        made = [one for one, _ in everything(engine, landscape)]
        for one in [*reversed(made[1:]), landscape.subnetwork, landscape.network]:
            engine.delete(one)
            engine.delete(one)
            assert engine.refresh(one) is None, one.type
        assert store.resources() == []

    def test_tells_its_inputs_in_a_preview_and_makes_nothing(self, engine, landscape, store):
        before = len(store.resources())
        properties = engine.preview(NODE_POOL, "spot", gpu_pool_inputs(landscape.cluster, landscape.account))
        assert properties["name"].startswith("spot-")
        assert properties["nodeConfig"]["spot"] is True
        assert properties["nodeConfig"]["effectiveTaints"] is UNKNOWN
        assert len(store.resources()) == before


class TestWhatTheServiceFills:
    def test_tells_how_to_reach_a_cluster(self, landscape):
        cluster = landscape.cluster.properties
        assert cluster["endpoint"].startswith("34.")
        assert cluster["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"].endswith(f".{REGION}.gke.goog")
        assert cluster["masterAuth"]["clusterCaCertificate"]
        assert cluster["nodeLocations"] == [f"{REGION}-{letter}" for letter in "abc"]
        assert cluster["selfLink"].endswith(landscape.cluster.id)
        assert cluster["pulumiLabels"] == {"team": "platform", "goog-pulumi-provisioned": "true"}

    def test_names_an_account_in_all_its_forms(self, landscape):
        email = f"hybrid-nodes@{PROJECT}.iam.gserviceaccount.com"
        account = landscape.account.properties
        assert (account["email"], account["member"]) == (email, f"serviceAccount:{email}")
        assert account["name"] == landscape.account.id == f"projects/{PROJECT}/serviceAccounts/{email}"

    def test_gives_a_subnetwork_its_gateway(self, landscape):
        assert landscape.subnetwork.properties["gatewayAddress"] == "10.0.0.1"

    def test_gives_every_zone_of_a_pool_its_group(self, engine, landscape):
        zones = [f"{REGION}-a", f"{REGION}-c"]
        pool = engine.create(NODE_POOL, "p", pool_inputs(landscape.cluster, landscape.account, nodeLocations=zones))
        assert [url.split("/")[-3] for url in pool.properties["managedInstanceGroupUrls"]] == zones
        ignoring = engine.update(pool, {**pool.inputs, "ignoreNodeCountChanges": True})
        assert ignoring.properties["instanceGroupUrls"] == []

    def test_taints_gpu_pools_only_where_system_pods_have_another_pool(self, engine, landscape):
        beside = engine.create(NODE_POOL, "gpu", gpu_pool_inputs(landscape.cluster, landscape.account))
        assert beside.properties["nodeConfig"]["effectiveTaints"] == [SPOT_TAINT, GPU_TAINT]
        engine.delete(beside)
        engine.delete(landscape.ordinary)
        alone = engine.create(NODE_POOL, "gpu", gpu_pool_inputs(landscape.cluster, landscape.account))
        assert alone.properties["nodeConfig"]["effectiveTaints"] == [SPOT_TAINT]

    def test_taints_pools_of_queued_provisioning(self, engine, landscape):
        inputs = gpu_pool_inputs(
            landscape.cluster, landscape.account, spot=False, reservationAffinity={"consumeReservationType": "NO_RESERVATION"}
        )
        pool = engine.create(NODE_POOL, "queued", {**inputs, "queuedProvisioning": {"enabled": True}})
        assert [taint["key"] for taint in pool.properties["nodeConfig"]["effectiveTaints"]][-1] == "cloud.google.com/gke-queued"

    def test_follows_a_change_of_taints(self, engine, landscape):
        pool = engine.create(NODE_POOL, "gpu", gpu_pool_inputs(landscape.cluster, landscape.account))
        changed = engine.update(pool, gpu_pool_inputs(landscape.cluster, landscape.account, taints=[]))
        assert changed.properties["nodeConfig"]["effectiveTaints"] == [GPU_TAINT]


class TestAnUpdate:
    def test_keeps_what_the_service_filled_and_drops_what_the_program_dropped(self, engine, landscape):
        inputs = pool_inputs(landscape.cluster, landscape.account)
        tainted = {**inputs, "nodeConfig": {**inputs["nodeConfig"], "diskSizeGb": 200, "taints": [SPOT_TAINT]}}
        pool = engine.create(NODE_POOL, "p", tainted)
        plain = engine.update(pool, inputs)
        assert plain.properties["nodeConfig"]["diskSizeGb"] == 200
        assert "taints" not in plain.properties["nodeConfig"]

    def test_in_a_preview_knows_all_but_what_changes(self, engine, landscape):
        inputs = pool_inputs(landscape.cluster, landscape.account, autoscaling={"minNodeCount": 0, "maxNodeCount": 9})
        previewed = engine.update(landscape.ordinary, inputs, preview=True)
        assert previewed.properties["autoscaling"]["maxNodeCount"] == 9
        assert previewed.properties["instanceGroupUrls"] == landscape.ordinary.properties["instanceGroupUrls"]

    def test_of_an_ignored_property_is_no_difference(self, engine, landscape):
        inputs = pool_inputs(landscape.cluster, landscape.account, autoscaling={"minNodeCount": 0, "maxNodeCount": 9})
        assert engine.diff(landscape.ordinary, inputs).paths == ["autoscaling.maxNodeCount", "autoscaling.minNodeCount"]
        assert not engine.diff(landscape.ordinary, inputs, ignore=("autoscaling",)).changes

    def test_that_replaces_a_pool_makes_the_new_one_first(self, engine, landscape):
        pool = engine.create(NODE_POOL, "gpu", gpu_pool_inputs(landscape.cluster, landscape.account))
        found = engine.diff(pool, gpu_pool_inputs(landscape.cluster, landscape.account, spot=False))
        assert found.replaces == ["nodeConfig.spot"]
        assert not found.deletes_first


class TestDrift:
    @pytest.mark.parametrize(
        ("path", "value", "seen"),
        [
            ("autoscaling.maxNodeCount", 9, "autoscaling.maxNodeCount"),
            ("nodeConfig.labels.extra", "x", "nodeConfig.labels.extra"),
            ("nodeConfig.taints", [SPOT_TAINT], "nodeConfig.taints"),
            ("management.autoRepair", False, "management.autoRepair"),
        ],
    )
    def test_is_seen_by_a_refresh_and_undone_by_an_update(self, engine, landscape, store, path, value, seen):
        inputs = pool_inputs(landscape.cluster, landscape.account)
        store.change(landscape.ordinary.id, path, value)
        refreshed = engine.refresh(landscape.ordinary)
        assert refreshed.inputs != landscape.ordinary.inputs
        assert engine.diff(refreshed, inputs).paths == [seen]
        updated = engine.update(refreshed, inputs)
        assert updated.properties == landscape.ordinary.properties
        assert not engine.diff(updated, inputs).changes

    def test_of_what_the_service_fills_leaves_nothing_to_do(self, engine, landscape, store):
        store.change(landscape.ordinary.id, "version", "1.99.0-gke.1")
        refreshed = engine.refresh(landscape.ordinary)
        assert refreshed.properties["version"] == "1.99.0-gke.1"
        assert refreshed.inputs == landscape.ordinary.inputs
        assert not engine.diff(refreshed, pool_inputs(landscape.cluster, landscape.account)).changes

    def test_a_resource_that_is_gone_is_read_as_gone(self, engine, landscape, store):
        store.delete(landscape.ordinary.id)
        assert engine.refresh(landscape.ordinary) is None

    def test_a_cluster_of_somebody_else_takes_pools(self, engine, landscape, store):
        record = kept(store, landscape.cluster.id)
        store.put(Record(CLUSTER, f"projects/{PROJECT}/locations/{REGION}/clusters/theirs", {**record.document, "name": "theirs"}))
        pool = engine.create(NODE_POOL, "p", {**pool_inputs(landscape.cluster, landscape.account), "cluster": "theirs"})
        assert "/clusters/theirs/nodePools/" in pool.id


class TestTheProvider:
    def test_reports_the_version_of_the_sdk(self, engine):
        assert engine.stub.GetPluginInfo(empty_pb2.Empty()).version == version("pulumi-gcp")

    def test_leaves_secrets_to_the_engine_and_takes_part_in_previews(self, engine):
        answer = engine.stub.Configure(provider_pb2.ConfigureRequest())
        assert (answer.acceptSecrets, answer.supportsPreview) == (False, True)

    def test_names_what_it_serves_when_asked_for_another_type(self, engine):
        with pytest.raises(grpc.RpcError) as error:
            engine.create("gcp:sql/databaseInstance:DatabaseInstance", "db", {})
        assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert NODE_POOL in said(error.value)

    def test_refuses_a_second_resource_of_one_name(self, engine):
        engine.create(ACCOUNT, "a", {"accountId": "the-account"})
        with pytest.raises(grpc.RpcError) as error:
            engine.create(ACCOUNT, "b", {"accountId": "the-account"})
        assert error.value.code() == grpc.StatusCode.ALREADY_EXISTS
        assert "Error 409" in said(error.value)

    def test_takes_a_second_member_or_service_as_the_same(self, engine, store):
        for name in ("one", "two"):
            engine.create("gcp:projects/service:Service", name, {"service": "compute.googleapis.com"})
        assert len(store.resources()) == 1

    def test_notes_every_call(self, engine, store):
        network = engine.create(NETWORK, "n", {})
        engine.delete(network)
        assert [(one.method, one.type, one.id, one.outcome) for one in store.operations()] == [
            ("create", NETWORK, network.id, "done"),
            ("delete", NETWORK, network.id, "done"),
        ]
        assert store.operations()[0].urn == urn(NETWORK, "n")

    def test_puts_resources_where_its_configuration_says(self, engine):
        engine.stub.Configure(provider_pb2.ConfigureRequest(args=encode({"project": "other", "zone": "us-east1-b"})))
        cluster = engine.create(CLUSTER, "c", {})
        assert cluster.id.startswith("projects/other/locations/us-east1/clusters/")
        assert cluster.properties["nodeLocations"] == ["us-east1-b", "us-east1-c", "us-east1-d"]
