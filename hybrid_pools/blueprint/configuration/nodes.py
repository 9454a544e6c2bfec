"""What one node is made of: accelerators, disks, images, kubelet and kernel settings."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import KeyName, Model, refusal


class Driver(StrEnum):
    """Which GPU driver GKE installs. A policy, not a version: the number follows the node image."""

    DEFAULT = "default"
    LATEST = "latest"
    DISABLED = "disabled"


class SharingStrategy(StrEnum):
    """How several containers share one GPU."""

    TIME_SHARING = "time-sharing"
    MPS = "mps"


class Sharing(Model):
    """GPU sharing. GKE does not collect duty-cycle metrics of shared GPUs."""

    strategy: SharingStrategy
    clients_per_gpu: Annotated[int, Field(ge=2, le=48)]
    """Containers that may share one GPU."""


class Accelerator(Model):
    """The GPUs of one node. On accelerator-optimized machines type and count follow from the machine type."""

    type: str | None = None
    """GKE accelerator type, for example nvidia-tesla-t4. Needed on N1 machines; elsewhere it must equal the machine's own."""

    count: Annotated[int, Field(ge=1, le=16)] | None = None
    """GPUs a node. Needed on N1 machines; elsewhere it must equal the machine's own."""

    driver: Driver = Driver.DEFAULT
    """Always written out: GKE fills the default by itself and an unset field never settles (magic-modules#11152)."""

    sharing: Sharing | None = None
    partition: Annotated[str, Field(pattern=r"^[0-9]+g\.[0-9]+gb(\+me)?$")] | None = None
    """Multi-instance GPU partition, for example 1g.10gb. Every GPU of the node is cut into such parts."""


class BootDisk(Model):
    """The boot disk of a node."""

    type: str | None = None
    """Disk type; by default what the machine series takes (pd-balanced, hyperdisk-balanced on the newest)."""

    size_gib: Annotated[int, Field(ge=10, le=65536)] = 100
    """GiB. Container images and logs lie here unless the node has local SSD."""

    key: KeyName | None = None
    """Cloud KMS key that encrypts the disk."""


class LocalSsdUse(StrEnum):
    """What local SSD serves as."""

    EPHEMERAL_STORAGE = "ephemeral-storage"
    RAW_BLOCK = "raw-block"


class LocalSsd(Model):
    """Local SSD, lost with the node: scratch space and the fast checkpoint tier."""

    use: LocalSsdUse = LocalSsdUse.EPHEMERAL_STORAGE
    count: Annotated[int, Field(ge=0, le=32)] | None = None
    """Disks a node (375 GiB each on most series). Leave out where the machine bundles them."""


class Images(Model):
    """How container images reach a node quickly."""

    streaming: bool = True
    """Image streaming: containers start before the whole image is there."""

    preloaded: Annotated[str, Field(pattern=r"^projects/[^/]+/global/images/[^/]+$")] | None = None
    """Disk image with container images in it (secondary boot disk), for the first training steps in minutes."""


class Kubelet(Model):
    """Kubelet settings. Either none or whole: a half-set block keeps differing from Google's answer (CFT#2014)."""

    cpu_manager: Literal["static", "none"] = "none"
    """`static` gives whole cores to pods with whole-number requests."""

    pod_pids_limit: Annotated[int, Field(ge=1024, le=4_194_304)] | None = None
    """Processes one pod may have; data loaders of large machines need more than the default."""

    image_gc_high_percent: Annotated[int, Field(ge=10, le=85)] | None = None
    """Disk use in percent at which images are collected."""


class Linux(Model):
    """Kernel settings of the node."""

    sysctls: Annotated[dict[str, str], Field(min_length=1)] | None = None
    """By name, for example net.core.somaxconn."""

    hugepages_2mib: Annotated[int, Field(ge=1)] | None = None
    """Huge pages of 2 MiB reserved at boot, a count."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.sysctls is None and self.hugepages_2mib is None:
            raise refusal(
                "says nothing, and an empty block would keep differing from Google's answer",
                "sysctls, hugepages2Mib or both",
                "set one of them, or remove linux",
            )
        return self
