"""Grants, workload identity pools and log views: what IAM and Logging are known to refuse; not taken from a document."""

import re
from collections.abc import Callable, Iterator

from lab.google.naming import project_number
from lab.google.refusal import Refusal, bad_request, not_found
from lab.google.refusals.write import Write
from lab.google.values import find, first

_POOL = "gcp:iam/workloadIdentityPool:WorkloadIdentityPool"
_PROVIDER = "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider"
_VIEW = "gcp:logging/logView:LogView"
_VIEW_MEMBER = "gcp:logging/logViewIamMember:LogViewIamMember"
_LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
_CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
_CLUSTER = "gcp:container/cluster:Cluster"
_GRANTS = (
    "gcp:projects/iAMMember:IAMMember",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
    "gcp:storage/managedFolderIamMember:ManagedFolderIamMember",
    _VIEW_MEMBER,
)

_BASIC_ROLES = ("roles/owner", "roles/editor", "roles/viewer")
_PUBLIC = ("allUsers", "allAuthenticatedUsers")
_PRINCIPAL = re.compile(
    r"(?P<kind>principal|principalSet)://iam\.googleapis\.com/projects/(?P<number>[0-9]+)/locations/global"
    r"/workloadIdentityPools/(?P<pool>[^/]+)/(?P<rest>.+)"
)
_RESTS = {
    "principal": r"subject/.+",
    "principalSet": r"\*|group/.+|attribute\.[a-z0-9_]+/.+|namespace/[^/]+|kubernetes\.(cluster|serviceaccount\.uid)/.+",
}
_CLUSTER_POOL = ".svc.id.goog"
_MAPPING_KEY = re.compile(r"google\.(subject|groups)|attribute\.[a-z0-9_]{1,90}")
_LONGEST_MAPPING = 2048
_GIVEN_LOG_BUCKETS = ("_Default", "_Required")
_VIEW_PART = re.compile(r'(NOT )?(SOURCE\("[^"]+"\)|LOG_ID\("[^"]+"\)|resource\.type ?!?= ?"[^"]+")')


def _address(write: Write) -> Iterator[Refusal]:
    kind, _, rest = write.document["member"].partition(":")
    if kind in ("user", "group", "serviceAccount") and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+|.+\[.+/.+\]", rest):
        yield bad_request(f"Invalid principal {write.document['member']}: {rest!r} is no e-mail address")


def _principal(write: Write) -> Iterator[Refusal]:
    member = write.document["member"]
    if not member.startswith(("principal:", "principalSet:")):
        return
    match = _PRINCIPAL.fullmatch(member)
    if match is None or not re.fullmatch(_RESTS[match["kind"]], match["rest"]):
        yield bad_request(f"Invalid principal {member}: principals name the project by its number, a pool and a subject or set")
    elif not _pool_exists(write, match["number"], match["pool"]):
        yield bad_request(f"Identity Pool does not exist ({match['pool']} of project {match['number']}). Please check the resource name")


def _pool_exists(write: Write, number: str, pool: str) -> bool:
    if not pool.endswith(_CLUSTER_POOL):
        names = (record.document["name"] for record in write.store.resources(_POOL))
        return f"projects/{number}/locations/global/workloadIdentityPools/{pool}" in names
    # The pool of a project's clusters is made with the first cluster that uses it, not with the project.
    clusters = (record.document for record in write.store.resources(_CLUSTER))
    made = any(first(cluster, "workloadIdentityConfig.workloadPool") == pool for cluster in clusters)
    return made and number == project_number(pool.removesuffix(_CLUSTER_POOL))


def _condition(write: Write) -> Iterator[Refusal]:
    condition = write.get("condition")
    if not condition:
        return
    if write.document["role"] in _BASIC_ROLES:
        yield bad_request(f"Conditions can't be set on the basic role {write.document['role']}")
    if write.document["member"] in _PUBLIC:
        yield bad_request(f"Conditions can't be set for {write.document['member']}")
    if not condition["expression"].strip():
        yield bad_request("The expression of a condition is empty")


def _custom_role_exists(write: Write) -> Iterator[Refusal]:
    role = write.document["role"]
    if role.startswith("projects/") and not write.store.get(role, _CUSTOM_ROLE):
        yield not_found(role)


def _in_pool(write: Write) -> Iterator[Refusal]:
    pool = write.id.partition("/providers/")[0]
    if not write.store.get(pool, _POOL):
        yield not_found(pool)


def _mapping(write: Write) -> Iterator[Refusal]:
    mapping = write.get("attributeMapping", {})
    if write.get("oidc") and "google.subject" not in mapping:
        yield bad_request("attributeMapping of an OIDC provider must map google.subject")
    for key, expression in mapping.items():
        if not _MAPPING_KEY.fullmatch(key):
            yield bad_request(f"Invalid attribute mapping key {key!r}: google.subject, google.groups or attribute.NAME of [a-z0-9_]")
        if len(expression) > _LONGEST_MAPPING:
            yield bad_request(f"The mapping of {key} is longer than {_LONGEST_MAPPING} characters")


def _claims(write: Write) -> Iterator[Refusal]:
    issuer = write.get("oidc.issuerUri", "")
    shared = write.catalogue.facts[_PROVIDER].tables["shared_issuers"]
    if issuer.rstrip("/") in shared and "assertion." not in write.get("attributeCondition", ""):
        yield bad_request("The attribute condition must reference one of the provider's claims")


def _view(write: Write) -> Iterator[Refusal]:
    bucket = write.id.partition("/views/")[0]
    if bucket.rpartition("/")[2] not in _GIVEN_LOG_BUCKETS and not write.store.get(bucket, _LOG_BUCKET):
        yield not_found(bucket)
    for _, text in find(write.document, "filter"):
        for part in text.split(" AND ") if text else ():
            if not _VIEW_PART.fullmatch(part):
                yield bad_request(f"The filter of a log view takes only SOURCE, resource.type and LOG_ID joined by AND, got {part!r}")


def _view_exists(write: Write) -> Iterator[Refusal]:
    view = write.id.partition("/roles/")[0]
    if not write.store.get(view, _VIEW):
        yield not_found(view)


_GRANT_RULES = (_address, _principal, _condition, _custom_role_exists)

WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    **dict.fromkeys(_GRANTS, _GRANT_RULES),
    _VIEW_MEMBER: (*_GRANT_RULES, _view_exists),
    _PROVIDER: (_in_pool, _mapping, _claims),
    _VIEW: (_view,),
}
