"""What the rules stand on is kept by the platform, and the platform can change it."""

import copy

import pytest

from hybrid_pools.blueprint.vocabulary import (
    ADMISSION_PARAMETERS,
    FLAVOR_LABEL,
    KUEUE_CONTROLLER,
    NODE_POOL_LABEL,
    ROLE_LABEL,
    SCHEDULER,
    SPOT_KEY,
    SPOT_TAINT,
    SYSTEM_NAMESPACE,
    Role,
)
from tests.cluster.admission.api import Answer, Api
from tests.cluster.admission.corpus import read
from tests.workloads import NO_TEAM, PERSON, PLATFORM_GROUP, TEAM, Manifest

pytestmark = pytest.mark.cluster

_KUEUE = "kueue.x-k8s.io/v1beta2"


def _object(api_version: str, kind: str, name: str, **parts: object) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


def _node(name: str, role: Role, **labels: str) -> Manifest:
    node = _object("v1", "Node", name)
    node["metadata"]["labels"] = {ROLE_LABEL: role.value, FLAVOR_LABEL: f"{role.value}-l4", NODE_POOL_LABEL: name, **labels}
    taints = [{"key": SPOT_TAINT.key, "value": SPOT_TAINT.value, "effect": SPOT_TAINT.effect.value}]
    return node | ({"spec": {"taints": taints}} if role is Role.SPOT else {})


_THERE: dict[str, Manifest] = {
    "spotNode": _node("spot-node", Role.SPOT, **{SPOT_KEY: "true"}),
    "stableNode": _node("stable-node", Role.STABLE),
    "flavor": _object(_KUEUE, "ResourceFlavor", "stable-l4", spec={"nodeLabels": {FLAVOR_LABEL: "stable-l4"}}),
    "clusterQueue": _object(_KUEUE, "ClusterQueue", "audio-training", spec={"cohortName": "team-audio"}),
    "toolsNamespace": _object("v1", "Namespace", NO_TEAM),
    "teamNamespace": _object("v1", "Namespace", TEAM),
    "priorityClass": _object("scheduling.k8s.io/v1", "PriorityClass", "hybrid-training", value=1000),
    "parameters": {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": ADMISSION_PARAMETERS, "namespace": SYSTEM_NAMESPACE},
    },
}

_BINDING = {
    "apiVersion": "v1",
    "kind": "Binding",
    "metadata": {"name": "victim", "namespace": TEAM},
    "target": {"apiVersion": "v1", "kind": "Node", "name": "spot-node"},
}


@pytest.fixture(scope="module")
def kept(api: Api) -> Api:
    """The API server with something to protect."""
    for name in ("spotNode", "stableNode", "flavor", "clusterQueue"):
        assert api.create(_THERE[name], keep=True).status in (201, 409)
    pod = {"metadata": {"name": "victim", "namespace": TEAM}, "spec": {"containers": [{"name": "one", "image": "one"}]}}
    assert api.create({"apiVersion": "v1", "kind": "Pod", **pod}, keep=True).status in (201, 409)
    return api


def _do(api: Api, entry: Manifest, user: str, *groups: str) -> Answer:
    match entry.get("does", "change"):
        case "create":
            return api.create(entry["manifest"], user, *groups)
        case "delete":
            return api.delete(_THERE[entry["of"]], user, *groups)
        case "bind":
            return api.post(f"/api/v1/namespaces/{TEAM}/pods/victim/binding", _BINDING, user)
        case "bindings":
            return api.post(f"/api/v1/namespaces/{TEAM}/bindings", _BINDING, user)
        case _:
            return api.change(_THERE[entry["of"]], entry["patch"], user, *groups, sub=entry.get("subresource", ""))


class TestSomebodyElse:
    @pytest.mark.parametrize("entry", read("platform.yaml"), ids=lambda entry: entry["name"])
    def test_is_refused_by_the_expected_rule(self, kept: Api, entry: Manifest):
        answer = _do(kept, entry, PERSON)
        assert entry["rule"] in answer.refusal, answer.body.get("message", "admitted")

    def test_is_refused_as_a_service_account_of_a_team_too(self, kept: Api):
        user = f"system:serviceaccount:{TEAM}:training"
        answer = kept.change(_THERE["spotNode"], {"spec": {"taints": None}}, user)
        assert "GUARD-002" in answer.refusal, answer.body.get("message", "admitted")

    def test_may_change_what_is_not_the_platforms(self, kept: Api):
        assert kept.change(_THERE["spotNode"], {"metadata": {"labels": {"rack": "4"}}}, PERSON).admitted
        cordon = {"spec": {"unschedulable": True, "taints": [*_THERE["spotNode"]["spec"]["taints"], _UNSCHEDULABLE]}}
        assert kept.change(_THERE["spotNode"], cordon, PERSON).admitted
        assert kept.change(_THERE["toolsNamespace"], {"metadata": {"labels": {"contact": "anna"}}}, PERSON).admitted
        assert kept.create(_object("v1", "Namespace", "mine"), PERSON).admitted
        other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": SYSTEM_NAMESPACE}}
        assert kept.create(other, PERSON).admitted


_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


class TestThePlatform:
    @pytest.mark.parametrize(
        "entry",
        [entry for entry in read("platform.yaml") if entry["rule"] not in ("GUARD-001", "GUARD-005")],
        ids=lambda entry: entry["name"],
    )
    def test_may_do_all_of_it(self, kept: Api, entry: Manifest):
        assert _do(kept, entry, "somebody@example.com", PLATFORM_GROUP).refusal == ""

    def test_cannot_give_a_namespace_tolerations_either(self, kept: Api):
        entry = next(entry for entry in read("platform.yaml") if entry["rule"] == "GUARD-005")
        assert "GUARD-005" in _do(kept, entry, "somebody@example.com", PLATFORM_GROUP).refusal


class TestKubernetesItself:
    def test_binds_pods_by_its_scheduler(self, kept: Api):
        answer = kept.post(f"/api/v1/namespaces/{TEAM}/pods/victim/binding", _BINDING, SCHEDULER)
        assert answer.admitted, answer.body.get("message")

    def test_taints_nodes_that_are_gone(self, kept: Api):
        taints = [*_THERE["spotNode"]["spec"]["taints"], {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]
        assert kept.change(_THERE["spotNode"], {"spec": {"taints": taints}}, "system:serviceaccount:kube-system:node-controller").admitted

    def test_puts_finalizers_on_flavors_by_kueue_and_takes_queues_of_namespaces_away(self, kept: Api):
        flavor = copy.deepcopy(_THERE["flavor"])
        assert kept.change(flavor, {"metadata": {"finalizers": ["kueue.x-k8s.io/resource-in-use"]}}, KUEUE_CONTROLLER).admitted
        assert kept.change(flavor, {"metadata": {"finalizers": ["example.com/any"]}}, PERSON).admitted
        assert kept.delete(flavor, "system:serviceaccount:kube-system:generic-garbage-collector").admitted

    def test_opens_and_closes_quota_by_the_platforms_own_jobs(self, kept: Api):
        user = f"system:serviceaccount:{SYSTEM_NAMESPACE}:buffer-switch"
        assert kept.change(_THERE["clusterQueue"], {"spec": {"cohortName": "other"}}, user).admitted
