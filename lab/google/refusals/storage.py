"""Buckets, managed folders and their grants: what Cloud Storage is known to refuse; not taken from a document."""

from collections.abc import Callable, Iterator

from lab.google.refusal import Refusal, bad_request, not_found
from lab.google.refusals.identity import member_exists
from lab.google.refusals.write import Removal, Write
from lab.google.store import Store
from lab.google.values import Document, find, first

STORAGE_AGENTS = "gs-project-accounts.iam.gserviceaccount.com"
"""Domain of the accounts that Cloud Storage works as, one a project."""

_BUCKET = "gcp:storage/bucket:Bucket"
_BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
_FOLDER = "gcp:storage/managedFolder:ManagedFolder"
_FOLDER_MEMBER = "gcp:storage/managedFolderIamMember:ManagedFolderIamMember"
_KEY_MEMBER = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
_KEY_USER = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
_PUBLIC = ("allUsers", "allAuthenticatedUsers")
_DAY = 24 * 3600
_SOFT_DELETE = (7 * _DAY, 90 * _DAY)
_COLDNESS = ("STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE")
# Multi-regions of Cloud Storage whose keys have another name.
_KEY_LOCATIONS = {"EU": "europe"}
_FREE_FOR_ABORT = {"age", "matchesPrefixes", "matchesSuffixes"}
_IF_ZERO = {
    "age": "sendAgeIfZero",
    "daysSinceNoncurrentTime": "sendDaysSinceNoncurrentTimeIfZero",
    "numNewerVersions": "sendNumNewerVersionsIfZero",
    "daysSinceCustomTime": "sendDaysSinceCustomTimeIfZero",
}
_REGIONS_OF_A_PAIR = 2


def _name(write: Write) -> Iterator[Refusal]:
    name = write.document["name"]
    if name.startswith("goog") or "google" in name:
        yield bad_request(f"The specified bucket is not valid: {name!r} begins with 'goog' or contains 'google'")


def _history(write: Write) -> Iterator[Refusal]:
    hierarchical = write.get("hierarchicalNamespace.enabled", False)
    uniform = write.get("uniformBucketLevelAccess", False)
    if hierarchical and write.get("versioning.enabled", False):
        yield bad_request("Object versioning is not supported for buckets with hierarchical namespace")
    if hierarchical and not uniform:
        yield bad_request("Hierarchical namespace needs uniform bucket-level access")
    seconds = write.get("softDeletePolicy.retentionDurationSeconds", 0)
    least, largest = _SOFT_DELETE
    if seconds and not least <= seconds <= largest:
        yield bad_request(f"Soft delete retention must be 0 or from {least} to {largest} seconds (7 to 90 days), got {seconds}")


def _place(write: Write) -> Iterator[Refusal]:
    pair = write.get("customPlacementConfig.dataLocations")
    location = write.document["location"].upper()
    if pair is not None and (len({region.upper() for region in pair}) != _REGIONS_OF_A_PAIR or "-" in location):
        yield bad_request(f"A dual-region has two different data locations in one multi-region, got {', '.join(pair)} in {location}")
    if write.get("rpo") == "ASYNC_TURBO" and pair is None:
        yield bad_request("The RPO ASYNC_TURBO is supported for dual-region buckets only")


def _key(write: Write) -> Iterator[Refusal]:
    key = write.get("encryption.defaultKmsKeyName")
    if not key:
        return
    location = write.document["location"].upper()
    wanted, given = _KEY_LOCATIONS.get(location, location.lower()), key.split("/")[3]
    if given != wanted:
        yield bad_request(f"The Cloud KMS key {key} is in {given}; a bucket in {location} needs a key in {wanted}")
    if not any(grant["cryptoKeyId"] == key and grant["role"] == _KEY_USER and _is_agent(grant) for grant in _documents(write, _KEY_MEMBER)):
        yield Refusal(
            403,
            f"Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use {key}",
            "forbidden",
        )


def _is_agent(grant: Document) -> bool:
    return str(grant["member"]).startswith("serviceAccount:service-") and str(grant["member"]).endswith(f"@{STORAGE_AGENTS}")


def _documents(write: Write, type_: str) -> list[Document]:
    return [record.document for record in write.store.resources(type_)]


def _lifecycle(write: Write) -> Iterator[Refusal]:
    automatic = write.get("autoclass.enabled", False)
    for _, rule in find(write.document, "lifecycleRules[]"):
        action, condition = rule["action"], rule["condition"]
        given = {
            key for key, value in condition.items() if not key.startswith("send") and (value or condition.get(_IF_ZERO.get(key, ""), False))
        }
        if not given - {"withState"} and condition.get("withState", "ANY") == "ANY":
            yield bad_request(f"A lifecycle rule with the action {action['type']} needs at least one condition")
        if action["type"] == "AbortIncompleteMultipartUpload" and given - _FREE_FOR_ABORT - {"withState"}:
            yield bad_request("AbortIncompleteMultipartUpload takes only the conditions age, matchesPrefix and matchesSuffix")
        if action["type"] == "SetStorageClass":
            yield from _colder(write, action.get("storageClass"), condition.get("matchesStorageClasses"), automatic)
        elif action.get("storageClass"):
            yield bad_request(f"The action {action['type']} takes no storage class")


def _colder(write: Write, target: str | None, matched: list[str] | None, automatic: bool) -> Iterator[Refusal]:
    if target is None:
        yield bad_request("SetStorageClass needs a storage class")
        return
    if automatic:
        yield bad_request("SetStorageClass cannot be used with Autoclass")
    for source in matched or [write.get("storageClass", "STANDARD")]:
        if source in _COLDNESS and target in _COLDNESS and _COLDNESS.index(target) <= _COLDNESS.index(source):
            yield bad_request(f"SetStorageClass from {source} to {target} is not supported: objects move to colder classes only")


def _in_bucket(write: Write) -> Iterator[Refusal]:
    bucket = write.store.get(write.document["bucket"], _BUCKET)
    if bucket is None:
        yield not_found(f"bucket {write.document['bucket']}")
    elif not bucket.document.get("uniformBucketLevelAccess", False):
        yield bad_request(f"Managed folders need uniform bucket-level access on the bucket {write.document['bucket']}")


def _grantable(write: Write) -> Iterator[Refusal]:
    bucket = write.store.get(write.document["bucket"], _BUCKET)
    if bucket is None:
        yield not_found(f"bucket {write.document['bucket']}")
    elif write.document["member"] in _PUBLIC and bucket.document.get("publicAccessPrevention") == "enforced":
        yield bad_request(
            "The member bindings allUsers and allAuthenticatedUsers are not allowed since public access prevention is enforced"
        )


def _folder_exists(write: Write) -> Iterator[Refusal]:
    id_ = f"{write.document['bucket']}/{write.document['managedFolder']}"
    if not write.store.get(id_, _FOLDER):
        yield not_found(f"managed folder {id_}")


def _empty(removal: Removal) -> Iterator[Refusal]:
    folders = _folders(removal.store, removal.id)
    if folders and not first(removal.document, "forceDestroy", False):
        yield Refusal(409, f"The bucket you tried to delete is not empty: {removal.id} has {', '.join(folders)}", "conflict")


def _folders(store: Store, bucket: str) -> list[str]:
    return [record.document["name"] for record in store.resources(_FOLDER) if record.document["bucket"] == bucket]


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    _BUCKET: (_name, _history, _place, _key, _lifecycle),
    _FOLDER: (_in_bucket,),
    _BUCKET_MEMBER: (_grantable, member_exists),
    _FOLDER_MEMBER: (_folder_exists, _grantable, member_exists),
    _KEY_MEMBER: (member_exists,),
}
DELETES: dict[str, tuple[Callable[[Removal], Iterator[Refusal]], ...]] = {_BUCKET: (_empty,)}
