"""Pools: what all roles share, and what each role adds."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import LabelKey, LabelValue, Model, ZoneName, refusal
from hybrid_pools.blueprint.configuration.nodes import Accelerator, BootDisk, Images, Kubelet, Linux, LocalSsd
from hybrid_pools.blueprint.configuration.scaling import BestEffort, Drain, Limits, Upgrade
from hybrid_pools.blueprint.vocabulary import Effect, Role


class DeletionPolicy(StrEnum):
    """What deleting the pool in code does to the pool at Google."""

    DELETE = "delete"
    PREVENT = "prevent"
    ABANDON = "abandon"


class PoolTaint(Model):
    """A taint beside those of the role. The key is the mapping's key, so that no key comes twice."""

    value: LabelValue
    effect: Effect


class Reservation(Model):
    """Capacity paid for ahead of time."""

    name: str | None = None
    """One reservation by name. Left out: any open reservation that matches the machine."""

    project: str | None = None
    """Project that shares the reservation, where it is another one."""


class Placement(Model):
    """Nodes close together, for jobs that exchange much. Holds the pool to one zone."""

    policy: str | None = None
    """Name of an existing placement policy. Left out: GKE makes one for the pool."""


class MaintenanceInterval(StrEnum):
    """How often hosts of the pool are maintained."""

    AS_NEEDED = "AS_NEEDED"
    PERIODIC = "PERIODIC"


class BasePool(Model):
    """What every pool may say."""

    machine_type: str
    """Compute Engine machine type, for example a2-highgpu-1g."""

    zones: Annotated[tuple[ZoneName, ...], Field(min_length=1)] | None = None
    """Zones of the nodes. Must be written out for GPUs, which are not sold in every zone; otherwise all zones of the region."""

    limits: Limits
    accelerator: Accelerator | None = None
    """Left out on accelerator-optimized machines, which bring their GPUs, unless a driver, sharing or partition is chosen."""

    boot_disk: BootDisk = BootDisk()
    local_ssd: LocalSsd | None = None
    """Left out: bundled disks serve as ephemeral storage."""

    images: Images = Images()
    placement: Placement | None = None
    upgrade: Upgrade | None = None
    """Left out: the role's own default."""

    drain: Drain | None = None
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Kubernetes labels of the nodes, beside those of the role."""

    taints: dict[LabelKey, PoolTaint] = Field(default_factory=dict)
    """By key, beside those of the role: they keep off pods that do not tolerate them."""

    max_pods_per_node: Annotated[int, Field(ge=8, le=256)] | None = None
    """Sizes the pod range of a node. Changing it replaces the pool."""

    kubelet: Kubelet | None = None
    linux: Linux | None = None
    network_tags: tuple[Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$")], ...] = ()
    """Network tags of the VMs, for firewall rules that go by tag."""

    fast_socket: bool = False
    """NCCL Fast Socket: faster collective operations over TCP between GPU nodes."""

    confidential: bool = False
    """Confidential VM nodes: memory is encrypted. Only for machine series that offer it."""

    host_maintenance: MaintenanceInterval | None = None
    """PERIODIC gathers host maintenance, so that GPU nodes are stopped less often."""

    hold_upgrades_until_end_of_support: bool = False
    """No minor or node upgrade of this pool by GKE until its version ends."""

    ignore_node_count_changes: bool = False
    """Do not read instance groups on refresh. Their addresses are then missing from the outputs."""

    best_effort: BestEffort | None = None
    deletion_policy: DeletionPolicy | None = None
    """Left out: prevent for stable pools of a protected environment, delete otherwise."""


class StableCapacity(StrEnum):
    """What a stable pool is bought as: nothing that Google may take back."""

    ON_DEMAND = "on-demand"
    RESERVATION = "reservation"


class StablePoolConfiguration(BasePool):
    """Nodes for services, coordinators and the last stretch of a training run."""

    role: Literal[Role.STABLE]
    """What the pool is for. Changing it replaces the pool."""

    capacity: StableCapacity = StableCapacity.ON_DEMAND
    reservation: Reservation | None = None


class BufferPoolConfiguration(BasePool):
    """Nodes that serve by day and train in low-load windows. The schedule owns their number after creation."""

    role: Literal[Role.BUFFER]
    """What the pool is for. Changing it replaces the pool."""

    capacity: StableCapacity = StableCapacity.ON_DEMAND
    reservation: Reservation | None = None


class SpotCapacity(StrEnum):
    """What a spot pool is bought as. Each may end under the workload."""

    SPOT = "spot"
    FLEX_START = "flex-start"
    QUEUED = "queued-provisioning"


class ShutdownGrace(Model):
    """How long a spot node takes to shut down. Pods get the window less the critical share."""

    seconds: Annotated[int, Field(ge=0)] = 120
    """The whole window. GKE honours 0, 30 and 120."""

    critical_seconds: Annotated[int, Field(ge=0)] = 15
    """The end of the window kept for critical pods; what is left of the window is what a trainer has."""

    @model_validator(mode="after")
    def _leaves_time(self) -> Self:
        if self.seconds and self.critical_seconds >= self.seconds:
            raise refusal(
                f"criticalSeconds {self.critical_seconds} takes the whole window of {self.seconds} s: a trainer would have no time to save",
                f"criticalSeconds from 0 to {self.seconds - 1}",
                "keep 15 s for critical pods",
            )
        return self


class SpotPoolConfiguration(BasePool):
    """Interruptible nodes for training that can be resumed."""

    role: Literal[Role.SPOT]
    """What the pool is for. Changing it replaces the pool."""

    capacity: SpotCapacity = SpotCapacity.SPOT
    reservation: Reservation | None = None
    """Never valid here; known so that the refusal can say why."""

    shutdown_grace: ShutdownGrace | None = None
    """Left out: 120 s of which 15 for critical pods where the cluster's version allows it, otherwise Google's 30 and 15."""

    max_run_seconds: Annotated[int, Field(ge=600)] | None = None
    """How long a flex-start node lives at most."""


PoolConfiguration = StablePoolConfiguration | SpotPoolConfiguration | BufferPoolConfiguration
