"""What an update changes, and what replaces."""

import pytest

from lab.google.catalogue import Catalogue
from lab.google.diff import Change, deletes_first, differences
from lab.google.values import UNKNOWN, Document, spell
from tests.lab.google.conftest import CLUSTER, NODE_POOL, SUBNETWORK
from tests.lab.google.samples import document_with
from tests.lab.google.test_facts import TYPES

SPOT = {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NO_SCHEDULE"}
IN_PLACE = (
    "autoscaling",
    "deletionPolicy",
    "ignoreNodeCountChanges",
    "maintenancePolicies",
    "management",
    "nodeConfig.diskSizeGb",
    "nodeConfig.diskType",
    "nodeConfig.gcfsConfig",
    "nodeConfig.imageType",
    "nodeConfig.kubeletConfig",
    "nodeConfig.labels",
    "nodeConfig.linuxNodeConfig",
    "nodeConfig.machineType",
    "nodeConfig.resourceLabels",
    "nodeConfig.tags",
    "nodeConfig.taints",
    "nodeConfig.workloadMetadataConfig",
    "nodeCount",
    "nodeDrainConfigs",
    "nodeLocations",
    "upgradeSettings",
    "version",
)


def changed(catalogue: Catalogue, type_: str, state: Document, inputs: Document) -> dict[str, bool]:

    return {spell(one.path): one.replaces for one in differences(catalogue, type_, state, inputs)}


class TestEveryReplacingPlace:
    @pytest.mark.parametrize("type_", TYPES)
    def test_replaces_when_it_changes(self, catalogue: Catalogue, type_):
        for place in catalogue.facts[type_].replaces:
            found = changed(catalogue, type_, document_with(catalogue, type_, place, 0), document_with(catalogue, type_, place, 1))
            assert found, place
            assert all(found.values()), (place, found)

    @pytest.mark.parametrize("type_", TYPES)
    def test_replaces_as_a_whole_only_when_it_appears(self, catalogue: Catalogue, type_):
        for place in catalogue.facts[type_].replaces_as_a_whole:
            assert changed(catalogue, type_, {}, document_with(catalogue, type_, place, 1)) == {place: True}
            inside = changed(catalogue, type_, {place: {}}, document_with(catalogue, type_, place, 1))
            assert not all(inside.values()), place


class TestAChangeInPlace:
    @pytest.mark.parametrize("place", IN_PLACE)
    def test_of_a_node_pool_never_replaces_it(self, catalogue: Catalogue, place):
        found = changed(catalogue, NODE_POOL, document_with(catalogue, NODE_POOL, place, 0), document_with(catalogue, NODE_POOL, place, 1))
        assert found
        assert not any(found.values())


class TestNoDifference:
    @pytest.mark.parametrize(
        ("state", "inputs"),
        [
            ({"nodeConfig": {"machineType": "a", "diskType": "pd-balanced"}}, {"nodeConfig": {"machineType": "a"}}),
            ({"nodeConfig": {"machineType": "a"}}, {}),
            ({"nodeConfig": {}}, {"nodeConfig": {"spot": False, "taints": []}}),
            ({"nodeLocations": ["a", "b"]}, {"nodeLocations": ["b", "a"]}),
            ({"nodeConfig": {"effectiveTaints": [SPOT], "taints": [SPOT]}}, {"nodeConfig": {"taints": [SPOT]}}),
            ({"instanceGroupUrls": ["u"], "operation": "o"}, {}),
        ],
    )
    def test_comes_from_what_the_service_fills_or_cannot_tell_apart(self, catalogue, state, inputs):
        assert differences(catalogue, NODE_POOL, state, inputs) == []


class TestADifference:
    @pytest.mark.parametrize(
        ("state", "inputs", "path", "change"),
        [
            ({"nodeConfig": {"taints": [SPOT]}}, {"nodeConfig": {}}, ("nodeConfig", "taints"), Change.DELETE),
            ({"nodeConfig": {"taints": [SPOT]}}, {"nodeConfig": {"taints": []}}, ("nodeConfig", "taints", 0), Change.DELETE),
            ({"nodeConfig": {"taints": []}}, {"nodeConfig": {"taints": [SPOT]}}, ("nodeConfig", "taints", 0), Change.ADD),
            ({"autoscaling": {"maxNodeCount": 1}}, {"autoscaling": {"maxNodeCount": 2}}, ("autoscaling", "maxNodeCount"), Change.UPDATE),
            ({"autoscaling": {"maxNodeCount": 1}}, {}, ("autoscaling",), Change.DELETE),
            ({"nodeConfig": {"labels": {"a": "b"}}}, {"nodeConfig": {"labels": {"a": "c"}}}, ("nodeConfig", "labels", "a"), Change.UPDATE),
            ({"version": "1"}, {"version": UNKNOWN}, ("version",), Change.UPDATE),
        ],
    )
    def test_is_told_with_its_exact_path(self, catalogue, state, inputs, path, change):
        assert [(one.path, one.change) for one in differences(catalogue, NODE_POOL, state, inputs)] == [(path, change)]

    def test_with_an_unknown_value_in_a_replacing_place_replaces(self, catalogue):
        assert changed(catalogue, NODE_POOL, {"cluster": "a"}, {"cluster": UNKNOWN}) == {"cluster": True}

    @pytest.mark.parametrize(("new", "replaces"), [("10.0.0.0/19", False), ("10.0.0.0/21", True), ("10.1.0.0/20", True)])
    def test_of_a_subnetwork_range_replaces_unless_it_widens(self, catalogue, new, replaces):
        assert changed(catalogue, SUBNETWORK, {"ipCidrRange": "10.0.0.0/20"}, {"ipCidrRange": new}) == {"ipCidrRange": replaces}


class TestDeletingFirst:
    def test_happens_for_a_name_that_the_program_gives(self, catalogue):
        assert deletes_first(catalogue.facts[CLUSTER], {"name": "c"}, {"name": "c", "__defaults": []})

    def test_does_not_happen_for_a_made_up_name(self, catalogue):
        assert not deletes_first(catalogue.facts[CLUSTER], {"name": "c"}, {"name": "c", "__defaults": ["name"]})

    def test_does_not_happen_when_the_given_name_changes(self, catalogue):
        assert not deletes_first(catalogue.facts[CLUSTER], {"name": "c"}, {"name": "d", "__defaults": []})

    def test_always_happens_for_members_of_a_project(self, catalogue):
        assert deletes_first(catalogue.facts["gcp:projects/iAMMember:IAMMember"], {}, {})
