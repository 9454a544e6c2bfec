"""What people may do inside a cluster, worked out as the API server does it."""

import pytest

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.access import Persona
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.whole import manifests
from tests.environments import ENVIRONMENTS, blueprint_of

NEVER = (
    # verb, group, resource: ways round everything that guards the nodes, and what is private
    ("create", "", "pods"),
    ("create", "", "pods/exec"),
    ("create", "", "pods/binding"),
    ("create", "", "bindings"),
    ("get", "", "secrets"),
    ("create", "", "serviceaccounts/token"),
    ("impersonate", "", "users"),
    ("patch", "", "nodes"),
    ("patch", "", "namespaces"),
    ("patch", "kueue.x-k8s.io", "resourceflavors"),
    ("create", "networking.k8s.io", "networkpolicies"),
    ("create", "rbac.authorization.k8s.io", "rolebindings"),
    ("patch", "admissionregistration.k8s.io", "validatingadmissionpolicies"),
)


class Cluster:
    """Roles and bindings, asked what a group may do."""

    def __init__(self, blueprint: Blueprint) -> None:
        everything = manifests(blueprint)
        self._roles = {one["metadata"]["name"]: one["rules"] for one in everything if one["kind"] == "ClusterRole"}
        self.bindings = [one for one in everything if one["kind"] in ("ClusterRoleBinding", "RoleBinding")]

    def may(self, group: str, verb: str, api_group: str, resource: str, namespace: str) -> bool:
        return any(
            verb in rule["verbs"] and api_group in rule["apiGroups"] and resource in rule["resources"]
            for binding in self.bindings
            if binding["metadata"].get("namespace", namespace) == namespace and group in map(_name, binding["subjects"])
            for rule in self._roles[binding["roleRef"]["name"]]
        )


def _name(subject: Manifest) -> str:
    return str(subject["name"])


def people(blueprint: Blueprint, *personas: Persona) -> list[tuple[str, str]]:
    """Group and namespace of its team, for groups of the personas."""
    namespaces = {team.name: team.namespace for team in blueprint.teams}
    return [
        (grant.binding.member.removeprefix("group:"), namespaces.get(grant.team or "", ""))
        for grant in blueprint.access.grants
        if grant.persona in personas and grant.binding.member.startswith("group:")
    ]


@pytest.fixture(params=ENVIRONMENTS)
def blueprint(request: pytest.FixtureRequest) -> Blueprint:
    return blueprint_of(request.param)


class TestEverybody:
    def test_is_kept_from_what_goes_round_the_guards(self, blueprint: Blueprint) -> None:
        cluster = Cluster(blueprint)
        for group, own in people(blueprint, *Persona):
            for namespace in {own, *(team.namespace for team in blueprint.teams)}:
                assert [one for one in NEVER if cluster.may(group, *one, namespace)] == []

    def test_comes_as_a_group_or_as_an_account_of_a_workload(self, blueprint: Blueprint) -> None:
        assert {one["kind"] for binding in Cluster(blueprint).bindings for one in binding["subjects"]} <= {"Group", "ServiceAccount"}


class TestAGroupOfATeam:
    def test_sees_its_own_runs_and_those_of_no_other_team(self, blueprint: Blueprint) -> None:
        cluster = Cluster(blueprint)
        others = {team.namespace for team in blueprint.teams}
        for group, own in people(blueprint, Persona.RESEARCHER, Persona.TRAINING_ENGINEER):
            for resource in ("pods", "pods/log"):
                assert cluster.may(group, "get", "", resource, own)
                assert not any(cluster.may(group, "get", "", resource, other) for other in others - {own})
            assert cluster.may(group, "get", "kueue.x-k8s.io", "clusterqueues", own)

    def test_starts_and_stops_jobs_only_if_it_trains(self, blueprint: Blueprint) -> None:
        cluster = Cluster(blueprint)
        for persona, may in ((Persona.TRAINING_ENGINEER, True), (Persona.RESEARCHER, False), (Persona.CONTRACTOR, False)):
            for group, own in people(blueprint, persona):
                for verb in ("create", "delete"):
                    assert cluster.may(group, verb, "batch", "jobs", own) is may
                    assert cluster.may(group, verb, "jobset.x-k8s.io", "jobsets", own) is may


class TestAContractor:
    def test_sees_runs_of_one_team_without_logs_and_configuration(self) -> None:
        blueprint = blueprint_of("prod")
        cluster = Cluster(blueprint)
        contractors = people(blueprint, Persona.CONTRACTOR)
        assert contractors
        for group, own in contractors:
            assert cluster.may(group, "list", "batch", "jobs", own)
            assert not any(cluster.may(group, "get", "", resource, own) for resource in ("pods/log", "configmaps"))


class TestOnCall:
    def test_looks_at_everything_and_changes_nothing(self) -> None:
        blueprint = blueprint_of("prod")
        cluster = Cluster(blueprint)
        for group, _ in people(blueprint, Persona.ON_CALL):
            for team in blueprint.teams:
                assert cluster.may(group, "get", "", "pods/log", team.namespace)
            assert cluster.may(group, "get", "", "nodes", "anywhere")
            changing = {
                verb
                for binding in cluster.bindings
                if group in map(_name, binding["subjects"])
                for rule in cluster._roles[binding["roleRef"]["name"]]
                for verb in rule["verbs"]
            }
            assert changing == {"get", "list", "watch"}
