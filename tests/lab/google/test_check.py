"""Inputs are checked against the SDK's classes and the data files."""

import copy
from typing import Any

import pytest

from lab.google.catalogue import Catalogue
from lab.google.check import Checked, check
from lab.google.naming import Provider
from lab.google.values import UNKNOWN, Document
from tests.lab.google.conftest import ACCOUNT, CLUSTER, NETWORK, NODE_POOL, PROJECT, REGION, SUBNETWORK
from tests.lab.google.samples import document_with

FIREWALL = "gcp:compute/firewall:Firewall"
MEMBER = "gcp:projects/iAMMember:IAMMember"
PROVIDER = Provider(PROJECT, REGION)
TAINT = {"key": "a", "value": "b", "effect": "NO_SCHEDULE"}


def checked(
    catalogue: Catalogue, type_: str, inputs: Document, olds: Document | None = None, seed: bytes = b"1", provider: Provider = PROVIDER
) -> Checked:
    return check(catalogue, type_, "logical", inputs, olds or {}, seed, provider)


def failures(catalogue: Catalogue, type_: str, inputs: Document, provider: Provider = PROVIDER) -> dict[str, str]:
    return {failure.property: failure.reason for failure in checked(catalogue, type_, inputs, provider=provider).failures}


def pool(**node_config: Any) -> Document:
    return {"cluster": "c", "nodeConfig": node_config}


class TestNamesAndTypes:
    @pytest.mark.parametrize(
        ("inputs", "path", "reason"),
        [
            ({"cluster": "c", "nodeConfg": {}}, "nodeConfg", "did you mean nodeConfig"),
            (pool(taints=[{**TAINT, "efect": "x"}]), "nodeConfig.taints[0].efect", "did you mean effect"),
            (pool(gcfsConfig={"zzzzzz": True, "enabled": True}), "nodeConfig.gcfsConfig.zzzzzz", "allowed are enabled"),
            (pool(node_config={}), "nodeConfig.node_config", "no such property"),
            ({}, "cluster", "missing required property"),
            (pool(taints=[{"key": "a"}]), "nodeConfig.taints[0].effect", "missing required property"),
            (pool(guestAccelerators=[{"type": "nvidia-l4"}]), "nodeConfig.guestAccelerators[0].count", "missing required property"),
            ({"cluster": "c", "autoscaling": {"maxNodeCount": "3"}}, "autoscaling.maxNodeCount", "expected a whole number, got '3'"),
            ({"cluster": "c", "autoscaling": {"maxNodeCount": 2.5}}, "autoscaling.maxNodeCount", "expected a whole number"),
            ({"cluster": "c", "autoscaling": {"maxNodeCount": True}}, "autoscaling.maxNodeCount", "expected a whole number"),
            (pool(spot="yes"), "nodeConfig.spot", "expected a boolean"),
            (pool(machineType=4), "nodeConfig.machineType", "expected a string"),
            (pool(taints=TAINT), "nodeConfig.taints", "expected a list, got an object"),
            (pool(labels=["a"]), "nodeConfig.labels", "expected a map, got a list"),
            (pool(labels={"a": 1}), "nodeConfig.labels.a", "expected a string"),
            ({"cluster": "c", "autoscaling": []}, "autoscaling", "expected an object, got a list"),
            (pool(effectiveTaints=[TAINT]), "nodeConfig.effectiveTaints", "leave it out"),
        ],
    )
    def test_what_the_classes_do_not_have_is_refused_with_its_path(self, catalogue, inputs, path, reason):
        assert reason in failures(catalogue, NODE_POOL, inputs)[path]

    def test_every_fault_of_the_inputs_is_told_at_once(self, catalogue):
        found = failures(catalogue, NODE_POOL, {"a": 1, "nodeConfig": {"b": 2, "spot": "no"}})
        assert set(found) == {"a", "nodeConfig.b", "nodeConfig.spot", "cluster"}

    def test_an_unknown_value_is_never_a_fault_and_stays_unknown(self, catalogue):
        inputs = {
            "cluster": UNKNOWN,
            "nodeConfig": {"serviceAccount": UNKNOWN, "taints": UNKNOWN, "imageType": UNKNOWN},
            "maxPodsPerNode": UNKNOWN,
        }
        result = checked(catalogue, NODE_POOL, inputs)
        assert result.failures == []
        assert result.inputs["cluster"] is UNKNOWN
        assert result.inputs["nodeConfig"]["taints"] is UNKNOWN


def closed_sets(catalogue: Catalogue) -> list[tuple[str, str]]:
    return [(type_, place) for type_, facts in catalogue.facts.items() for place in facts.values]


class TestClosedSets:
    def test_every_one_accepts_its_values_and_refuses_any_other_by_path(self, catalogue: Catalogue):
        for type_, place in closed_sets(catalogue):
            for value in (*catalogue.facts[type_].values[place], "something-else"):
                document = document_with(catalogue, type_, place, 1)
                target: Any = document
                for part in place.split(".")[:-1]:
                    target = target[part.removesuffix("[]")]
                    target = target[0] if part.endswith("[]") else target
                key = place.rpartition(".")[2]
                target[key.removesuffix("[]")] = [value] if key.endswith("[]") else value
                path = place.replace("[]", "[0]")
                refused = "expected one of" in failures(catalogue, type_, document).get(path, "")
                assert refused == (value == "something-else"), (type_, place, value)

    @pytest.mark.parametrize(
        ("inputs", "path"),
        [
            (pool(taints=[{**TAINT, "effect": "NoSchedule"}]), "nodeConfig.taints[0].effect"),
            ({"cluster": "c", "autoscaling": {"locationPolicy": "SPREAD"}}, "autoscaling.locationPolicy"),
            ({"cluster": "c", "deletionPolicy": "KEEP"}, "deletionPolicy"),
        ],
    )
    def test_the_spelling_of_kubernetes_or_of_nobody_is_refused(self, catalogue, inputs, path):
        assert "expected one of" in failures(catalogue, NODE_POOL, inputs)[path]


class TestTexts:
    @pytest.mark.parametrize(
        ("type_", "inputs", "path"),
        [
            (NODE_POOL, {"cluster": "c", "name": "a" * 41}, "name"),
            (NODE_POOL, {"cluster": "c", "name": "Pool"}, "name"),
            (NODE_POOL, {"cluster": "c", "name": "pool-"}, "name"),
            (CLUSTER, {"name": "1st"}, "name"),
            (NETWORK, {"name": "n" * 64}, "name"),
            (SUBNETWORK, {"network": "n", "secondaryIpRanges": [{"rangeName": "Pods"}]}, "secondaryIpRanges[0].rangeName"),
            (ACCOUNT, {"accountId": "short"}, "accountId"),
            (ACCOUNT, {"accountId": "a" * 31}, "accountId"),
            (ACCOUNT, {}, "accountId"),
            (MEMBER, {"project": "p", "role": "viewer", "member": "user:a"}, "role"),
            (MEMBER, {"project": "p", "role": "roles/viewer", "member": "a@b"}, "member"),
            ("gcp:projects/service:Service", {"service": "container"}, "service"),
        ],
    )
    def test_of_the_wrong_form_or_length_are_refused(self, catalogue, type_, inputs, path):
        assert path in failures(catalogue, type_, inputs)

    def test_of_the_longest_form_are_accepted(self, catalogue):
        assert failures(catalogue, NODE_POOL, {"cluster": "c", "name": "a" * 40}) == {}
        assert failures(catalogue, ACCOUNT, {"accountId": "a" * 30}) == {}


class TestBoundsAndGroups:
    def test_every_bound_is_kept(self, catalogue: Catalogue):
        for type_, facts in catalogue.facts.items():
            for place, (least, largest) in facts.bounds.items():
                for value in [least - 1 if least is not None else None, largest + 1 if largest is not None else None]:
                    if value is None:
                        continue
                    document = document_with(catalogue, type_, place, 1)
                    target: Any = document
                    *parents, key = place.split(".")
                    for part in parents:
                        target = target[part.removesuffix("[]")]
                        target = target[0] if part.endswith("[]") else target
                    target[key] = value
                    assert "allowed value" in failures(catalogue, type_, document)[place.replace("[]", "[0]")], (type_, place, value)

    def test_of_every_exclusive_group_only_one_may_be_set(self, catalogue: Catalogue):
        for type_, facts in catalogue.facts.items():
            for group in facts.at_most_one:
                for other in group[1:]:
                    both = merged(document_with(catalogue, type_, group[0], 1), document_with(catalogue, type_, other, 1))
                    assert any("set only one" in reason for reason in failures(catalogue, type_, both).values()), (type_, group)

    @pytest.mark.parametrize(
        ("type_", "inputs", "wrong"),
        [
            (FIREWALL, {"network": "n"}, True),
            (FIREWALL, {"network": "n", "allows": [{"protocol": "tcp"}], "denies": [{"protocol": "tcp"}]}, True),
            (FIREWALL, {"network": "n", "allows": [{"protocol": "tcp"}]}, False),
            (CLUSTER, {"maintenancePolicy": {}}, True),
            (CLUSTER, {"maintenancePolicy": {"dailyMaintenanceWindow": {"startTime": "03:00"}}}, False),
            (CLUSTER, {}, False),
        ],
    )
    def test_of_a_group_that_needs_one_exactly_one_is_set_where_its_object_is(self, catalogue, type_, inputs, wrong):
        assert any("exactly one of" in reason for reason in failures(catalogue, type_, inputs).values()) == wrong


def merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{key: merged(one[key], value) if key in one else value for key, value in other.items()}}
    return copy.deepcopy(other)


class TestPlaces:
    def test_a_resource_without_a_place_is_refused_with_the_setting_to_make(self, catalogue):
        assert "gcp:region" in failures(catalogue, NODE_POOL, {"cluster": "c"}, Provider(project=PROJECT))["location"]
        assert "gcp:project" in failures(catalogue, NETWORK, {}, Provider(region=REGION))["project"]

    def test_the_region_follows_from_a_zone(self, catalogue):
        assert failures(catalogue, SUBNETWORK, {"network": "n"}, Provider(PROJECT, zone="europe-west4-a")) == {}

    def test_a_cluster_given_by_its_identifier_tells_the_place(self, catalogue):
        assert failures(catalogue, NODE_POOL, {"cluster": "projects/p/locations/l/clusters/c"}, Provider()) == {}


class TestPhysicalNames:
    def test_come_from_the_logical_name_and_the_seed(self, catalogue):
        one, same, other = (checked(catalogue, NODE_POOL, {"cluster": "c"}, seed=seed).inputs["name"] for seed in (b"1", b"1", b"2"))
        assert one == same != other
        assert one.startswith("logical-")
        assert len(one) == len("logical-") + 7

    def test_stay_while_the_resource_lives(self, catalogue):
        first = checked(catalogue, NODE_POOL, {"cluster": "c"}, seed=b"1").inputs
        assert checked(catalogue, NODE_POOL, {"cluster": "c"}, first, seed=b"2").inputs["name"] == first["name"]

    def test_are_made_anew_when_a_given_name_is_dropped(self, catalogue):
        given = checked(catalogue, NODE_POOL, {"cluster": "c", "name": "mine"}).inputs
        assert checked(catalogue, NODE_POOL, {"cluster": "c"}, given).inputs["name"] != "mine"

    def test_too_long_for_google_are_refused_with_the_fix(self, catalogue):
        result = check(catalogue, NODE_POOL, "l" * 40, {"cluster": "c"}, {}, b"1", Provider(PROJECT, REGION))
        assert "shorten the resource's name" in result.failures[0].reason

    def test_are_never_made_for_an_account(self, catalogue):
        assert "accountId" in failures(catalogue, ACCOUNT, {})


class TestDefaults:
    def test_are_added_and_named_as_the_bridge_names_them(self, catalogue):
        inputs = checked(catalogue, NODE_POOL, pool(shieldedInstanceConfig={"enableSecureBoot": True})).inputs
        assert inputs["nodeConfig"]["spot"] is False
        assert inputs["nodeConfig"]["__defaults"] == ["preemptible", "spot"]
        assert inputs["nodeConfig"]["shieldedInstanceConfig"] == {
            "enableSecureBoot": True,
            "enableIntegrityMonitoring": True,
            "__defaults": ["enableIntegrityMonitoring"],
        }
        assert "management" not in inputs

    def test_never_override_the_program(self, catalogue):
        assert checked(catalogue, NODE_POOL, pool(spot=True)).inputs["nodeConfig"]["spot"] is True

    def test_of_a_checked_document_add_nothing(self, catalogue):
        once = checked(catalogue, CLUSTER, {"ipAllocationPolicy": {}}).inputs
        assert checked(catalogue, CLUSTER, once, once).failures == []
