"""Effective rights, by detours too."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.rights import Binding, Held, Place, PlaceKind, Right, UnknownRole, effective_rights, known_roles
from hybrid_pools.blueprint.rights.binding import PROJECT_PLACE

SOON, LATER = datetime(2030, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
FOLDER = Place(PlaceKind.FOLDER, "checkpoints", "vision")
ROBOT = "robot@acme.iam.gserviceaccount.com"
WORKLOAD = (
    "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/acme.svc.id.goog/subject/ns/team-vision/sa/training"
)
MEMBERS = ("group:a@acme.example", "group:b@acme.example", f"serviceAccount:{ROBOT}", WORKLOAD)
PLACES = (PROJECT_PLACE, FOLDER, Place(PlaceKind.LOG_VIEW, "operations"), Place(PlaceKind.ACCOUNT, ROBOT))

bindings = st.builds(
    Binding, st.sampled_from(MEMBERS), st.sampled_from(sorted(known_roles())), st.sampled_from(PLACES), st.sampled_from([None, SOON, LATER])
)


def rights(*given: Binding) -> dict[str, frozenset[Held]]:
    return effective_rights(given, {"projects/p/roles/own": ("storage.buckets.update",)})


class TestARight:
    def test_holds_where_and_as_long_as_its_role_is_granted(self):
        assert rights(Binding("group:a", "roles/storage.objectCreator", FOLDER, SOON)) == {
            "group:a": {Held(Right.CREATE_OBJECTS, FOLDER, SOON)}
        }

    def test_of_a_custom_role_follows_its_permissions(self):
        assert rights(Binding("group:a", "projects/p/roles/own", PROJECT_PLACE))["group:a"] == {Held(Right.CHANGE_BUCKETS, PROJECT_PLACE)}

    @pytest.mark.parametrize("role", ["roles/owner", "roles/container.newcomer", "projects/p/roles/other"])
    def test_of_a_role_that_nothing_is_known_of_is_no_guess(self, role):
        with pytest.raises(UnknownRole, match=role):
            rights(Binding("group:a", role, PROJECT_PLACE))


class TestADetour:
    def test_over_an_account_ends_with_the_first_end(self):
        found = rights(
            Binding("group:a", "roles/iam.serviceAccountTokenCreator", Place(PlaceKind.ACCOUNT, ROBOT), SOON),
            Binding(f"serviceAccount:{ROBOT}", "roles/storage.objectViewer", FOLDER, LATER),
        )
        assert Held(Right.READ_OBJECTS, FOLDER, SOON) in found["group:a"]

    def test_over_all_accounts_leads_to_each(self):
        found = rights(
            Binding("group:a", "roles/iam.serviceAccountTokenCreator", PROJECT_PLACE),
            Binding(f"serviceAccount:{ROBOT}", "roles/storage.objectViewer", FOLDER),
        )
        assert Held(Right.READ_OBJECTS, FOLDER) in found["group:a"]

    @pytest.mark.parametrize("role", ["roles/container.developer", "roles/container.admin"])
    def test_over_pods_leads_to_every_workload(self, role):
        found = rights(Binding("group:a", role, PROJECT_PLACE), Binding(WORKLOAD, "roles/storage.objectUser", FOLDER))
        assert Held(Right.DELETE_OBJECTS, FOLDER) in found["group:a"]

    def test_over_looking_at_pods_leads_nowhere(self):
        found = rights(Binding("group:a", "roles/container.viewer", PROJECT_PLACE), Binding(WORKLOAD, "roles/storage.objectUser", FOLDER))
        assert not any(one.place == FOLDER for one in found["group:a"])

    def test_over_an_account_over_pods_leads_to_workloads(self):
        found = rights(
            Binding("group:a", "roles/iam.workloadIdentityUser", Place(PlaceKind.ACCOUNT, ROBOT)),
            Binding(f"serviceAccount:{ROBOT}", "roles/container.admin", PROJECT_PLACE),
            Binding(WORKLOAD, "roles/storage.objectUser", FOLDER),
        )
        assert Held(Right.DELETE_OBJECTS, FOLDER) in found["group:a"]


class TestEveryListOfGrants:
    @given(st.lists(bindings, max_size=8), bindings)
    def test_gives_no_less_with_one_grant_more(self, some: list[Binding], another: Binding):
        before, after = rights(*some), rights(*some, another)
        assert all(held <= after[member] for member, held in before.items())

    @given(st.lists(bindings, max_size=8).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
    def test_gives_the_same_in_any_order(self, pair: tuple[list[Binding], list[Binding]]):
        assert rights(*pair[0]) == rights(*pair[1])

    @given(st.lists(bindings, max_size=8))
    def test_gives_a_right_only_by_a_role_that_somebody_was_granted(self, some: list[Binding]):
        granted = {binding.place for binding in some}
        assert all(one.place in granted for held in rights(*some).values() for one in held)
