"""Cases of the rules on buckets."""

from dataclasses import replace

from hybrid_pools.blueprint.vocabulary import COST_CENTER_LABEL, ENVIRONMENT_LABEL, TEAM_LABEL
from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, Kind, more, six
from tests.policies.given import ABSENT, UNKNOWN, Given

BOUNDS: dict[str, object] = {"withState": "ARCHIVED", "numNewerVersions": 3, "daysSinceNoncurrentTime": 14}
KEEP = {
    "action": {"type": "Delete"},
    "condition": BOUNDS,
}
ABORT = {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7}}
ARCHIVE = {"action": {"type": "SetStorageClass", "storageClass": "NEARLINE"}, "condition": {"age": 90, "withState": "LIVE"}}
BUCKET = Given(
    "gcp:storage/bucket:Bucket",
    {
        "name": "acme-prod-checkpoints",
        "location": "US-CENTRAL1",
        "forceDestroy": False,
        "labels": {TEAM_LABEL: "ml", COST_CENTER_LABEL: "cc-1", ENVIRONMENT_LABEL: "prod"},
        "lifecycleRules": [KEEP, ARCHIVE, ABORT],
        "publicAccessPrevention": "enforced",
        "softDeletePolicy": {"retentionDurationSeconds": 604800},
        "uniformBucketLevelAccess": True,
        "versioning": {"enabled": True},
    },
    name="bucket",
    protect=True,
)
FOLDERED = BUCKET.but({"versioning": ABSENT, "hierarchicalNamespace": {"enabled": True}, "lifecycleRules": [ABORT]})
BINDING = Given(
    "gcp:storage/bucketIAMBinding:BucketIAMBinding",
    {"bucket": "checkpoints", "role": "roles/storage.objectUser", "members": ["serviceAccount:train@acme.iam.gserviceaccount.com"]},
    name="bucket-binding",
)
FOLDER_BINDING = replace(BINDING, type="gcp:storage/managedFolderIamBinding:ManagedFolderIamBinding", name="folder-binding")
UNPROTECTED = replace(BUCKET, protect=False)
COMPLIANT = (BUCKET, replace(FOLDERED, name="bucket-with-folders"))
SPOILABLE = (*COMPLIANT, BINDING)


def with_rule(condition: object, action: str = "Delete") -> Given:
    """The bucket with one more rule."""
    return BUCKET.but({"lifecycleRules": [KEEP, {"action": {"type": action}, "condition": condition}, ABORT]})


def old(**changes: object) -> dict[str, object]:
    """The conditions of a rule that keeps what is new, changed; None removes one."""
    return {key: value for key, value in {**BOUNDS, **changes}.items() if value is not None}


CASES: list[Case] = [
    *six("BUCKET-001", BUCKET, "versioning.enabled", violating=False, absent=VIOLATES, wrong="on"),
    more("BUCKET-001", "real folders instead", FOLDERED, PASSES),
    more("BUCKET-001", "both", FOLDERED.but({"versioning.enabled": True}), VIOLATES),
    more("BUCKET-001", "real folders, versions not known", FOLDERED.but({"versioning": UNKNOWN}), WAITS),
    *six("BUCKET-002", BUCKET, "lifecycleRules", violating=[{"action": {"type": "Delete"}, "condition": {"age": 30}}], absent=PASSES),
    more("BUCKET-002", "without a state", with_rule(old(withState=None)), VIOLATES),
    more("BUCKET-002", "any state", with_rule(old(withState="ANY")), VIOLATES),
    more("BUCKET-002", "live objects", with_rule(old(withState="LIVE")), VIOLATES),
    more("BUCKET-002", "by number alone", with_rule(old(daysSinceNoncurrentTime=None)), VIOLATES),
    more("BUCKET-002", "by age alone", with_rule(old(numNewerVersions=None)), VIOLATES),
    more("BUCKET-002", "no versions kept", with_rule(old(numNewerVersions=0)), VIOLATES),
    more("BUCKET-002", "no days kept", with_rule(old(daysSinceNoncurrentTime=0)), VIOLATES),
    more("BUCKET-002", "zeros sent", with_rule(old(sendAgeIfZero=True)), VIOLATES),
    more("BUCKET-002", "zeros not sent", with_rule(old(sendAgeIfZero=False)), PASSES),
    more(
        "BUCKET-002",
        "one bound not known, the other zero",
        with_rule(old(numNewerVersions=UNKNOWN, daysSinceNoncurrentTime=0)),
        Expected.VIOLATES_AND_WAITS,
    ),
    more("BUCKET-002", "another action", with_rule({"age": 1}, action="SetStorageClass"), PASSES),
    more("BUCKET-002", "action not known", BUCKET.but({"lifecycleRules": [{"action": UNKNOWN, "condition": {}}]}), WAITS),
    *six("BUCKET-003", BUCKET, "uniformBucketLevelAccess", violating=False, absent=VIOLATES, wrong="on"),
    *six("BUCKET-004", BUCKET, "publicAccessPrevention", violating="inherited", absent=VIOLATES),
    *six("BUCKET-005", BUCKET, "forceDestroy", violating=True, absent=PASSES, wrong="off"),
    *six("BUCKET-006", BUCKET, "softDeletePolicy.retentionDurationSeconds", violating=3 * 86400, absent=VIOLATES, wrong="week"),
    more("BUCKET-006", "off on purpose", BUCKET.but({"softDeletePolicy.retentionDurationSeconds": 0}), PASSES),
    more("BUCKET-006", "longer than Google keeps it", BUCKET.but({"softDeletePolicy.retentionDurationSeconds": 91 * 86400}), VIOLATES),
    more("BUCKET-006", "left to Google", BUCKET.but({"softDeletePolicy": ABSENT}), VIOLATES),
    Case("BUCKET-007", Kind.COMPLIANT, (BUCKET,), PASSES),
    Case("BUCKET-007", Kind.VIOLATING, (UNPROTECTED,), VIOLATES),
    Case("BUCKET-007", Kind.ABSENT, (UNPROTECTED.but({f"labels.{ENVIRONMENT_LABEL}": ABSENT}),), PASSES),
    Case("BUCKET-007", Kind.NULL, (UNPROTECTED.but({"labels": None}),), PASSES),
    Case("BUCKET-007", Kind.UNKNOWN, (UNPROTECTED.but({"labels": UNKNOWN}),), WAITS),
    Case("BUCKET-007", Kind.WRONG_TYPE, (UNPROTECTED.but({"labels": 7}),), Expected.NOT_UNDERSTOOD),
    more("BUCKET-007", "another environment", UNPROTECTED, PASSES, protectedEnvironments=["live"]),
    *six("BUCKET-008", BUCKET, "lifecycleRules", violating=[{**KEEP, "condition": old(matchesSuffixes=[".txt"])}], absent=PASSES),
    more("BUCKET-008", "a folder", with_rule(old(matchesPrefixes=["runs/tmp/"])), PASSES),
    more("BUCKET-008", "the beginning of names", with_rule(old(matchesPrefixes=["runs/run-1"])), VIOLATES),
    more("BUCKET-008", "one prefix not known", with_rule(old(matchesPrefixes=[UNKNOWN, "run-1"])), Expected.VIOLATES_AND_WAITS),
    more("BUCKET-008", "another action by suffix", with_rule({"age": 1, "matchesSuffixes": [".log"]}, action="SetStorageClass"), PASSES),
    Case("BUCKET-009", Kind.COMPLIANT, (BUCKET,), PASSES),
    Case("BUCKET-009", Kind.VIOLATING, (BINDING,), VIOLATES),
    Case("BUCKET-009", Kind.ABSENT, (BINDING.but({"members": ABSENT}),), VIOLATES),
    Case("BUCKET-009", Kind.NULL, (BINDING.but({"members": None}),), VIOLATES),
    Case("BUCKET-009", Kind.UNKNOWN, (BINDING.but({"members": UNKNOWN}),), VIOLATES),
    Case("BUCKET-009", Kind.WRONG_TYPE, (BINDING.but({"members": 7}),), VIOLATES),
    more("BUCKET-009", "on a folder", FOLDER_BINDING, VIOLATES),
    *six("BUCKET-010", BUCKET, f"labels.{TEAM_LABEL}", violating="", absent=VIOLATES),
    *six("BUCKET-011", BUCKET, "lifecycleRules", violating=[KEEP], absent=VIOLATES),
    more("BUCKET-011", "one action not known", BUCKET.but({"lifecycleRules": [{"action": UNKNOWN, "condition": {}}, ABORT]}), PASSES),
]
