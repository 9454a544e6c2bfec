"""What a manifest is judged by: a contract, with what every rule would otherwise look up in it again."""

from collections.abc import Mapping
from dataclasses import dataclass

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.admission import admission_of
from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import WorkloadClass


class NothingToJudgeBy(Exception):  # noqa: N818 - says what the contract lacks
    """The contract says nothing of admission."""


@dataclass(frozen=True)
class Surroundings:
    """The environment that manifests are meant for.

    Attributes:
        flavors: By name.
        classes: Class that waits in a local queue, by the queue's name.
        orders: Names of the flavors that a class tries, in order.
        teams: By namespace.
        compared: Node labels by which Kueue tells flavors apart; it looks at no others.
        drain_seconds: How long training has to save and go when the schedule takes the buffer back; None where it never does.
        namespace: Where objects go that do not say so themselves.
    """

    admission: Admission
    flavors: Mapping[str, FlavorContract]
    classes: Mapping[str, WorkloadClass]
    orders: Mapping[WorkloadClass, tuple[str, ...]]
    teams: Mapping[str, TeamContract]
    pools: Mapping[str, str]
    compared: frozenset[str]
    drain_seconds: int | None
    namespace: str | None = None


def surroundings(contract: Contract, namespace: str | None = None) -> Surroundings:
    """What the contract says, put in order.

    Args:
        namespace: Where objects go that do not say so themselves; the cluster's default where there is none.

    Raises:
        NothingToJudgeBy: The contract says nothing of admission.
    """
    if contract.admission is None:
        raise NothingToJudgeBy(
            f"the contract of {contract.environment} says nothing of admission, so there is nothing to judge manifests by: the stack "
            "declares nothing inside its cluster (sections kubernetes and queues), or was last brought up with a release before this "
            "one. Bring the stack up with this release and read the contract again."
        )
    schedule = contract.schedule
    return Surroundings(
        admission=admission_of(contract.admission, contract.teams, contract.flavors),
        flavors={flavor.name: flavor for flavor in contract.flavors},
        classes={one.queue: one.name for one in contract.classes if one.queue},
        orders={one.name: one.flavors for one in contract.classes},
        teams={team.namespace: team for team in contract.teams},
        pools={pool.node_pool: pool.name for pool in contract.pools},
        compared=frozenset(key for flavor in contract.flavors for key in flavor.selector),
        drain_seconds=schedule.drain_minutes * 60 if schedule and schedule.training_leaves_minutes is not None else None,
        namespace=namespace,
    )
