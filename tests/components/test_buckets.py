"""Buckets as the engine receives them."""

import pytest

from hybrid_pools.blueprint.lifecycle import rendered
from hybrid_pools.blueprint.model import Bucket
from hybrid_pools.blueprint.vocabulary import BucketKind
from tests.components.recording import Registration, record
from tests.environments import ENVIRONMENTS, blueprint_of

BUCKET = "gcp:storage/bucket:Bucket"
FOLDER = "gcp:storage/managedFolder:ManagedFolder"
KEY_GRANT = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"

Declared = list[tuple[Bucket, Registration]]


@pytest.fixture(scope="module")
def registrations() -> dict[str, list[Registration]]:
    return {environment: record(blueprint_of(environment)) for environment in ENVIRONMENTS}


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def registered(environment: str, registrations: dict[str, list[Registration]]) -> list[Registration]:
    return registrations[environment]


@pytest.fixture
def declared(environment: str, registered: list[Registration]) -> Declared:
    made = {registration.name: registration for registration in registered if registration.type == BUCKET}
    return [(bucket, made[f"{environment}-{bucket.kind}"]) for bucket in blueprint_of(environment).buckets]


class TestEveryBucket:
    def test_has_exactly_the_lifecycle_that_was_rendered(self, declared: Declared) -> None:
        for bucket, registration in declared:
            assert registration.inputs["lifecycleRules"] == [rendered(rule) for rule in bucket.lifecycle]

    def test_is_private_and_cannot_be_emptied(self, declared: Declared) -> None:
        for _, registration in declared:
            kept = ("uniformBucketLevelAccess", "publicAccessPrevention", "forceDestroy")
            assert [registration.inputs[key] for key in kept] == [True, "enforced", False]

    def test_has_versions_or_real_folders(self, declared: Declared) -> None:
        for bucket, registration in declared:
            assert ("versioning" in registration.inputs) is not ("hierarchicalNamespace" in registration.inputs)
            assert ("hierarchicalNamespace" in registration.inputs) is bucket.hierarchical_namespace

    def test_says_how_long_soft_delete_lasts_even_where_it_is_off(self, declared: Declared) -> None:
        for bucket, registration in declared:
            assert registration.inputs["softDeletePolicy"] == {"retentionDurationSeconds": bucket.soft_delete_seconds}

    def test_is_protected_and_left_behind_exactly_in_production(self, environment: str, declared: Declared) -> None:
        for _, registration in declared:
            assert (registration.protect, registration.retain_on_delete) == ((True, True) if environment == "prod" else (False, False))

    def test_has_a_name_of_its_own_that_google_takes(self, declared: Declared) -> None:
        names = [registration.inputs["name"] for _, registration in declared]
        assert len(set(names)) == len(BucketKind)
        assert all(len(name) <= 63 for name in names)

    def test_names_a_replication_target_only_over_a_pair_of_regions(self, declared: Declared) -> None:
        for bucket, registration in declared:
            assert ("rpo" in registration.inputs) is ("customPlacementConfig" in registration.inputs) is bool(bucket.data_locations)

    def test_waits_for_the_right_to_use_its_key(self, registered: list[Registration], declared: Declared) -> None:
        grants = {registration.name for registration in registered if registration.type == KEY_GRANT}
        for bucket, registration in declared:
            assert bool(grants) is (bucket.key is not None) is ("encryption" in registration.inputs)
            assert grants <= {urn.rpartition("::")[2] for urn in registration.dependencies}


class TestEveryTeam:
    def test_has_its_folder_in_every_bucket(self, environment: str, registered: list[Registration]) -> None:
        folders = {r.name: r.inputs["name"] for r in registered if r.type == FOLDER}
        assert folders == {
            f"{environment}-{kind}-{team.name}": f"{kind.prefix}{team.name}/"
            for kind in BucketKind
            for team in blueprint_of(environment).teams
        }
