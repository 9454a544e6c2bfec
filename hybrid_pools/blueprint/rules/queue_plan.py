"""Queues as their rules see them, once every section and every machine is known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration.queues import QueuesConfiguration, QuotaConfiguration
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.configuration.teams import TeamConfiguration
from hybrid_pools.blueprint.derivation.flavors import amount, derive_flavors
from hybrid_pools.blueprint.derivation.kubernetes import training_nodes
from hybrid_pools.blueprint.derivation.pools import derive_pools
from hybrid_pools.blueprint.derivation.queues import Orders, borrowing_of, class_orders, class_quotas, team_order
from hybrid_pools.blueprint.model.queues import Flavor
from hybrid_pools.blueprint.rules.rule import minimum_version, region_of
from hybrid_pools.blueprint.vocabulary import QUEUED_CLASSES, Role, WorkloadClass


@dataclass(frozen=True)
class Quota:
    """What is written of one quota.

    Attributes:
        at: Where.
    """

    team: str
    workload_class: WorkloadClass
    flavor: str
    said: QuotaConfiguration
    at: str


@dataclass(frozen=True)
class QueuePlan:
    """Queues with the flavors that the pools make.

    Attributes:
        flavors: By name.
        orders: Each class's order, as far as it can be understood.
        buffer_is_shared: Whether a schedule gives the buffer to training.
    """

    queues: QueuesConfiguration
    teams: Mapping[str, TeamConfiguration]
    flavors: Mapping[str, Flavor]
    orders: Orders
    buffer_is_shared: bool

    def quotas(self) -> Iterator[Quota]:
        """Every quota that is written."""
        for team, said in self.queues.teams.items():
            for workload_class in QUEUED_CLASSES:
                for flavor, quota in class_quotas(said.quotas, workload_class).items():
                    yield Quota(team, workload_class, flavor, quota, f"queues.teams.{team}.quotas.{workload_class}.{flavor}")

    def owned(self, flavor: str) -> int:
        """What all teams own of a flavor, in its unit."""
        return sum(quota.said.nominal for quota in self.quotas() if quota.flavor == flavor)

    def lent(self, flavor: Flavor, but: tuple[str, WorkloadClass]) -> int:
        """What a class of a team can find in the cohort at the most, in the flavor's unit: what nobody owns, and what the others lend.

        Args:
            but: The team and its class, which borrows nothing from itself.
        """
        whole = amount(flavor, flavor.capacity)
        left = {Role.SPOT: max(0, whole - self.owned(flavor.name)), Role.BUFFER: whole if self.buffer_is_shared else 0}.get(flavor.role, 0)
        others = (quota.said for quota in self.quotas() if quota.flavor == flavor.name and (quota.team, quota.workload_class) != but)
        return left + sum(said.nominal if said.lending is None else min(said.lending, said.nominal) for said in others)

    def has_work_for(self, team: str) -> bool:
        """Whether any class of a team could ever be admitted anywhere."""
        said = self.queues.teams[team]
        for workload_class in QUEUED_CLASSES:
            quotas = class_quotas(said.quotas, workload_class)
            for name in team_order(self.orders[workload_class], self.flavors.values(), self.teams[team].spot):
                flavor, quota = self.flavors[name], quotas.get(name, QuotaConfiguration())
                if quota.nominal or (borrowing_of(flavor, quota) != 0 and self.lent(flavor, (team, workload_class))):
                    return True
        return False


def queue_plan(reading: Reading, catalogue: Catalogue) -> QueuePlan | None:
    """The plan; None where there are no queues, or where something else must be mended first."""
    region = region_of(reading, catalogue)
    known = all(pool.machine_type in catalogue.machine_types for pool in reading.pools.values())
    if reading.queues is None or reading.kubernetes is None or reading.environment is None or reading.cluster is None:
        return None
    if region is None or not known or not reading.is_whole:
        return None
    pools = derive_pools(reading.pools, reading.environment, minimum_version(reading.cluster), region, catalogue, {})
    flavors = derive_flavors(pools, training_nodes(reading.schedule))
    return QueuePlan(
        queues=reading.queues,
        teams=reading.teams,
        flavors={flavor.name: flavor for flavor in flavors},
        orders=class_orders(reading.queues, flavors, buffer_is_shared=reading.schedule is not None),
        buffer_is_shared=reading.schedule is not None,
    )
