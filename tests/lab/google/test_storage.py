"""What Cloud Storage refuses, and what it fills in."""

from typing import Any

import grpc
import pytest

from tests.lab.google.conftest import PROJECT, Engine
from tests.lab.google.test_refusals import refusal

BUCKET = "gcp:storage/bucket:Bucket"
FOLDER = "gcp:storage/managedFolder:ManagedFolder"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
FOLDER_MEMBER = "gcp:storage/managedFolderIamMember:ManagedFolderIamMember"
KEY_MEMBER = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
DAY = 86_400
KEY = "projects/keys/locations/us-central1/keyRings/ring/cryptoKeys/key"
AGENT = "serviceAccount:service-1234@gs-project-accounts.iam.gserviceaccount.com"
KEY_USER = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
ROLE = "roles/storage.objectUser"
GROUP = "group:vision@acme.example"


def bucket(**changes: Any) -> dict[str, Any]:
    return {
        "name": "lab-checkpoints",
        "location": "US-CENTRAL1",
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        **changes,
    }


def delete(**condition: Any) -> dict[str, Any]:
    return {"action": {"type": "Delete"}, "condition": condition}


def move(to: str, **condition: Any) -> dict[str, Any]:
    return {"action": {"type": "SetStorageClass", "storageClass": to}, "condition": condition}


FOLDERED: dict[str, Any] = {"hierarchicalNamespace": {"enabled": True}}
PAIR = {"dataLocations": ["US-CENTRAL1", "US-EAST4"]}
ABORT = {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7, "numNewerVersions": 1}}


class TestABucket:
    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({**FOLDERED, "versioning": {"enabled": True}}, "versioning is not supported"),
            ({**FOLDERED, "uniformBucketLevelAccess": False}, "needs uniform bucket-level access"),
            ({"softDeletePolicy": {"retentionDurationSeconds": 3 * DAY}}, "must be 0 or from 604800 to 7776000"),
            ({"softDeletePolicy": {"retentionDurationSeconds": 91 * DAY}}, "must be 0 or from 604800 to 7776000"),
            ({"customPlacementConfig": {"dataLocations": ["US-EAST4"]}, "location": "US"}, "two different data locations"),
            ({"customPlacementConfig": {"dataLocations": ["US-EAST4", "us-east4"]}, "location": "US"}, "two different data locations"),
            ({"customPlacementConfig": PAIR}, "in one multi-region"),
            ({"rpo": "ASYNC_TURBO"}, "dual-region buckets only"),
            ({"encryption": {"defaultKmsKeyName": KEY}, "location": "EU"}, "a bucket in EU needs a key in europe"),
            ({"name": "my-google-bucket"}, "is not valid"),
            ({"name": "goog-bucket"}, "is not valid"),
            ({"lifecycleRules": [delete(age=0)]}, "needs at least one condition"),
            ({"lifecycleRules": [delete(withState="ANY")]}, "needs at least one condition"),
            ({"lifecycleRules": [move("NEARLINE", age=9)], "storageClass": "COLDLINE"}, "colder classes only"),
            ({"lifecycleRules": [move("NEARLINE", age=9, matchesStorageClasses=["ARCHIVE"])]}, "from ARCHIVE to NEARLINE"),
            ({"lifecycleRules": [move("NEARLINE", age=9)], "autoclass": {"enabled": True}}, "cannot be used with Autoclass"),
            ({"lifecycleRules": [{"action": {"type": "SetStorageClass"}, "condition": {"age": 9}}]}, "needs a storage class"),
            ({"lifecycleRules": [{"action": {"type": "Delete", "storageClass": "NEARLINE"}, "condition": {"age": 9}}]}, "takes no storage"),
            ({"lifecycleRules": [ABORT]}, "takes only the conditions age"),
        ],
    )
    def test_that_contradicts_itself_is_refused(self, engine: Engine, changes: dict[str, Any], says: str):
        assert says in refusal(engine.create, BUCKET, "b", bucket(**changes))
        assert engine.store.resources(BUCKET) == []

    @pytest.mark.parametrize(
        "changes",
        [
            {
                "versioning": {"enabled": True},
                "lifecycleRules": [delete(withState="ARCHIVED", numNewerVersions=3, daysSinceNoncurrentTime=7)],
            },
            {"softDeletePolicy": {"retentionDurationSeconds": 0}},
            {"softDeletePolicy": {"retentionDurationSeconds": 90 * DAY}},
            {"customPlacementConfig": PAIR, "location": "US", "rpo": "ASYNC_TURBO"},
            {"lifecycleRules": [delete(age=0, sendAgeIfZero=True)]},
            {"lifecycleRules": [move("NEARLINE", age=30, withState="LIVE"), move("ARCHIVE", age=90, matchesStorageClasses=["NEARLINE"])]},
            FOLDERED,
        ],
    )
    def test_that_is_right_is_made_and_settles(self, engine: Engine, changes: dict[str, Any]):
        made = engine.create(BUCKET, "b", bucket(**changes))
        assert made.properties["url"] == "gs://lab-checkpoints"
        assert not engine.diff(made, bucket(**changes)).changes

    def test_with_a_key_needs_the_right_of_the_service_agent_first(self, engine: Engine):
        inputs = bucket(encryption={"defaultKmsKeyName": KEY})
        with pytest.raises(grpc.RpcError) as error:
            engine.create(BUCKET, "b", inputs)
        assert error.value.code() is grpc.StatusCode.PERMISSION_DENIED
        engine.create(KEY_MEMBER, "k", {"cryptoKeyId": KEY, "role": KEY_USER, "member": AGENT})
        assert engine.create(BUCKET, "b", inputs).properties["encryption"] == {"defaultKmsKeyName": KEY}

    @pytest.mark.parametrize(
        "change",
        [{"location": "US-EAST4"}, FOLDERED, {"customPlacementConfig": PAIR, "location": "US"}, {"name": "another"}],
        ids=["location", "real folders", "pair of regions", "name"],
    )
    def test_is_replaced_where_google_fixes_a_choice(self, engine: Engine, change: dict[str, Any]):
        made = engine.create(BUCKET, "b", bucket())
        assert engine.diff(made, bucket(**change)).replaces

    def test_changes_its_history_in_place(self, engine: Engine):
        made = engine.create(BUCKET, "b", bucket())
        change = engine.diff(
            made, bucket(versioning={"enabled": True}, softDeletePolicy={"retentionDurationSeconds": 0}, lifecycleRules=[delete(age=9)])
        )
        assert change.changes
        assert change.replaces == []

    def test_has_a_name_that_is_taken_once_in_the_world(self, engine: Engine):
        engine.create(BUCKET, "b", bucket())
        with pytest.raises(grpc.RpcError) as error:
            engine.create(BUCKET, "c", bucket(project="another-project"))
        assert error.value.code() is grpc.StatusCode.ALREADY_EXISTS

    def test_with_a_folder_in_it_is_not_deleted(self, engine: Engine):
        made = engine.create(BUCKET, "b", bucket())
        folder = engine.create(FOLDER, "f", {"bucket": "lab-checkpoints", "name": "runs/vision/"})
        with pytest.raises(grpc.RpcError, match="is not empty"):
            engine.delete(made)
        engine.delete(folder)
        engine.delete(made)
        assert engine.store.resources() == []


class TestAFolder:
    def test_is_known_by_its_whole_name(self, engine: Engine):
        engine.create(BUCKET, "b", bucket())
        made = engine.create(FOLDER, "f", {"bucket": "lab-checkpoints", "name": "runs/vision/"})
        other = engine.create(FOLDER, "g", {"bucket": "lab-checkpoints", "name": "runs/speech/"})
        assert (made.id, other.id) == ("lab-checkpoints/runs/vision/", "lab-checkpoints/runs/speech/")

    def test_needs_a_bucket_with_uniform_access(self, engine: Engine):
        inputs = {"bucket": "lab-checkpoints", "name": "runs/vision/"}
        assert "Not found: bucket lab-checkpoints" in refusal(engine.create, FOLDER, "f", inputs)
        engine.create(BUCKET, "b", bucket(uniformBucketLevelAccess=False))
        assert "need uniform bucket-level access" in refusal(engine.create, FOLDER, "f", inputs)


class TestAGrant:
    @pytest.fixture(autouse=True)
    def places(self, engine: Engine) -> None:
        engine.create(BUCKET, "b", bucket())
        engine.create(FOLDER, "f", {"bucket": "lab-checkpoints", "name": "runs/vision/"})

    def test_on_a_folder_is_of_that_folder_alone(self, engine: Engine):
        inputs = {"bucket": "lab-checkpoints", "managedFolder": "runs/vision/", "role": ROLE, "member": GROUP}
        made = engine.create(FOLDER_MEMBER, "m", inputs)
        assert made.id == f"b/lab-checkpoints/managedFolders/runs/vision/{ROLE}/{GROUP}"
        assert "Not found: managed folder" in refusal(engine.create, FOLDER_MEMBER, "n", {**inputs, "managedFolder": "runs/speech/"})

    def test_to_the_public_is_refused_where_public_access_is_prevented(self, engine: Engine):
        inputs = {"bucket": "lab-checkpoints", "role": ROLE, "member": "allUsers"}
        assert "public access prevention is enforced" in refusal(engine.create, BUCKET_MEMBER, "m", inputs)

    @pytest.mark.parametrize("type_", [BUCKET_MEMBER, FOLDER_MEMBER])
    def test_to_an_account_that_does_not_exist_is_refused(self, engine: Engine, type_: str):
        inputs = {"bucket": "lab-checkpoints", "role": ROLE, "member": f"serviceAccount:nobody@{PROJECT}.iam.gserviceaccount.com"}
        folder = {"managedFolder": "runs/vision/"} if type_ == FOLDER_MEMBER else {}
        assert "does not exist" in refusal(engine.create, type_, "m", {**inputs, **folder})
