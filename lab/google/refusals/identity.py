"""Service accounts and bindings: what IAM is known to refuse; not taken from a document."""

from collections.abc import Callable, Iterator

from lab.google.refusal import Refusal, bad_request, not_found
from lab.google.refusals.write import Write

_OWN = ".iam.gserviceaccount.com"
# Accounts that Google makes for its services are in projects of its own.
_GOOGLES = ("gcp-sa-", "container-engine-robot", "compute-system", "cloudservices", "gs-project-accounts")


def member_exists(write: Write) -> Iterator[Refusal]:
    """A service account of the lab that is granted something must be there."""
    kind, _, email = write.document["member"].partition(":")
    project = email.partition("@")[2].removesuffix(_OWN)
    if kind != "serviceAccount" or not email.endswith(_OWN) or project.startswith(_GOOGLES):
        return
    if not write.store.get(f"projects/{project}/serviceAccounts/{email}"):
        yield bad_request(f"Service account {email} does not exist")


def _account_exists(write: Write) -> Iterator[Refusal]:
    id_ = write.document["serviceAccountId"]
    if id_.endswith(_OWN) and not write.store.get(id_):
        yield not_found(id_)


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    "gcp:projects/iAMMember:IAMMember": (member_exists,),
    "gcp:serviceaccount/iAMMember:IAMMember": (_account_exists, member_exists),
}
