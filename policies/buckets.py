"""Rules on buckets: what keeps their objects, who can reach them, and what may remove them. Each is pure: it reads one resource."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from hybrid_pools.blueprint.lifecycle import Action, State
from hybrid_pools.blueprint.vocabulary import ENVIRONMENT_LABEL, POOL_ROLE_LABEL, REQUIRED_RESOURCE_LABELS
from policies.clusters import is_filled
from policies.reading import Value, all_true, any_true
from policies.rule import Finding, Severity, Verdict, View, judge_each, rule
from policies.views import PROTECTED_ENVIRONMENTS

_LIFECYCLE_PAGE = "https://cloud.google.com/storage/docs/lifecycle"
_DAY = 24 * 3600
_SOFT_DELETE_DAYS = (7, 90)
_IF_ZERO = ("sendAgeIfZero", "sendDaysSinceCustomTimeIfZero", "sendDaysSinceNoncurrentTimeIfZero", "sendNumNewerVersionsIfZero")


@dataclass(frozen=True)
class BucketInputs(View):
    """A bucket."""

    TYPES = ("gcp:storage/bucket:Bucket",)

    @property
    def environment(self) -> str | None:
        """The environment by its label."""
        return self.at("labels").of(ENVIRONMENT_LABEL).text()

    @property
    def has_versions(self) -> bool:
        """Whether replaced and deleted objects are kept."""
        return bool(self.at("versioning.enabled").flag())

    @property
    def has_real_folders(self) -> bool:
        """Whether the bucket has a hierarchical namespace, and with it no versions."""
        return bool(self.at("hierarchicalNamespace.enabled").flag())

    @property
    def rules(self) -> list[Value]:
        """The lifecycle rules."""
        return self.at("lifecycleRules").items()


@dataclass(frozen=True)
class BucketBindingInputs(View):
    """All members of one role on a bucket or a managed folder."""

    TYPES = (
        "gcp:storage/bucketIAMBinding:BucketIAMBinding",
        "gcp:storage/managedFolderIamBinding:ManagedFolderIamBinding",
    )


@rule(
    id="BUCKET-001",
    title="A bucket keeps versions, or has real folders, never both",
    severity=Severity.MANDATORY,
    why="With neither, what is overwritten is gone and renames are copies. Google has no versions where folders are real.",
    fix="Set versioning.enabled, or hierarchicalNamespace.enabled and a soft delete of at least 7 days.",
    links=("https://cloud.google.com/storage/docs/object-versioning", "https://cloud.google.com/storage/docs/hns-overview"),
)
def has_one_kind_of_history(bucket: BucketInputs) -> Iterator[Verdict]:
    if not any_true([lambda: bucket.has_versions, lambda: bucket.has_real_folders]):
        yield Finding("versioning", "is off, and there is no hierarchical namespace")
    elif all_true([lambda: bucket.has_versions, lambda: bucket.has_real_folders]):
        yield Finding("versioning", "is on together with a hierarchical namespace")


@rule(
    id="BUCKET-002",
    title="Lifecycle deletes only replaced versions, by number and age together",
    severity=Severity.MANDATORY,
    why=(
        "Without the state ARCHIVED a rule deletes live objects. With one bound alone, or with two rules, it deletes what the other should "
        "have kept. Google's provider drops a zero, and the rule then matches everything."
    ),
    fix="Write one Delete rule with withState ARCHIVED, numNewerVersions and daysSinceNoncurrentTime, both at least 1.",
    links=(_LIFECYCLE_PAGE, "https://github.com/hashicorp/terraform-provider-google/issues/17990"),
)
def deletes_only_old_versions(bucket: BucketInputs) -> Iterator[Verdict]:
    yield from judge_each(bucket.rules, _keeps_what_is_new)


def _keeps_what_is_new(lifecycle: Value) -> Iterator[Verdict]:
    if lifecycle.at("action.type").text() == Action.DELETE:
        condition = lifecycle.at("condition")
        yield from judge_each([condition], _sees_only_old_versions)
        for bound in ("numNewerVersions", "daysSinceNoncurrentTime"):
            yield from judge_each([condition.at(bound)], _is_positive)
        for switch in _IF_ZERO:
            yield from judge_each([condition.at(switch)], _is_off)


def _sees_only_old_versions(condition: Value) -> Iterator[Verdict]:
    state = condition.at("withState").text()
    if state != State.ARCHIVED:
        yield Finding(f"{condition.path}.withState", f"is {state or 'missing'}, so live objects are deleted")


def _is_positive(bound: Value) -> Iterator[Verdict]:
    number = bound.number()
    if number is None or number < 1:
        yield Finding(bound.path, "is missing" if number is None else f"is {number}")


def _is_off(switch: Value) -> Iterator[Verdict]:
    if switch.flag():
        yield Finding(switch.path, "sends a bound of zero, which matches everything")


@rule(
    id="BUCKET-003",
    title="Access to a bucket is granted by IAM alone",
    severity=Severity.MANDATORY,
    why="Access lists of single objects are in no policy, no review and no table of rights. Managed folders need uniform access.",
    fix="Set uniformBucketLevelAccess.",
    links=("https://cloud.google.com/storage/docs/uniform-bucket-level-access",),
)
def access_is_uniform(bucket: BucketInputs) -> Iterator[Verdict]:
    if not bucket.at("uniformBucketLevelAccess").flag():
        yield Finding("uniformBucketLevelAccess", "is off")


@rule(
    id="BUCKET-004",
    title="A bucket can never be made public",
    severity=Severity.MANDATORY,
    why="One grant to allUsers by mistake publishes datasets and models to the internet.",
    fix="Set publicAccessPrevention to enforced.",
    links=("https://cloud.google.com/storage/docs/public-access-prevention",),
)
def is_never_public(bucket: BucketInputs) -> Iterator[Verdict]:
    text = bucket.at("publicAccessPrevention").text()
    if text != "enforced":
        yield Finding("publicAccessPrevention", f"is {text or 'missing'}")


@rule(
    id="BUCKET-005",
    title="A bucket with objects cannot be deleted",
    severity=Severity.MANDATORY,
    why="forceDestroy first deletes every object and every version. A rename or a destroy is then the end of all checkpoints.",
    fix="Leave forceDestroy off, and empty a bucket by hand before its removal.",
    links=("https://www.pulumi.com/registry/packages/gcp/api-docs/storage/bucket/",),
)
def is_not_emptied(bucket: BucketInputs) -> Iterator[Verdict]:
    if bucket.at("forceDestroy").flag():
        yield Finding("forceDestroy", "is on")


@rule(
    id="BUCKET-006",
    title="Soft delete is set on purpose",
    severity=Severity.MANDATORY,
    why=(
        "Google's default of 7 days bills every checkpoint that is pruned for a week more; none at all leaves no way back. Google refuses "
        "what is neither 0 nor 7 to 90 days."
    ),
    fix="Set softDeletePolicy.retentionDurationSeconds to 0, or to between 604800 and 7776000.",
    links=("https://cloud.google.com/storage/docs/soft-delete",),
)
def soft_delete_is_decided(bucket: BucketInputs) -> Iterator[Verdict]:
    seconds = bucket.at("softDeletePolicy.retentionDurationSeconds").number()
    least, most = _SOFT_DELETE_DAYS
    if seconds is None:
        yield Finding("softDeletePolicy.retentionDurationSeconds", "is missing, so Google's default of 7 days holds")
    elif seconds != 0 and not least * _DAY <= seconds <= most * _DAY:
        yield Finding("softDeletePolicy.retentionDurationSeconds", f"is {seconds} s, which Google refuses")


@rule(
    id="BUCKET-007",
    title="The buckets of a protected environment cannot be deleted",
    severity=Severity.MANDATORY,
    why="A mistaken rename or destroy would take the data of every team with it.",
    fix="Set the resource option protect; the environment's field protected does it.",
    links=("https://www.pulumi.com/docs/iac/concepts/options/protect/",),
    settings=(PROTECTED_ENVIRONMENTS,),
)
def is_protected(bucket: BucketInputs) -> Iterator[Verdict]:
    if not bucket.resource.options.protect and bucket.environment in bucket.setting(PROTECTED_ENVIRONMENTS):
        yield Finding("", "the resource option protect is not set")


@rule(
    id="BUCKET-008",
    title="Lifecycle never deletes by the end of a name, and by its beginning only whole folders",
    severity=Severity.MANDATORY,
    why=(
        "A suffix such as .txt strips commit markers like commit_success.txt off checkpoints, which then count as unfinished. A prefix "
        "without a slash at its end matches neighbours: run-1 also means run-10."
    ),
    fix="Leave out matchesSuffixes, and end each of matchesPrefixes with /.",
    links=(_LIFECYCLE_PAGE, "https://github.com/google/orbax/issues/394"),
)
def deletes_whole_folders(bucket: BucketInputs) -> Iterator[Verdict]:
    yield from judge_each(bucket.rules, _goes_by_folder)


def _goes_by_folder(lifecycle: Value) -> Iterator[Verdict]:
    if lifecycle.at("action.type").text() == Action.DELETE:
        suffixes = lifecycle.at("condition.matchesSuffixes")
        yield from judge_each([suffixes], _is_empty)
        yield from judge_each([lifecycle.at("condition.matchesPrefixes")], _are_folders)


def _is_empty(suffixes: Value) -> Iterator[Verdict]:
    if suffixes.items():
        yield Finding(suffixes.path, "deletes by suffix")


def _are_folders(prefixes: Value) -> Iterator[Verdict]:
    yield from judge_each(prefixes.items(), _is_folder)


def _is_folder(prefix: Value) -> Iterator[Verdict]:
    text = prefix.text()
    if text is not None and not text.endswith("/"):
        yield Finding(prefix.path, f"is {text}, which also matches longer names")


@rule(
    id="BUCKET-009",
    title="Rights on buckets and folders are granted one by one",
    severity=Severity.MANDATORY,
    why="A binding owns the whole role: it takes away what another stack, a team or Google itself has granted, without saying so.",
    fix="Use BucketIAMMember and ManagedFolderIamMember.",
    links=("https://www.pulumi.com/registry/packages/gcp/api-docs/storage/bucketiammember/",),
)
def members_are_added(binding: BucketBindingInputs) -> Iterator[Verdict]:
    yield Finding("", f"replaces every member of a role: {binding.resource.name}")


@rule(
    id="BUCKET-010",
    title="A bucket says who owns it and who pays",
    severity=Severity.MANDATORY,
    why="What carries no owner is nobody's, and the bill cannot be split. Rules on protected environments go by these labels.",
    fix="Set the labels; the environment's configuration has a field for each.",
    links=("https://cloud.google.com/storage/docs/tags-and-labels",),
)
def is_labelled(bucket: BucketInputs) -> Iterator[Verdict]:
    labels = bucket.at("labels")
    yield from judge_each((labels.of(key) for key in REQUIRED_RESOURCE_LABELS if key != POOL_ROLE_LABEL), is_filled)


@rule(
    id="BUCKET-011",
    title="Unfinished uploads are removed",
    severity=Severity.ADVISORY,
    why="Nodes that are taken back leave parts of uploads behind. They are billed for ever and appear in no listing.",
    fix="Add a lifecycle rule with the action AbortIncompleteMultipartUpload and an age of some days.",
    links=("https://cloud.google.com/storage/docs/multipart-uploads",),
)
def uploads_are_aborted(bucket: BucketInputs) -> Iterator[Verdict]:
    if not any_true([partial(_aborts, lifecycle) for lifecycle in bucket.rules]):
        yield Finding("lifecycleRules", "has no AbortIncompleteMultipartUpload")


def _aborts(lifecycle: Value) -> bool:
    return lifecycle.at("action.type").text() == Action.ABORT_UPLOAD
