"""Node pools, fully decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.catalogue import CapacityKind, MachineType
from hybrid_pools.blueprint.configuration.nodes import Driver, Kubelet, Linux, LocalSsdUse, Sharing
from hybrid_pools.blueprint.configuration.pools import DeletionPolicy, MaintenanceInterval, Placement, Reservation
from hybrid_pools.blueprint.configuration.scaling import BestEffort, Drain, Upgrade
from hybrid_pools.blueprint.vocabulary import Role, Taint


class LocationPolicy(StrEnum):
    """How the autoscaler chooses among the zones of a pool, in Google's spelling."""

    BALANCED = "BALANCED"
    ANY = "ANY"


@dataclass(frozen=True)
class Accelerators:
    """The GPUs of one node.

    Attributes:
        type: GKE accelerator type.
        count: GPUs a node, whole ones.
        driver: Driver policy that GKE follows.
        sharing: How containers share a GPU, or None.
        partition: Multi-instance partition size, or None.
    """

    type: str
    count: int
    driver: Driver
    sharing: Sharing | None
    partition: str | None


@dataclass(frozen=True)
class NodeLimits:
    """Nodes a pool may have. `per_zone` says whether the numbers hold in each zone or over all zones together."""

    per_zone: bool
    minimum: int
    maximum: int


@dataclass(frozen=True)
class BootDisk:
    """Boot disk of a node: type, GiB, and the Cloud KMS key or None."""

    type: str
    size_gib: int
    key: str | None


@dataclass(frozen=True)
class LocalSsd:
    """Local SSD of a node: what it serves as, and the number of disks."""

    use: LocalSsdUse
    count: int


@dataclass(frozen=True)
class ShutdownGrace:
    """Declared shutdown window of a spot node and the share at its end for critical pods, both in seconds."""

    seconds: int
    critical_seconds: int


@dataclass(frozen=True)
class Pool:
    """One node pool, fully decided.

    Attributes:
        name: Identity in the configuration and in Pulumi.
        zones: Zones of the nodes, sorted.
        taints: Declared at creation.
        node_taints: What nodes really carry: the declared ones and those that GKE adds.
        labels: Kubernetes labels of the nodes.
        resource_labels: Google Cloud labels of the VMs.
        upgrade: None where GKE insists on its own way (flex-start, queued provisioning).
        shutdown_grace: None where nothing is declared and Google's default holds.
        usable_grace_seconds: What an ordinary pod really has between the signal and the end, at the least, in seconds.
        initial_nodes_per_zone: Nodes at creation in each zone, so that a floor is met at once: raising a minimum adds no nodes. None
            leaves it to the autoscaler.
        protected: Whether Pulumi refuses to delete or replace the pool.
        schedule_owned: Whether a schedule outside the program changes limits and size after creation.
    """

    name: str
    role: Role
    capacity: CapacityKind
    machine: MachineType
    accelerators: Accelerators | None
    zones: tuple[str, ...]
    limits: NodeLimits
    initial_nodes_per_zone: int | None
    location_policy: LocationPolicy
    taints: tuple[Taint, ...]
    node_taints: tuple[Taint, ...]
    labels: Mapping[str, str]
    resource_labels: Mapping[str, str]
    boot_disk: BootDisk
    local_ssd: LocalSsd | None
    image_streaming: bool
    preloaded_image: str | None
    reservation: Reservation | None
    placement: Placement | None
    upgrade: Upgrade | None
    auto_repair: bool
    drain: Drain | None
    shutdown_grace: ShutdownGrace | None
    usable_grace_seconds: int
    max_run_seconds: int | None
    max_pods_per_node: int | None
    kubelet: Kubelet | None
    linux: Linux | None
    network_tags: tuple[str, ...]
    fast_socket: bool
    confidential: bool
    host_maintenance: MaintenanceInterval | None
    hold_upgrades_until_end_of_support: bool
    ignore_node_count_changes: bool
    best_effort: BestEffort | None
    deletion_policy: DeletionPolicy
    protected: bool
    schedule_owned: bool

    @property
    def is_spot_vm(self) -> bool:
        """Whether the nodes are Spot VMs, which Google may take back at any time."""
        return self.capacity is CapacityKind.SPOT

    @property
    def max_nodes(self) -> int:
        """Nodes over all zones at the most."""
        return self.limits.maximum * (len(self.zones) if self.limits.per_zone else 1)

    @property
    def gpus_per_node(self) -> int:
        """Whole GPUs of one node."""
        return self.accelerators.count if self.accelerators else 0

    @property
    def max_gpus(self) -> int:
        """GPUs over all zones at the most."""
        return self.max_nodes * self.gpus_per_node
