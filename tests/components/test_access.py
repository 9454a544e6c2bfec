"""The grants that the program registers add up to what the documents promise, and to nothing else."""

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.access import PROJECT_NUMBER, Persona
from hybrid_pools.blueprint.rights import Binding, Place, PlaceKind, Right, effective_rights
from hybrid_pools.documents.access import rights_table, where
from tests.components.recording import Registration, record
from tests.environments import ENVIRONMENTS, blueprint_of

NUMBER = "123456789012"
CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
BUCKET = "gcp:storage/bucket:Bucket"
_END = re.compile(r'request\.time < timestamp\("(?P<end>[^"]+)"\)')


@pytest.fixture(scope="module")
def registrations() -> dict[str, list[Registration]]:
    return {environment: record(blueprint_of(environment)) for environment in ENVIRONMENTS}


def is_grant(registration: Registration) -> bool:
    return registration.type.lower().endswith("iammember") and "kms" not in registration.type


def declared(registered: list[Registration]) -> list[Binding]:
    """What Google would be told, read from the inputs of the resources alone."""
    kinds = {bucket.inputs["name"]: bucket.name.rpartition("-")[2] for bucket in registered if bucket.type == BUCKET}
    return [
        Binding(grant.inputs["member"], grant.inputs["role"], _place(grant, kinds), _end(grant.inputs))
        for grant in registered
        if is_grant(grant)
    ]


def _place(grant: Registration, kinds: Mapping[str, str]) -> Place:
    inputs = grant.inputs
    match grant.type.rpartition(":")[2]:
        case "IAMMember" if "serviceAccountId" in inputs:
            return Place(PlaceKind.ACCOUNT, inputs["serviceAccountId"].rpartition("/")[2])
        case "IAMMember":
            return Place(PlaceKind.PROJECT)
        case "ManagedFolderIamMember":
            return Place(PlaceKind.FOLDER, kinds[inputs["bucket"]], inputs["managedFolder"].rstrip("/").rpartition("/")[2])
        case "LogViewIamMember":
            return Place(PlaceKind.LOG_VIEW, inputs["name"], inputs["name"].removeprefix("team-") if inputs["bucket"] != "_Default" else "")
        case other:
            raise AssertionError(f"a grant of a kind that nobody expects: {other}")


def _end(inputs: Mapping[str, Any]) -> datetime | None:
    if "condition" not in inputs:
        return None
    match = _END.fullmatch(inputs["condition"]["expression"])
    assert match is not None
    return datetime.fromisoformat(match["end"]).astimezone(UTC)


def custom_roles(registered: list[Registration]) -> dict[str, tuple[str, ...]]:
    return {
        f"projects/{role.inputs['project']}/roles/{role.inputs['roleId']}": tuple(role.inputs["permissions"])
        for role in registered
        if role.type == CUSTOM_ROLE and isinstance(role.inputs.get("roleId"), str)
    }


def of_access(blueprint: Blueprint, registered: list[Registration]) -> list[Binding]:
    """Grants without those of nodes and schedules, which have their own components."""
    mine = {grant.binding.member.replace(PROJECT_NUMBER, NUMBER) for grant in blueprint.access.grants}
    return [binding for binding in declared(registered) if binding.member in mine]


def table_of(markdown: str) -> dict[str, dict[str, set[str]]]:
    """Rights by persona, read from the document's own table."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    (_, *personas), _, *rest = rows
    return {persona: {row[0]: set(row[index].split(", ")) for row in rest if row[index]} for index, persona in enumerate(personas, start=1)}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
class TestEveryEnvironment:
    def test_declares_rights_that_add_up_to_the_table_of_who_may_do_what(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        blueprint, registered = blueprint_of(environment), registrations[environment]
        held = effective_rights(of_access(blueprint, registered), custom_roles(registered))
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for grant in blueprint.access.grants:
            for one in held[grant.binding.member.replace(PROJECT_NUMBER, NUMBER)]:
                found[grant.persona.value][one.right.value].add(where(one, grant.team))
        assert {persona: dict(rights) for persona, rights in found.items()} == table_of(rights_table(blueprint.access))

    def test_registers_every_grant_once_and_none_besides(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        blueprint = blueprint_of(environment)
        made = of_access(blueprint, registrations[environment])
        assert len(made) == len(set(made))
        assert {(one.member.replace(NUMBER, PROJECT_NUMBER), one.role, one.place, one.until) for one in made} == {
            (one.member, one.role, one.place, one.until) for one in blueprint.access.bindings
        }

    def test_gives_nodes_no_right_on_any_object(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        nodes = [binding for binding in declared(registrations[environment]) if "-nodes@" in binding.member]
        assert nodes
        for held in effective_rights(nodes, {}).values():
            assert held == frozenset()

    def test_makes_no_key(self, environment: str, registrations: dict[str, list[Registration]]) -> None:
        assert not [one.name for one in registrations[environment] if one.type.lower().endswith(("serviceaccount/key:key", "hmackey"))]

    def test_grants_identities_of_workloads_after_the_cluster_whose_pool_they_are_in(
        self, environment: str, registrations: dict[str, list[Registration]]
    ) -> None:
        workloads = [one for one in registrations[environment] if is_grant(one) and ".svc.id.goog/" in one.inputs["member"]]
        assert workloads
        for grant in workloads:
            assert any(urn.rpartition("::")[0].endswith("gcp:container/cluster:Cluster") for urn in grant.dependencies)


def test_the_principal_of_a_workload_names_the_project_by_number_and_by_id() -> None:
    registered = record(blueprint_of("local"))
    members = {one.inputs["member"] for one in registered if is_grant(one) and "/sa/training" in one.inputs["member"]}
    assert members == {
        f"principal://iam.googleapis.com/projects/{NUMBER}/locations/global/workloadIdentityPools/hybrid-pools-local.svc.id.goog"
        f"/subject/ns/{namespace}/sa/training"
        for namespace in ("team-speech", "team-vision")
    }


def test_production_has_every_persona_but_broken_glass() -> None:
    assert {grant.persona for grant in blueprint_of("prod").access.grants} == set(Persona) - {Persona.BREAK_GLASS}


def test_the_table_has_a_row_for_every_right() -> None:
    rows = rights_table(blueprint_of("prod").access).splitlines()[2:]
    assert [row.strip("|").split("|")[0].strip() for row in rows] == [right.value for right in Right]
