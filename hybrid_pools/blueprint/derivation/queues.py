"""Classes, queues and quotas: from what the configuration says in GPUs and vCPUs to what Kueue is told."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hybrid_pools.blueprint.configuration.queues import (
    ClassConfiguration,
    QueuedClassConfiguration,
    QueuesConfiguration,
    QuotaConfiguration,
    TeamQueuesConfiguration,
    TeamQuotasConfiguration,
)
from hybrid_pools.blueprint.derivation.buffer import derive_buffer
from hybrid_pools.blueprint.derivation.flavors import is_for_all, part
from hybrid_pools.blueprint.model.queues import (
    ClassPolicy,
    Flavor,
    FlavorQuota,
    Queues,
    Resources,
    TeamCohort,
    TeamQueue,
)
from hybrid_pools.blueprint.model.schedule import Schedule
from hybrid_pools.blueprint.model.teams import Team
from hybrid_pools.blueprint.vocabulary import (
    HOSTNAME_LABEL,
    NODE_POOL_LABEL,
    QUEUED_CLASSES,
    ROOT_COHORT,
    Role,
    WorkloadClass,
    cluster_queue,
    local_queue,
    priority_class,
    team_cohort,
)

DEFAULT_ORDERS: Mapping[WorkloadClass, tuple[Role, ...]] = {
    WorkloadClass.SERVICE: (Role.STABLE, Role.BUFFER),
    WorkloadClass.INTERACTIVE: (Role.STABLE, Role.BUFFER),
    WorkloadClass.TRAINING: (Role.SPOT, Role.BUFFER, Role.STABLE),
    WorkloadClass.DEFERRED: (Role.SPOT, Role.BUFFER),
}

PRIORITIES: Mapping[WorkloadClass, int] = {
    WorkloadClass.SERVICE: 1000,
    WorkloadClass.INTERACTIVE: 30,
    WorkloadClass.TRAINING: 20,
    WorkloadClass.DEFERRED: 10,
}
"""None is negative: JobSet writes a pod's priority into a label, which may not begin with a minus sign, so no pod of a job set would be
made (pod_mutating_webhook.go of JobSet 0.11.1). Pods without a class have 0: they push nobody off a node, and what waits in queues does not
push them, since its classes never do."""

TOPOLOGY_LEVELS = (NODE_POOL_LABEL, HOSTNAME_LABEL)
"""From wide to narrow. The nodes of a compactly placed pool are close together, so the pool is the widest level."""

Orders = Mapping[WorkloadClass, tuple[str, ...]]


def class_orders(configuration: QueuesConfiguration, flavors: Sequence[Flavor], buffer_is_shared: bool) -> Orders:
    """Each class's order of flavors, by their names. Names that no flavor has are left out; a rule has refused them.

    Args:
        buffer_is_shared: Whether a schedule gives the buffer to training. Otherwise services alone have it.
    """
    return {workload_class: _order(configuration, workload_class, flavors, buffer_is_shared) for workload_class in WorkloadClass}


def _order(
    configuration: QueuesConfiguration, workload_class: WorkloadClass, flavors: Sequence[Flavor], buffer_is_shared: bool
) -> tuple[str, ...]:
    said = class_configuration(configuration, workload_class).order
    entries = DEFAULT_ORDERS[workload_class] if said is None else said
    found = [name for entry in entries for name in flavors_meant(entry, flavors)]
    if workload_class in QUEUED_CLASSES and not buffer_is_shared:
        buffers = {flavor.name for flavor in flavors if flavor.role is Role.BUFFER}
        found = [name for name in found if name not in buffers]
    return tuple(dict.fromkeys(found))


def flavors_meant(entry: str, flavors: Sequence[Flavor]) -> list[str]:
    """The flavors that an entry of an order stands for: those of a role, the ones that come by themselves first, or one by name."""
    if entry in set(Role):
        of_role = [flavor for flavor in flavors if flavor.role == entry and is_for_all(flavor)]
        return [flavor.name for flavor in sorted(of_role, key=lambda flavor: (flavor.gpu_family is not None, flavor.queued))]
    return [flavor.name for flavor in flavors if flavor.name == entry]


def class_configuration(configuration: QueuesConfiguration, workload_class: WorkloadClass) -> ClassConfiguration:
    """What is said of a class."""
    said: ClassConfiguration = getattr(configuration.classes, workload_class.value)
    return said


def class_quotas(quotas: TeamQuotasConfiguration, workload_class: WorkloadClass) -> Mapping[str, QuotaConfiguration]:
    """What is said of a class's quotas in a team, by flavor."""
    said: Mapping[str, QuotaConfiguration] = getattr(quotas, workload_class.value)
    return said


def team_order(order: Iterable[str], flavors: Collection[Flavor], spot: bool) -> tuple[str, ...]:
    """A class's order in a team, which may or may not use spot pools."""
    spots = {flavor.name for flavor in flavors if flavor.role is Role.SPOT}
    return tuple(name for name in order if spot or name not in spots)


def derive_classes(configuration: QueuesConfiguration, flavors: Sequence[Flavor], orders: Orders) -> tuple[ClassPolicy, ...]:
    """What each class gets, services first."""
    pools = {flavor.name: flavor.pools for flavor in flavors}
    return tuple(
        ClassPolicy(
            workload_class=workload_class,
            priority_class=priority_class(workload_class),
            priority=PRIORITIES[workload_class],
            preempts=workload_class not in QUEUED_CLASSES,
            order=orders[workload_class],
            pools=tuple(pool for name in orders[workload_class] for pool in pools[name]),
            runtime_limit_seconds=_runtime_limit(class_configuration(configuration, workload_class)),
        )
        for workload_class in WorkloadClass
    )


def _runtime_limit(said: ClassConfiguration) -> int | None:
    hours = said.runtime_limit_hours if isinstance(said, QueuedClassConfiguration) else None
    return None if hours is None else hours * 3600


def derive_queues(
    configuration: QueuesConfiguration,
    flavors: Sequence[Flavor],
    orders: Orders,
    teams: Sequence[Team],
    schedule: Schedule | None,
    image: str | None,
) -> Queues:
    """Everything that Kueue is told.

    Args:
        orders: Of `class_orders`.
        image: Container image with kubectl, where there is a schedule.
    """
    queues = tuple(queue for team in teams for queue in _team_queues(team, configuration.teams[team.name], flavors, orders))
    queued = {name for workload_class in QUEUED_CLASSES for name in orders[workload_class]}
    return Queues(
        cohort=ROOT_COHORT,
        shared=tuple(_shared(flavors, queued, queues)),
        flavors=tuple(flavor for flavor in flavors if any(flavor.name in order for order in orders.values())),
        teams=tuple(TeamCohort(team_cohort(team.name), team.name, configuration.teams[team.name].weight * 1000) for team in teams),
        queues=queues,
        buffer=derive_buffer([flavor for flavor in flavors if flavor.name in queued], schedule, image),
        topology_levels=TOPOLOGY_LEVELS if any(flavor.topology and flavor.name in queued for flavor in flavors) else (),
    )


def _team_queues(team: Team, said: TeamQueuesConfiguration, flavors: Sequence[Flavor], orders: Orders) -> Iterator[TeamQueue]:
    by_name = {flavor.name: flavor for flavor in flavors}
    for workload_class in QUEUED_CLASSES:
        order = team_order(orders[workload_class], flavors, team.spot)
        quotas = class_quotas(said.quotas, workload_class)
        if order:
            yield TeamQueue(
                name=cluster_queue(team.name, workload_class),
                team=team.name,
                namespace=team.namespace,
                workload_class=workload_class,
                local_queue=local_queue(workload_class),
                quotas=tuple(_quota(by_name[name], quotas.get(name, QuotaConfiguration())) for name in order),
            )


def _quota(flavor: Flavor, said: QuotaConfiguration) -> FlavorQuota:
    borrowing = borrowing_of(flavor, said)
    return FlavorQuota(
        flavor=flavor.name,
        nominal=part(flavor, said.nominal),
        borrowing=None if borrowing is None else part(flavor, borrowing),
        lending=None if said.lending is None else part(flavor, said.lending),
    )


def borrowing_of(flavor: Flavor, said: QuotaConfiguration) -> int | None:
    """How much may be borrowed, in the flavor's unit; None is without limit."""
    return 0 if said.borrowing is None and flavor.role is Role.STABLE else said.borrowing


def _shared(flavors: Sequence[Flavor], queued: Collection[str], queues: Iterable[TeamQueue]) -> Iterator[FlavorQuota]:
    """What is left of the spot pools. What is left of stable pools is the services'."""
    owned: dict[str, list[Resources]] = {}
    for queue in queues:
        for quota in queue.quotas:
            owned.setdefault(quota.flavor, []).append(quota.nominal)
    for flavor in flavors:
        if flavor.role is Role.SPOT and flavor.name in queued:
            left = _less(flavor.capacity, owned.get(flavor.name, []))
            if left.gpus or (not flavor.capacity.gpus and left.cpu):
                yield FlavorQuota(flavor.name, left, None, None)


def _less(whole: Resources, parts: Iterable[Resources]) -> Resources:
    taken = list(parts)
    return Resources(
        cpu=whole.cpu - sum(part.cpu for part in taken),
        memory=whole.memory - sum(part.memory for part in taken),
        gpus=whole.gpus - sum(part.gpus for part in taken),
    )
