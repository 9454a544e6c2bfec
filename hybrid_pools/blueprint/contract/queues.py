"""What the contract says of classes of work, flavors and queues."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.pools import TolerationContract
from hybrid_pools.blueprint.contract.resources import ResourcesContract, resources_contract
from hybrid_pools.blueprint.model.queues import ClassPolicy, Flavor, FlavorQuota, TeamQueue
from hybrid_pools.blueprint.vocabulary import QUEUED_CLASSES, Role, WorkloadClass, local_queue


class ClassContract(Part):
    """What a class of work gets, the same in every team."""

    name: WorkloadClass
    priority_class: str
    """Priority class of its pods, and of its workloads in Kueue."""

    priority: int
    """Its value. Higher goes first; pods without a class have 0."""

    queue: str | None = None
    """Local queue in each team's namespace; left out for services, which wait in no queue."""

    flavors: tuple[str, ...]
    """Flavors in the order in which they are tried."""

    pools: tuple[str, ...]
    """The pools of these flavors, in the same order."""

    runtime_limit_seconds: Annotated[int, Field(ge=1)] | None = None
    """Seconds after which a workload is ended; left out where there is no limit."""


class FlavorContract(Part):
    """Pools that are the same to a workload. Kueue adds selector and tolerations to what it admits."""

    name: str
    role: Role
    pools: tuple[str, ...]
    selector: dict[str, str]
    """Node labels that pick exactly this flavor."""

    tolerations: tuple[TolerationContract, ...]
    """Tolerations that its taints ask for."""

    topology: bool = False
    """Whether a job may ask for nodes close together by Kueue's topology annotations."""

    usable_grace_seconds: Annotated[int, Field(ge=0)]
    """Seconds between SIGTERM and the end of a pod, on the pool of it that gives the least."""


class QuotaContract(Part):
    """What a queue has of one flavor."""

    flavor: str
    nominal: ResourcesContract
    """Its own, given back whenever it has work."""

    borrowing: ResourcesContract | None = None
    """How much more it may use while others leave it idle; left out where there is no limit."""

    lending: ResourcesContract | None = None
    """How much of its own others may use while it is idle; left out for all of it."""


class TeamQueueContract(Part):
    """The queue of one class in a team's namespace."""

    workload_class: WorkloadClass
    name: str
    """Local queue: the value of the label kueue.x-k8s.io/queue-name."""

    cluster_queue: str
    quotas: tuple[QuotaContract, ...]
    """In the order in which the flavors are tried."""


def class_contract(policy: ClassPolicy) -> ClassContract:
    """The contract of one class."""
    return ClassContract(
        name=policy.workload_class,
        priority_class=policy.priority_class,
        priority=policy.priority,
        queue=local_queue(policy.workload_class) if policy.workload_class in QUEUED_CLASSES else None,
        flavors=policy.order,
        pools=policy.pools,
        runtime_limit_seconds=policy.runtime_limit_seconds,
    )


def flavor_contract(flavor: Flavor) -> FlavorContract:
    """The contract of one flavor."""
    return FlavorContract(
        name=flavor.name,
        role=flavor.role,
        pools=flavor.pools,
        selector=dict(flavor.node_labels),
        tolerations=tuple(
            TolerationContract(key=toleration.key, value=toleration.value, effect=toleration.effect) for toleration in flavor.tolerations
        ),
        topology=flavor.topology is not None,
        usable_grace_seconds=flavor.usable_grace_seconds,
    )


def queue_contract(queue: TeamQueue) -> TeamQueueContract:
    """The contract of one queue."""
    return TeamQueueContract(
        workload_class=queue.workload_class,
        name=queue.local_queue,
        cluster_queue=queue.name,
        quotas=tuple(quota_contract(quota) for quota in queue.quotas),
    )


def quota_contract(quota: FlavorQuota) -> QuotaContract:
    """The contract of one quota."""
    return QuotaContract(
        flavor=quota.flavor,
        nominal=resources_contract(quota.nominal),
        borrowing=None if quota.borrowing is None else resources_contract(quota.borrowing),
        lending=None if quota.lending is None else resources_contract(quota.lending),
    )
