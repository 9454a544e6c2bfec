"""Everything inside a cluster together."""

from collections import Counter
from dataclasses import replace

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.whole import manifests
from tests.environments import ENVIRONMENTS, blueprint_of

_ADMISSION = ("ConfigMap", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


@pytest.fixture(params=ENVIRONMENTS)
def whole(request: pytest.FixtureRequest) -> tuple[Manifest, ...]:
    return manifests(blueprint_of(request.param))


class TestEveryObject:
    def test_is_there_once(self, whole: tuple[Manifest, ...]) -> None:
        names = Counter((one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in whole)
        assert whole
        assert [name for name, count in names.items() if count > 1] == []

    def test_comes_after_its_namespace(self, whole: tuple[Manifest, ...]) -> None:
        there: set[str] = set()
        for one in whole:
            namespace = one["metadata"].get("namespace")
            assert namespace is None or namespace in there, one["metadata"]
            if one["kind"] == "Namespace":
                there.add(one["metadata"]["name"])

    def test_names_roles_and_priority_classes_that_there_are(self, whole: tuple[Manifest, ...]) -> None:
        names = {(one["kind"], one["metadata"]["name"]) for one in whole}
        for one in whole:
            if one["kind"] in ("ClusterRoleBinding", "RoleBinding"):
                assert ("ClusterRole", one["roleRef"]["name"]) in names
            if one["kind"] == "CronJob":
                assert ("PriorityClass", one["spec"]["jobTemplate"]["spec"]["template"]["spec"]["priorityClassName"]) in names

    def test_is_plain_data_without_nulls(self, whole: tuple[Manifest, ...]) -> None:
        def plain(found: object) -> bool:
            if isinstance(found, dict):
                return all(type(key) is str and plain(value) for key, value in found.items())
            if isinstance(found, list):
                return all(map(plain, found))
            return type(found) in (str, int, bool)

        assert [one["metadata"]["name"] for one in whole if not plain(one)] == []


def test_queues_and_policies_come_before_the_namespaces_of_teams() -> None:
    kinds = [one["kind"] for one in manifests(blueprint_of("local"))]
    last_guard = max(len(kinds) - 1 - kinds[::-1].index(kind) for kind in (*_ADMISSION[1:], "ClusterQueue"))
    first_queue = kinds.index("LocalQueue")
    assert last_guard < first_queue


def test_nothing_is_declared_where_the_environment_has_no_such_section() -> None:
    without: Blueprint = replace(blueprint_of("local"), kubernetes=None)
    assert manifests(without) == ()


def test_the_objects_of_local_but_the_policies(snapshot: SnapshotAssertion) -> None:
    made = [one for one in manifests(blueprint_of("local")) if one["kind"] not in _ADMISSION]
    assert yaml.safe_dump_all(made, sort_keys=False) == snapshot
