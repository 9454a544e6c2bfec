"""Who may do what in any environment: laws over effective rights, whatever roles they come from."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.configuration import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.teams import TeamConfiguration
from hybrid_pools.blueprint.derivation.access import access_apis, derive_access
from hybrid_pools.blueprint.derivation.teams import derive_teams
from hybrid_pools.blueprint.model.access import Access, Grant, Persona
from hybrid_pools.blueprint.rights import Binding, Held, PlaceKind, Right, effective_rights
from hybrid_pools.blueprint.vocabulary import BucketKind
from tests.access_strategies import Sections, people

ENVIRONMENT = EnvironmentConfiguration(name="prod", project="acme-ml-prod", region="us-central1", team="ml", cost_center="cc-1")
NODES = ("prod-spot-nodes", "prod-stable-nodes")
GLASS_END = "2090-01-01T00:00:00Z"
OBJECTS = frozenset({Right.READ_OBJECTS, Right.LIST_OBJECTS, Right.CREATE_OBJECTS, Right.DELETE_OBJECTS})
CHANGES = frozenset(right for right in Right if right.name.startswith("CHANGE_"))
INTO_PODS = frozenset({Right.START_PODS, Right.EXEC, Right.READ_SECRETS})
AUTOMATION = frozenset({Persona.CI_DEPLOY, Persona.CI_PREVIEW})


def derived(sections: Sections, buckets: tuple[BucketKind, ...] = tuple(BucketKind)) -> Access:
    teams = {name: TeamConfiguration.model_validate(team, strict=False) for name, team in sections["teams"].items()}
    configuration = AccessConfiguration.model_validate(sections["access"], strict=False)
    return derive_access(configuration, ENVIRONMENT, derive_teams(teams), buckets, NODES)


accesses = people().map(derived)
emergencies = people(GLASS_END).map(derived)


def rights(access: Access, *bindings: Binding) -> dict[str, frozenset[Held]]:
    return effective_rights(bindings or access.bindings, {name: role.permissions for name, role in access.custom_roles.items()})


def held_by(access: Access, *personas: Persona) -> Iterator[tuple[Grant, frozenset[Held]]]:
    """Grants of personas with all that their members hold."""
    held = rights(access)
    return ((grant, held[grant.binding.member]) for grant in access.grants if grant.persona in personas)


PEOPLE = tuple(persona for persona in Persona if persona not in AUTOMATION | {Persona.BREAK_GLASS})


class TestEveryAccess:
    @given(accesses)
    def test_is_for_groups_and_identities_only(self, access: Access):
        assert all(re.match(r"group:|serviceAccount:|principal://|principalSet://.+/attribute\.", one.member) for one in access.bindings)

    @given(accesses)
    def test_gives_nobody_objects_of_a_team_that_is_not_its_own(self, access: Access):
        teams: dict[str, set[str | None]] = {}
        for grant in access.grants:
            teams.setdefault(grant.binding.member, set()).add(grant.team)
        for grant, held in held_by(access, *PEOPLE):
            assert {one.place.team for one in held if one.right in OBJECTS} <= teams[grant.binding.member]

    @given(accesses)
    def test_lets_the_pruner_alone_delete_what_training_wrote(self, access: Access):
        for grant, held in held_by(access, *PEOPLE):
            deletes = {one.place.name for one in held if one.right is Right.DELETE_OBJECTS}
            allowed = {Persona.PRUNER: {"checkpoints"}, Persona.TRAINING_ENGINEER: {"datasets"}, Persona.RESEARCHER: {"datasets"}}
            # A group may be researchers and training engineers at once.
            assert deletes <= allowed.get(grant.persona, set())

    @given(accesses)
    def test_lets_training_write_and_read_and_nothing_else(self, access: Access):
        for grant, held in held_by(access, Persona.TRAINING):
            assert {one.right for one in held} == {Right.READ_OBJECTS, Right.LIST_OBJECTS, Right.CREATE_OBJECTS}
            assert {one.place.team for one in held} == {grant.team}
            assert "datasets" not in {one.place.name for one in held if one.right is Right.CREATE_OBJECTS}

    @given(accesses)
    def test_keeps_the_pruner_out_of_the_teams_namespaces(self, access: Access):
        for grant, _ in held_by(access, Persona.PRUNER):
            assert "/ns/checkpoint-pruning/" in grant.binding.member

    @given(accesses)
    def test_gives_nodes_nothing(self, access: Access):
        assert not any(member.startswith(f"serviceAccount:{node}") for member in rights(access) for node in NODES)

    @given(accesses)
    def test_lets_contractors_in_until_a_day_and_not_into_datasets_logs_secrets_or_pods(self, access: Access):
        for _, held in held_by(access, Persona.CONTRACTOR):
            assert all(one.until is not None for one in held)
            assert {one.right for one in held} <= {Right.CONNECT, Right.READ_OBJECTS, Right.LIST_OBJECTS}
            assert "datasets" not in {one.place.name for one in held}

    @given(accesses)
    def test_keeps_log_reading_apart_from_configuration_change(self, access: Access):
        for _, held in held_by(access, *PEOPLE):
            mine = {one.right for one in held}
            assert Right.READ_LOGS not in mine or not mine & CHANGES

    @given(accesses)
    def test_lets_no_people_into_pods_or_secrets_and_act_as_nobody(self, access: Access):
        for _, held in held_by(access, *PEOPLE):
            assert not {one.right for one in held} & (INTO_PODS | {Right.RUN_AS, Right.IMPERSONATE, Right.CHANGE_IAM})

    @given(accesses)
    def test_lets_nobody_make_keys(self, access: Access):
        assert not any(one.right is Right.MAKE_KEYS for held in rights(access).values() for one in held)

    @given(accesses)
    def test_lets_previews_change_and_read_nothing(self, access: Access):
        for _, held in held_by(access, Persona.CI_PREVIEW):
            assert {one.right for one in held} <= {Right.CONNECT, Right.IMPERSONATE}
            assert {one.place.name for one in held if one.right is Right.IMPERSONATE} <= {
                "prod-ci-preview@acme-ml-prod.iam.gserviceaccount.com"
            }

    @given(emergencies)
    def test_gives_two_personas_together_no_more_than_each(self, access: Access):
        held = rights(access)
        for one, other in combinations(sorted(held), 2):
            both = [
                Binding("group:both@acme.example", binding.role, binding.place, binding.until)
                for binding in access.bindings
                if binding.member in (one, other)
            ]
            assert rights(access, *access.bindings, *both)["group:both@acme.example"] == held[one] | held[other]

    @given(accesses)
    def test_has_what_its_grants_are_on(self, access: Access):
        views = {view.key for view in access.views}
        assert {binding.place.name for binding in access.bindings if binding.place.kind is PlaceKind.LOG_VIEW} == views
        assert {logs.team for logs in access.team_logs} == {view.team for view in access.views} - {None}

    @given(people())
    def test_grants_no_folder_where_there_are_no_buckets(self, sections: Sections):
        assert not any(binding.place.kind is PlaceKind.FOLDER for binding in derived(sections, buckets=()).bindings)

    @given(accesses)
    def test_needs_the_token_services_only_for_continuous_integration(self, access: Access):
        assert ("sts.googleapis.com" in access_apis(access)) == (access.ci is not None)


class TestBrokenGlass:
    @given(accesses)
    def test_is_nothing_until_it_is_switched_on(self, access: Access):
        assert list(held_by(access, Persona.BREAK_GLASS)) == []

    @given(emergencies)
    def test_opens_the_cluster_and_ends_with_every_right(self, access: Access):
        ((_, held),) = held_by(access, Persona.BREAK_GLASS)
        assert {one.right for one in held} >= INTO_PODS | {Right.CHANGE_CLUSTER}
        assert {one.until for one in held} == {datetime(2090, 1, 1, tzinfo=UTC)}


class TestContinuousIntegration:
    @given(accesses.filter(lambda access: access.ci is not None))
    def test_lets_in_one_repository_and_one_branch_by_exact_words(self, access: Access):
        assert access.ci is not None
        for account in access.ci.accounts:
            assert 'assertion.repository == "acme/infra"' in account.condition
            assert re.search(r'assertion\.(base_)?ref == "[^"*]+"', account.condition)
            assert "||" not in account.condition
            assert "pull_request_target" not in account.condition

    @given(accesses.filter(lambda access: access.ci is not None))
    def test_never_takes_a_preview_for_a_deployment(self, access: Access):
        assert access.ci is not None
        attributes = [set(account.mapping) - {"google.subject"} for account in access.ci.accounts]
        assert not set.intersection(*attributes)
        by_account = {grant.binding.place.name: grant.binding.member for grant in access.grants if "principalSet" in grant.binding.member}
        assert "/attribute.preview/" in by_account["prod-ci-preview@acme-ml-prod.iam.gserviceaccount.com"]
        assert "/attribute.deploy/" in by_account["prod-ci-deploy@acme-ml-prod.iam.gserviceaccount.com"]

    @given(accesses.filter(lambda access: access.ci is not None))
    def test_runs_machines_only_under_the_accounts_of_the_program(self, access: Access):
        for _, held in held_by(access, Persona.CI_DEPLOY):
            assert {one.place.name.partition("@")[0] for one in held if one.right is Right.RUN_AS} == set(NODES)


class TestTheLastDay:
    @given(st.dates(min_value=datetime(2026, 1, 1, tzinfo=UTC).date(), max_value=datetime(2090, 1, 1, tzinfo=UTC).date()))
    def test_counts_to_its_end(self, day):
        access = derived({"teams": {"vision": {}}, "access": {"contractors": {"c@acme.example": {"team": "vision", "until": str(day)}}}})
        until = next(grant.binding.until for grant in access.grants if grant.persona is Persona.CONTRACTOR)
        assert until is not None
        assert (until - timedelta(seconds=1)).date() == day
        assert until.date() == day + timedelta(days=1)
