"""What the contract says of a node pool."""

from typing import Annotated, Literal

from pydantic import Field

from hybrid_pools.blueprint.allocatable import node_room, pool_allocatable
from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.configuration.nodes import Driver, SharingStrategy
from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.resources import ResourcesContract, resources_contract
from hybrid_pools.blueprint.model import LocationPolicy, Pool
from hybrid_pools.blueprint.vocabulary import ACCELERATOR_LABEL, NODE_POOL_LABEL, ROLE_LABEL, Effect, Role


class TolerationContract(Part):
    """A toleration in Kubernetes' form, ready for a pod."""

    key: str
    operator: Literal["Equal"] = "Equal"
    value: str
    effect: Effect


class AcceleratorContract(Part):
    """The GPUs of one node."""

    type: str
    """GKE accelerator type."""

    count: Annotated[int, Field(ge=1)]
    """Whole GPUs a node."""

    driver: Driver
    """Policy, not a version: the number follows the node image."""

    sharing: SharingStrategy | None = None
    clients_per_gpu: int | None = None
    partition: str | None = None


class LimitsContract(Part):
    """Nodes over all zones together."""

    minimum_nodes: Annotated[int, Field(ge=0)]
    maximum_nodes: Annotated[int, Field(ge=0)]
    maximum_gpus: Annotated[int, Field(ge=0)]


class PoolContract(Part):
    """One pool as a user of it needs to know it."""

    name: str
    """Name in the configuration."""

    node_pool: str
    """Physical name of the GKE node pool."""

    role: Role
    capacity: CapacityKind
    """How the nodes are bought; spot, flex-start and queued-provisioning nodes end under the workload."""

    machine_type: str
    vcpus: int
    """Per node, before what the system takes."""

    memory_gib: float
    """Per node, before what the system takes."""

    for_workloads: ResourcesContract | None = None
    """Per node, what is left for workloads: an estimate on the safe side, by which quotas are counted as well. Contracts from before this
    field lack it."""

    disk_gib: Annotated[int, Field(ge=0)] | None = None
    """Per node, what pods may have of its disk together (ephemeral-storage)."""

    zones: tuple[str, ...]
    location_policy: LocationPolicy
    accelerator: AcceleratorContract | None = None
    limits: LimitsContract
    selector: dict[str, str]
    """Node labels that pick exactly this pool."""

    tolerations: tuple[TolerationContract, ...]
    """Tolerations that the pool's taints ask for."""

    usable_grace_seconds: Annotated[int, Field(ge=0)]
    """Seconds that an ordinary pod really has between SIGTERM and its end, in the tightest case that announces itself."""

    max_run_seconds: int | None = None
    """Lifetime of a node, where it has one."""

    local_ssd_disks: Annotated[int, Field(ge=0)] = 0
    image_streaming: bool
    survives_zone_loss: bool
    """Whether nodes can still come up when one zone is lost."""

    limits_owned_by_schedule: bool
    """Whether a schedule changes the limits after creation; the numbers here are then those at creation."""


def pool_contract(pool: Pool, node_pool: str) -> PoolContract:
    """The contract of one pool, once its physical name is known."""
    selector = {ROLE_LABEL: pool.role.value, NODE_POOL_LABEL: node_pool}
    if pool.accelerators:
        selector[ACCELERATOR_LABEL] = pool.accelerators.type
    zones = len(pool.zones) if pool.limits.per_zone else 1
    return PoolContract(
        name=pool.name,
        node_pool=node_pool,
        role=pool.role,
        capacity=pool.capacity,
        machine_type=pool.machine.name,
        vcpus=pool.machine.vcpus,
        memory_gib=pool.machine.memory_gib,
        for_workloads=resources_contract(node_room(pool)),
        disk_gib=pool_allocatable(pool).ephemeral_storage,
        zones=pool.zones,
        location_policy=pool.location_policy,
        accelerator=_accelerator(pool),
        limits=LimitsContract(minimum_nodes=pool.limits.minimum * zones, maximum_nodes=pool.max_nodes, maximum_gpus=pool.max_gpus),
        selector=selector,
        tolerations=tuple(TolerationContract(key=taint.key, value=taint.value, effect=taint.effect) for taint in pool.node_taints),
        usable_grace_seconds=pool.usable_grace_seconds,
        max_run_seconds=pool.max_run_seconds,
        local_ssd_disks=pool.local_ssd.count if pool.local_ssd else 0,
        image_streaming=pool.image_streaming,
        survives_zone_loss=len(pool.zones) > 1,
        limits_owned_by_schedule=pool.schedule_owned,
    )


def _accelerator(pool: Pool) -> AcceleratorContract | None:
    gpus = pool.accelerators
    if gpus is None:
        return None
    return AcceleratorContract(
        type=gpus.type,
        count=gpus.count,
        driver=gpus.driver,
        sharing=gpus.sharing.strategy if gpus.sharing else None,
        clients_per_gpu=gpus.sharing.clients_per_gpu if gpus.sharing else None,
        partition=gpus.partition,
    )
