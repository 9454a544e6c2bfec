"""What the contract says of teams: where their work runs and lies."""

from collections.abc import Iterable, Mapping

from hybrid_pools.blueprint.contract.buckets import bucket_url
from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.queues import TeamQueueContract, queue_contract
from hybrid_pools.blueprint.model import Bucket, Team
from hybrid_pools.blueprint.model.queues import TeamQueue
from hybrid_pools.blueprint.vocabulary import BucketKind


class TeamContract(Part):
    """One team's place in the cluster and in the buckets."""

    name: str
    namespace: str
    """Kubernetes namespace."""

    service_account: str
    """Kubernetes service account that training runs as; it alone may write to the prefixes."""

    prefixes: dict[BucketKind, str]
    """Where the team's objects lie, by kind of bucket, as `gs://NAME/PREFIX/TEAM/`. Empty where the stack has no buckets."""

    spot: bool = False
    """Whether the team may use spot pools."""

    queues: tuple[TeamQueueContract, ...] = ()
    """One a class; empty where the stack declares nothing inside the cluster."""


def team_contract(team: Team, buckets: Iterable[Bucket], names: Mapping[BucketKind, str], queues: Iterable[TeamQueue] = ()) -> TeamContract:
    """The contract of one team.

    Args:
        names: Physical name of each bucket by its kind.
        queues: Those of all teams.
    """
    return TeamContract(
        name=team.name,
        namespace=team.namespace,
        service_account=team.service_account,
        prefixes={bucket.kind: f"{bucket_url(names[bucket.kind])}/{bucket.folders[team.name]}" for bucket in buckets},
        spot=team.spot,
        queues=tuple(queue_contract(queue) for queue in queues if queue.team == team.name),
    )
