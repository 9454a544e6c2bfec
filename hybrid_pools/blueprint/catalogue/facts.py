"""The shapes of the facts. Each carries where it was read and when that was true."""

from collections.abc import Mapping
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hybrid_pools.blueprint.catalogue.capacity import CapacityKind
from hybrid_pools.blueprint.catalogue.gke_version import GkeVersion

Architecture = Literal["amd64", "arm64"]


class Frozen(BaseModel):
    """A model that nothing changes and that refuses keys it does not know."""

    # Most files are read only when something asks for them.
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class Fact(Frozen):
    """Something about the cloud that its owner may change."""

    source: str = Field(min_length=1, description="Document, page or public file the fact was read in.")
    as_of: date = Field(description="Day on which the source said so: its own date where it prints one, else the day it was read.")


class Accelerator(Frozen):
    """GPUs that come with a machine type, or are attached to one.

    Attributes:
        type: GKE accelerator type, as in the node label `cloud.google.com/gke-accelerator`.
        count: GPUs per machine.
    """

    type: str
    count: int = Field(ge=1)


class AcceleratorType(Fact):
    """A GPU model by its GKE accelerator type.

    Attributes:
        partitions: How many partitions one GPU gives, by MIG partition size (`1g.5gb`). Empty: it cannot be partitioned. None: not known.
    """

    name: str
    partitions: Mapping[str, int] | None = None


class MachineType(Frozen):
    """A Compute Engine machine type as a node pool sees it. What is None is not known and must not be checked.

    Attributes:
        series: `g2`, `a2`, `a3-high`, `a3-mega`, `n2` … A3 is split because disks, zones and capacity differ inside it.
        memory_gib: Memory of the machine. Google prints the number as GB.
        accelerator: GPUs that are part of the machine type. None: it has none of its own.
        attachable_accelerators: GPUs that may be added, counts by accelerator type. Only N1 has them.
        bundled_local_ssds: Local SSD disks that always come with the machine.
        allowed_local_ssds: Every number of Local SSD disks a pool may ask for, the bundle included. None: not known.
        local_ssd_gib: Size of one Local SSD disk in GiB.
        boot_disk_types: Allowed types of boot disk; the first is the default.
        consumption: For each capacity kind whether Google offers it; a kind that is missing is not known. Ask with `offers`.
        source: Where vCPUs, memory and GPUs of the machine type were read.
        as_of: Day on which that source said so.
    """

    name: str
    series: str
    architecture: Architecture
    vcpus: int = Field(ge=1)
    memory_gib: float = Field(gt=0)
    accelerator: Accelerator | None = None
    attachable_accelerators: Mapping[str, tuple[int, ...]] = Field(default_factory=dict)
    bundled_local_ssds: int = Field(0, ge=0)
    allowed_local_ssds: tuple[int, ...] | None = None
    local_ssd_gib: int = Field(gt=0)
    boot_disk_types: tuple[str, ...] = Field(min_length=1)
    consumption: Mapping[CapacityKind, bool] = Field(default_factory=dict)
    source: str
    as_of: date

    @property
    def capacity(self) -> frozenset[CapacityKind]:
        """Capacity kinds that are known to be offered. To refuse a kind ask `offers`: what is not known is missing here as well."""
        return frozenset(kind for kind, offered in self.consumption.items() if offered)

    def offers(self, kind: CapacityKind) -> bool | None:
        """Whether Google offers the machine type as this kind of capacity; None when that is not known."""
        return self.consumption.get(kind)


class Region(Fact):
    """A region and its zones (full names, in order)."""

    name: str
    zones: tuple[str, ...] = Field(min_length=1)


class MultiRegion(Fact):
    """A multi-region of Cloud Storage: any two of its regions can be a pair that both hold every object of a bucket.

    Attributes:
        name: Location of a bucket over such a pair.
        key_location: Where Cloud KMS keys of such buckets lie.
    """

    name: str
    key_location: str
    regions: tuple[str, ...] = Field(min_length=2)


class VersionGate(Fact):
    """The first GKE version with a feature."""

    feature: str
    minimum: GkeVersion
    why: str = Field(description="What needs the version, in words for an error message.")


class Release(Fact):
    """A release of a controller for which the objects of this project are made, and on which they are tried.

    Attributes:
        component: `kueue` or `jobset`.
        minimum: First version of Kubernetes that it supports.
    """

    component: Literal["kueue", "jobset"]
    version: str
    minimum: GkeVersion


class QuotaMetric(Fact):
    """The Compute Engine quota that a GPU counts against.

    Attributes:
        name: Metric name, such as `NVIDIA_L4_GPUS`. None: not known, or the family has no fixed name (H100 and newer).
        per: What one limit of the quota covers.
    """

    name: str | None
    per: Literal["region"] = "region"


class DiskType(Fact):
    """A type of boot disk. Sizes in GiB; None: not known."""

    name: str
    min_gib: int | None = None
    max_gib: int | None = None


class ShutdownGrace(Fact):
    """What a node of a Spot pool has between the notice and its end. Unit: seconds.

    Attributes:
        default_seconds: The whole window when the pool sets nothing, ordinary and critical pods together.
        default_critical_pods_seconds: The part at its end that is kept for critical pods. An ordinary pod has the difference.
        allowed_seconds: Windows that a pool may set and GKE honours.
        maximum_seconds: The longest of them.
    """

    default_seconds: int
    default_critical_pods_seconds: int
    allowed_seconds: tuple[int, ...]
    maximum_seconds: int


class LocalSsd(Fact):
    """Local SSD disks in general.

    Attributes:
        size_gib: Size of one disk in GiB where a machine type does not say otherwise.
    """

    size_gib: int


class GkeLabel(Fact):
    """A node label that GKE sets. `value` None: it differs from node to node, or is not known."""

    key: str
    value: str | None = None
    set_on: str


class GkeTaint(Fact):
    """A node taint that GKE sets, with the effect in its Kubernetes form. None: not known, so only the key is owned."""

    key: str
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    set_on: str
