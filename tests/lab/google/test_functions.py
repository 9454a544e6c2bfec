"""Functions find what is there and say what is not."""

import grpc
import pytest
from pulumi_gcp.container import GetClusterResult

from tests.lab.google.conftest import PROJECT, REGION, said

CLUSTER = "gcp:container/getCluster:getCluster"
NETWORK = "gcp:compute/getNetwork:getNetwork"
SUBNETWORK = "gcp:compute/getSubnetwork:getSubnetwork"
VERSIONS = "gcp:container/getEngineVersions:getEngineVersions"
PROJECT_OF = "gcp:organizations/getProject:getProject"


class TestGetCluster:
    def test_gives_single_blocks_as_lists_as_the_data_source_does(self, engine, landscape):
        found = engine.invoke(CLUSTER, name=landscape.cluster.properties["name"], location=REGION)
        assert found["id"] == landscape.cluster.id
        assert found["masterAuths"][0]["clusterCaCertificate"]
        assert found["workloadIdentityConfigs"] == [{"workloadPool": f"{PROJECT}.svc.id.goog"}]
        assert found["ipAllocationPolicies"][0]["clusterSecondaryRangeName"] == "pods"
        assert found["releaseChannels"][0]["channel"] == "REGULAR"
        assert found["networkPolicies"] == []

    def test_gives_every_property_that_the_sdk_reads(self, engine, landscape, catalogue):
        found = engine.invoke(CLUSTER, name=landscape.cluster.properties["name"], location=REGION)
        promised = catalogue.schema.objects[catalogue.schema.outputs[CLUSTER]]
        assert set(promised) == set(found)
        assert f"{GetClusterResult.__module__}.GetClusterResult" == catalogue.schema.outputs[CLUSTER]

    def test_says_what_is_not_there(self, engine):
        with pytest.raises(grpc.RpcError) as error:
            engine.invoke(CLUSTER, name="missing", location=REGION)
        assert error.value.code() == grpc.StatusCode.NOT_FOUND
        assert "clusters/missing" in said(error.value)


class TestTheOthers:
    def test_find_a_network_with_its_subnetworks(self, engine, landscape):
        found = engine.invoke(NETWORK, name=landscape.network.properties["name"])
        assert found["selfLink"] == landscape.network.properties["selfLink"]
        assert found["subnetworksSelfLinks"] == [landscape.subnetwork.properties["selfLink"]]

    def test_find_a_subnetwork_by_name_or_by_link(self, engine, landscape):
        by_name = engine.invoke(SUBNETWORK, name=landscape.subnetwork.properties["name"], region=REGION)
        by_link = engine.invoke(SUBNETWORK, selfLink=landscape.subnetwork.properties["selfLink"])
        assert by_name["id"] == by_link["id"] == landscape.subnetwork.id
        assert [one["rangeName"] for one in by_name["secondaryIpRanges"]] == ["pods", "services"]

    def test_know_the_project_and_its_number(self, engine):
        found = engine.invoke(PROJECT_OF)
        assert found["projectId"] == PROJECT
        assert found["number"].isdigit()
        assert engine.invoke(PROJECT_OF, projectId="other")["projectId"] == "other"

    def test_know_the_versions_of_every_channel_newest_first(self, engine):
        found = engine.invoke(VERSIONS, location=REGION)
        assert set(found["releaseChannelDefaultVersion"]) == {"RAPID", "REGULAR", "STABLE", "EXTENDED"}
        assert found["validMasterVersions"][0] == found["latestMasterVersion"] == found["releaseChannelDefaultVersion"]["RAPID"]
        assert all(
            one.startswith("1.35.") for one in engine.invoke(VERSIONS, location=REGION, versionPrefix="1.35.")["validMasterVersions"]
        )

    @pytest.mark.parametrize(("token", "arguments"), [("gcp:sql/getDatabase:getDatabase", {}), (VERSIONS, {"versionPrefix": "0.9"})])
    def test_say_what_they_cannot(self, engine, token, arguments):
        with pytest.raises(grpc.RpcError) as error:
            engine.invoke(token, **arguments)
        assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
