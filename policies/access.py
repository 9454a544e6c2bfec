"""Rules on who gets in: people by group, contractors until a day, automation without keys."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from policies.reading import Value
from policies.rule import Finding, Setting, Severity, Stack, Verdict, View, judge_each, names, rule
from policies.views import GrantInputs, ProjectGrantInputs

_PERSON = re.compile(r"(user|domain):.+")
_WHOLE_POOL = re.compile(r"principalSet://.+/workloadIdentityPools/[^/]+/\*")
_END = re.compile(r"request\.time\s*<=?\s*timestamp\(")
_SECRETS_EVERYWHERE = ("roles/container.developer", "roles/container.admin")
_OVER_EVERY_ACCOUNT = (
    "roles/iam.serviceAccountKeyAdmin",
    "roles/iam.serviceAccountTokenCreator",
    "roles/iam.serviceAccountUser",
    "roles/iam.workloadIdentityUser",
)
_READS_LOGS = ("roles/logging.admin", "roles/logging.privateLogViewer", "roles/logging.viewAccessor", "roles/logging.viewer")
_CHANGES = (
    "roles/container.admin",
    "roles/container.clusterAdmin",
    "roles/iam.securityAdmin",
    "roles/logging.admin",
    "roles/logging.configWriter",
    "roles/monitoring.admin",
    "roles/monitoring.editor",
    "roles/resourcemanager.projectIamAdmin",
)
_SHARED_ISSUERS = ("https://token.actions.githubusercontent.com", "https://gitlab.com", "https://app.terraform.io")
"""Issuers that sign tokens for everybody who has an account there."""

_PINNED = re.compile(r"""assertion\.(?P<claim>\w+)\s*==\s*["'][^"'*]+["']""")
_REPOSITORY_CLAIMS = frozenset({"project_path", "repository", "repository_id"})
_REF_CLAIMS = frozenset({"base_ref", "ref"})

CONTRACTOR_WORDS: Setting[tuple[str, ...]] = Setting(
    key="words",
    meaning="Words in the address of a group that say that its people come from outside.",
    default=("contractor", "external", "freelance", "partner", "vendor"),
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)
ROTATION_DAYS: Setting[int] = Setting(
    key="days",
    meaning="Longest time in days between two versions of a key.",
    default=90,
    schema={"type": "integer"},
    read=Value.number,
)


@dataclass(frozen=True)
class IdentityProviderInputs(View):
    """A provider of a workload identity pool."""

    TYPES = ("gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider",)


@dataclass(frozen=True)
class HmacKeyInputs(View):
    """A key for the S3-compatible interface of Cloud Storage."""

    TYPES = ("gcp:storage/hmacKey:HmacKey",)


@dataclass(frozen=True)
class EncryptionKeyInputs(View):
    """A key of Cloud KMS."""

    TYPES = ("gcp:kms/cryptoKey:CryptoKey",)


@dataclass(frozen=True)
class WholePolicyInputs(View):
    """A whole policy of anything of Google Cloud, which replaces every grant that is there."""

    @classmethod
    def reads(cls, token: str) -> bool:
        """Every type that sets a policy, whatever it is of."""
        return token.startswith("gcp:") and token.lower().endswith("iampolicy")


@rule(
    id="ACCESS-001",
    title="Rights go to groups, not to persons or domains",
    severity=Severity.MANDATORY,
    why="A person who leaves keeps what was granted by name until somebody remembers, and a domain is everybody who will ever join.",
    fix="Make a group, grant it the role, and let its owner say who is in it.",
    links=("https://cloud.google.com/iam/docs/groups-best-practices",),
)
def member_is_no_person(grant: GrantInputs) -> Iterator[Verdict]:
    yield from judge_each(grant.members, _no_person)


def _no_person(member: Value) -> Iterator[Verdict]:
    text = member.text()
    if text is not None and _PERSON.fullmatch(text):
        yield Finding(member.path, f"is {text}")


@rule(
    id="ACCESS-002",
    title="Rights of people from outside end by themselves",
    severity=Severity.MANDATORY,
    why="Contracts end, and nobody is told to take the rights away. A condition on time needs nobody.",
    fix='Add a condition like request.time < timestamp("2027-07-01T00:00:00Z"), or list the group under access.contractors.',
    links=("https://cloud.google.com/iam/docs/configuring-temporary-access",),
    settings=(CONTRACTOR_WORDS,),
)
def outsider_has_an_end(grant: GrantInputs) -> Iterator[Verdict]:
    words = grant.setting(CONTRACTOR_WORDS)
    yield from judge_each(grant.members, partial(_ends, grant, words))


def _ends(grant: GrantInputs, words: Sequence[str], member: Value) -> Iterator[Verdict]:
    text = member.text()
    if text is None or not text.startswith("group:"):
        return
    local = text.removeprefix("group:").partition("@")[0].lower()
    if any(word.lower() in local for word in words) and not _END.search(grant.at("condition.expression").text() or ""):
        yield Finding("condition", f"has no end for {text}")


@rule(
    id="ACCESS-003",
    title="Automation gets in from one repository and one branch",
    severity=Severity.MANDATORY,
    why="A public issuer signs tokens for everybody. Without both conditions any repository, or anybody who may push a branch, can deploy.",
    fix='Set attributeCondition to assertion.repository == "owner/name" && assertion.ref == "refs/heads/main", without wildcards.',
    links=("https://cloud.google.com/iam/docs/workload-identity-federation-with-deployment-pipelines",),
)
def provider_is_pinned(provider: IdentityProviderInputs) -> Iterator[Verdict]:
    issuer = provider.at("oidc.issuerUri").text()
    if issuer is None or issuer.rstrip("/") not in _SHARED_ISSUERS:
        return
    condition = provider.at("attributeCondition").text() or ""
    # Every alternative must be pinned by itself: the weakest one decides who gets in.
    for alternative in condition.split("||"):
        claims = {match["claim"] for match in _PINNED.finditer(alternative)}
        if not claims & _REPOSITORY_CLAIMS:
            yield Finding("attributeCondition", "names no repository" if condition else "is missing, so every repository gets in")
        elif not claims & _REF_CLAIMS:
            yield Finding("attributeCondition", "names no branch, so whoever may push any branch gets in")


@rule(
    id="ACCESS-004",
    title="No grant is for a whole identity pool",
    severity=Severity.MANDATORY,
    why="Everybody who gets into the pool by any of its providers would have the role, those that are added later too.",
    fix="Grant it to one subject, or to a set by an attribute that the provider maps.",
    links=("https://cloud.google.com/iam/docs/principal-identifiers",),
)
def member_is_no_whole_pool(grant: GrantInputs) -> Iterator[Verdict]:
    yield from judge_each(grant.members, _no_whole_pool)


def _no_whole_pool(member: Value) -> Iterator[Verdict]:
    text = member.text()
    if text is not None and _WHOLE_POOL.fullmatch(text):
        yield Finding(member.path, "is every identity of the pool")


@rule(
    id="ACCESS-005",
    title="Buckets have no HMAC keys",
    severity=Severity.MANDATORY,
    why="Such a key never expires by itself, works from anywhere and would lie in plain text in the state of this stack.",
    fix="Use Workload Identity Federation; Google's client libraries and gcsfuse need no key.",
    links=("https://cloud.google.com/storage/docs/authentication/hmackeys",),
)
def no_hmac_key(key: HmacKeyInputs) -> Iterator[Verdict]:
    yield Finding("", f"makes a long-lived key: {key.resource.name}")


@rule(
    id="ACCESS-006",
    title="Nobody acts as every account of a project",
    severity=Severity.MANDATORY,
    why="On the project these roles cover all accounts, those of nodes and of deployments too, and so all that any of them may do.",
    fix="Grant the role on the one account that is needed.",
    links=("https://cloud.google.com/iam/docs/best-practices-service-accounts",),
)
def accounts_are_granted_one_by_one(grant: ProjectGrantInputs) -> Iterator[Verdict]:
    role = grant.at("role").text()
    if role in _OVER_EVERY_ACCOUNT:
        yield Finding("role", f"is {role} on the project")


@rule(
    id="ACCESS-007",
    title="Encryption keys rotate",
    severity=Severity.MANDATORY,
    why="A key that is never replaced protects ever more data, and a leak of it is a leak of everything.",
    fix='Set rotationPeriod to 90 days, "7776000s", or less. Old data stays readable: Cloud KMS keeps the old versions.',
    links=("https://cloud.google.com/kms/docs/key-rotation",),
    settings=(ROTATION_DAYS,),
)
def key_rotates(key: EncryptionKeyInputs) -> Iterator[Verdict]:
    if key.at("purpose").text() not in (None, "ENCRYPT_DECRYPT"):
        return
    period, longest = key.at("rotationPeriod").text(), key.setting(ROTATION_DAYS)
    seconds = re.fullmatch(r"(\d+)(\.\d+)?s", period or "")
    if seconds is None:
        yield Finding("rotationPeriod", f"is {period}, no number of seconds like 7776000s" if period else "is missing")
    elif int(seconds[1]) > longest * 24 * 3600:
        yield Finding("rotationPeriod", f"is {period}, longer than {longest} days")


@rule(
    id="ACCESS-008",
    title="Grants are added one by one, and no policy is replaced as a whole",
    severity=Severity.MANDATORY,
    why="A whole policy takes away every grant that it does not name, Google's own agents and the way back in too.",
    fix="Declare an IAMMember for each grant.",
    links=("https://cloud.google.com/iam/docs/granting-changing-revoking-access",),
)
def no_whole_policy(policy: WholePolicyInputs) -> Iterator[Verdict]:
    yield Finding("", f"replaces a whole policy: {policy.resource.name}")


@rule(
    id="ACCESS-009",
    title="No group reads secrets of every namespace without an end",
    severity=Severity.MANDATORY,
    why="On the project these roles read secrets and run commands in all namespaces, whatever the namespaces' own rules say.",
    fix="Grant roles/container.clusterViewer and bind the group to a role in its namespace; for emergencies use access.breakGlass.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/iam",),
)
def cluster_is_not_open_to_groups(grant: ProjectGrantInputs) -> Iterator[Verdict]:
    role = grant.at("role").text()
    if role is None or role not in _SECRETS_EVERYWHERE:
        return
    yield from judge_each(grant.members, partial(_no_open_end, grant, role))


def _no_open_end(grant: ProjectGrantInputs, role: str, member: Value) -> Iterator[Verdict]:
    text = member.text()
    if text is not None and text.startswith("group:") and not _END.search(grant.at("condition.expression").text() or ""):
        yield Finding("role", f"is {role} for {text} without an end")


@rule(
    id="ACCESS-010",
    title="Who reads logs does not change what is logged",
    severity=Severity.MANDATORY,
    why="One group with both could look at everything and remove the traces of it.",
    fix="Grant the two to different groups.",
    links=("https://cloud.google.com/logging/docs/access-control",),
)
def logs_are_read_by_others(stack: Stack) -> Iterator[Verdict]:
    held: dict[str, dict[str, GrantInputs]] = {}
    for grant in stack.views(GrantInputs):
        yield from judge_each([grant], partial(_note, held))
    for member, grants in sorted(held.items()):
        reads, changes = sorted(grants.keys() & set(_READS_LOGS)), sorted(grants.keys() & set(_CHANGES))
        if reads and changes:
            yield Finding("member", f"{member} has {reads[0]} as well as {changes[0]}", grants[changes[0]].resource.urn)


def _note(held: dict[str, dict[str, GrantInputs]], grant: GrantInputs) -> Iterator[Verdict]:
    """Note what a grant gives to which group. Finds nothing by itself, and raises what cannot be read."""
    role = grant.at("role").text()
    if role in (*_READS_LOGS, *_CHANGES):
        for text in (member.text() for member in grant.members):
            if text is not None and text.startswith("group:"):
                held.setdefault(text, {})[role] = grant
    return iter(())
