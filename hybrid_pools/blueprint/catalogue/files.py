"""The shapes of the data files, as they are written: one subject a file, sources beside what they prove."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Self, TypeVar

from pydantic import Field, model_validator

from hybrid_pools.blueprint.catalogue.capacity import CapacityKind
from hybrid_pools.blueprint.catalogue.facts import AcceleratorType, Architecture, Fact, Frozen, GkeLabel, GkeTaint, Release, VersionGate


class MachineTypeEntry(Frozen):
    """One machine type. `memory_gib` is the number that Google prints as GB."""

    vcpus: int
    memory_gib: float
    gpus: int | None = None


class MachineTypeBlock(Fact):
    """Machine types of one series that share a source and a GPU model."""

    series: str
    accelerator: str | None = None
    attachable_accelerators: Mapping[str, tuple[int, ...]] = Field(default_factory=dict)
    machine_types: Mapping[str, MachineTypeEntry]

    @model_validator(mode="after")
    def _gpus_have_a_model(self) -> Self:
        for name, entry in self.machine_types.items():
            if (entry.gpus is None) != (self.accelerator is None):
                raise ValueError(f"{name}: a GPU count and an accelerator type go together; give both or neither")
        return self


class MachineTypesFile(Frozen):
    """`machine-types.json`."""

    blocks: tuple[MachineTypeBlock, ...]


class SeriesEntry(Fact):
    """What all machine types of a series share."""

    series: str
    architecture: Architecture
    boot_disk_types: tuple[str, ...] = Field(min_length=1)


class SeriesFile(Frozen):
    """`series.json`."""

    series: tuple[SeriesEntry, ...]


class LocalSsdsFile(Fact):
    """`local-ssds.json`: every machine type is either bundled (a fixed number) or allowed (a choice)."""

    size_gib: int
    size_gib_of: Mapping[str, int]
    bundled: Mapping[str, int]
    allowed: Mapping[str, tuple[int, ...]]


class CapacityBlock(Fact):
    """Capacity kinds that a source affirms or denies, for series or for machine types. Kinds it is silent about are left out."""

    series: tuple[str, ...] = ()
    machine_types: tuple[str, ...] = ()
    kinds: Mapping[CapacityKind, bool]


class CapacityFile(Frozen):
    """`capacity.json`."""

    blocks: tuple[CapacityBlock, ...]


class ZoneBlock(Fact):
    """Where machine types are sold: zone letters by region."""

    machine_types: tuple[str, ...]
    zones: Mapping[str, tuple[str, ...]]


class ZonesFile(Frozen):
    """`zones.json`. A listing says that the machine type is sold in a zone, not that there is stock."""

    blocks: tuple[ZoneBlock, ...]


class RegionsFile(Fact):
    """`regions.json`: zone letters by region."""

    zones: Mapping[str, tuple[str, ...]]


class MultiRegionEntry(Frozen):
    """One multi-region of Cloud Storage."""

    key_location: str
    regions: tuple[str, ...] = Field(min_length=2)


class MultiRegionsFile(Fact):
    """`multi-regions.json`: multi-regions of Cloud Storage by name."""

    multi_regions: Mapping[str, MultiRegionEntry]


class VersionGatesFile(Frozen):
    """`version-gates.json`."""

    gates: tuple[VersionGate, ...]


class ReleasesFile(Frozen):
    """`releases.json`."""

    releases: tuple[Release, ...]


class AcceleratorsFile(Frozen):
    """`accelerators.json`."""

    accelerators: tuple[AcceleratorType, ...]


class QuotasFile(Fact):
    """`quotas.json`: quota metric by accelerator type; the metric of preemptible capacity is the same name with a prefix."""

    preemptible_prefix: str
    metrics: Mapping[str, str]


class DiskSizes(Frozen):
    """Sizes in GiB; what is left out is not known."""

    min_gib: int | None = None
    max_gib: int | None = None


class DiskTypesFile(Fact):
    """`disk-types.json`."""

    disk_types: Mapping[str, DiskSizes]


class GkeOwnedKeysFile(Frozen):
    """`gke-owned-keys.json`."""

    labels: tuple[GkeLabel, ...]
    taints: tuple[GkeTaint, ...]


FileModel = TypeVar("FileModel", bound=Frozen)


def read(name: str, model: type[FileModel]) -> FileModel:
    """Read a data file of this package.

    Raises:
        pydantic.ValidationError: The file is not of its shape: a fault of the package, not of its user.
    """
    return model.model_validate_json((files(__package__) / "data" / name).read_bytes())
