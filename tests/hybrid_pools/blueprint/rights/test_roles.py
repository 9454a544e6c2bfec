"""What is known of roles."""

import pytest

from hybrid_pools.blueprint.rights import PERMISSIONS, Right, known_roles, rights_of

ROLES = sorted(known_roles().values(), key=lambda role: role.name)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
class TestEveryRole:
    def test_is_a_predefined_one_that_is_not_primitive(self, role):
        assert role.name.startswith("roles/")
        assert role.name not in ("roles/owner", "roles/editor", "roles/viewer")

    def test_names_permissions_once_and_in_order_and_lacks_none_that_it_has(self, role):
        for permissions in (role.permissions, role.lacks):
            assert list(permissions) == sorted(set(permissions))
        assert not set(role.permissions) & set(role.lacks)


@pytest.mark.parametrize("right", Right)
class TestEveryRight:
    def test_comes_with_each_of_its_permissions(self, right):
        for permission in PERMISSIONS[right]:
            assert rights_of(frozenset({permission})) == {right}

    def test_is_in_a_role_that_is_known(self, right):
        assert any(right in rights_of(frozenset(role.permissions)) for role in ROLES)


def test_the_least_roles_of_a_node_give_none_of_these_rights():
    for name in ("roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount"):
        assert rights_of(frozenset(known_roles()[name].permissions)) == set()
