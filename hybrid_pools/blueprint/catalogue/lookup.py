"""The catalogue: what is known about Google's machines, zones, versions and quotas, put together from the data files."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from hybrid_pools.blueprint.catalogue import files
from hybrid_pools.blueprint.catalogue.capacity import CapacityKind
from hybrid_pools.blueprint.catalogue.errors import UnknownMachineType, UnknownRegion, UnknownVersionGate
from hybrid_pools.blueprint.catalogue.facts import (
    Accelerator,
    AcceleratorType,
    DiskType,
    GkeLabel,
    GkeTaint,
    LocalSsd,
    MachineType,
    MultiRegion,
    QuotaMetric,
    Region,
    Release,
    ShutdownGrace,
    VersionGate,
)


@dataclass(frozen=True)
class Catalogue:
    """Facts about the cloud, read-only. Get it with `catalogue()`.

    Where a method or an attribute answers None, the fact is not known: callers must not check what hangs on it.
    Facts age; each carries `source` and `as_of`, and Google's API has the last word.

    Attributes:
        machine_types: By name.
        regions: By name.
        multi_regions: Multi-regions of Cloud Storage by name.
        version_gates: By feature.
        releases: Releases of Kueue and JobSet that are known, by component and version.
        accelerators: GPU models by GKE accelerator type.
        disk_types: Boot disk types by name.
        local_ssd: Local SSD disks in general.
        shutdown_grace: The shutdown window of Spot nodes.
        gke_labels: Node labels that GKE sets, by key.
        gke_taints: Node taints that GKE sets, by key.
    """

    machine_types: Mapping[str, MachineType]
    regions: Mapping[str, Region]
    multi_regions: Mapping[str, MultiRegion]
    version_gates: Mapping[str, VersionGate]
    releases: Mapping[tuple[str, str], Release]
    accelerators: Mapping[str, AcceleratorType]
    disk_types: Mapping[str, DiskType]
    local_ssd: LocalSsd
    shutdown_grace: ShutdownGrace
    gke_labels: Mapping[str, GkeLabel]
    gke_taints: Mapping[str, GkeTaint]
    _zones: Mapping[str, frozenset[str]]
    _quotas: files.QuotasFile

    def machine_type(self, name: str) -> MachineType:
        """The machine type of this name.

        Raises:
            UnknownMachineType: It is not in the catalogue; the error names the closest ones.
        """
        try:
            return self.machine_types[name]
        except KeyError:
            raise UnknownMachineType(name, self.machine_types) from None

    def zones(self, machine_type: str) -> frozenset[str] | None:
        """Zones of all regions in which the machine type is sold. Being sold is not being in stock.

        None: not known. General-purpose machine types are sold nearly everywhere and are not listed.

        Raises:
            UnknownMachineType: It is not in the catalogue.
        """
        return self._zones.get(self.machine_type(machine_type).name)

    def region(self, name: str) -> Region:
        """The region of this name.

        Raises:
            UnknownRegion: It is not in the catalogue; the error names the closest ones.
        """
        try:
            return self.regions[name]
        except KeyError:
            raise UnknownRegion(name, self.regions) from None

    def multi_region_of(self, regions: Iterable[str]) -> MultiRegion | None:
        """The multi-region of Cloud Storage that all of these regions belong to, or None."""
        wanted = set(regions)
        return next((found for found in self.multi_regions.values() if wanted <= set(found.regions)), None)

    def gate(self, feature: str) -> VersionGate:
        """The first GKE version with a feature, such as `spot-shutdown-grace`.

        Raises:
            UnknownVersionGate: The catalogue knows no gate of this name.
        """
        try:
            return self.version_gates[feature]
        except KeyError:
            raise UnknownVersionGate(feature, self.version_gates) from None

    def partitions(self, accelerator_type: str) -> Mapping[str, int] | None:
        """MIG partition sizes of a GPU model, with how many partitions one GPU gives. Empty: it has none. None: not known."""
        accelerator = self.accelerators.get(accelerator_type)
        return None if accelerator is None else accelerator.partitions

    def quota(self, accelerator_type: str, preemptible: bool) -> QuotaMetric:
        """The quota that GPUs of this model count against.

        Args:
            accelerator_type: GKE accelerator type.
            preemptible: True for Spot and for flex-start, which draw on the preemptible quota.
        """
        quotas = self._quotas
        name = quotas.metrics.get(accelerator_type)
        return QuotaMetric(
            name=f"{quotas.preemptible_prefix}{name}" if name and preemptible else name, source=quotas.source, as_of=quotas.as_of
        )


@cache
def catalogue() -> Catalogue:
    """The catalogue of this package; read once a process."""
    regions = files.read("regions.json", files.RegionsFile)
    areas = files.read("multi-regions.json", files.MultiRegionsFile)
    disks = files.read("disk-types.json", files.DiskTypesFile)
    ssds = files.read("local-ssds.json", files.LocalSsdsFile)
    keys = files.read("gke-owned-keys.json", files.GkeOwnedKeysFile)
    return Catalogue(
        machine_types=_machine_types(ssds),
        regions={
            name: Region(name=name, zones=tuple(f"{name}-{letter}" for letter in letters), source=regions.source, as_of=regions.as_of)
            for name, letters in regions.zones.items()
        },
        multi_regions={
            name: MultiRegion(name=name, key_location=entry.key_location, regions=entry.regions, source=areas.source, as_of=areas.as_of)
            for name, entry in areas.multi_regions.items()
        },
        version_gates={gate.feature: gate for gate in files.read("version-gates.json", files.VersionGatesFile).gates},
        releases={(release.component, release.version): release for release in files.read("releases.json", files.ReleasesFile).releases},
        accelerators={entry.name: entry for entry in files.read("accelerators.json", files.AcceleratorsFile).accelerators},
        disk_types={
            name: DiskType(name=name, min_gib=sizes.min_gib, max_gib=sizes.max_gib, source=disks.source, as_of=disks.as_of)
            for name, sizes in disks.disk_types.items()
        },
        local_ssd=LocalSsd(size_gib=ssds.size_gib, source=ssds.source, as_of=ssds.as_of),
        shutdown_grace=files.read("shutdown-grace.json", ShutdownGrace),
        gke_labels={label.key: label for label in keys.labels},
        gke_taints={taint.key: taint for taint in keys.taints},
        _zones={
            machine_type: frozenset(f"{region}-{letter}" for region, letters in block.zones.items() for letter in letters)
            for block in files.read("zones.json", files.ZonesFile).blocks
            for machine_type in block.machine_types
        },
        _quotas=files.read("quotas.json", files.QuotasFile),
    )


def _machine_types(ssds: files.LocalSsdsFile) -> dict[str, MachineType]:
    series = {entry.series: entry for entry in files.read("series.json", files.SeriesFile).series}
    by_series: dict[str, dict[CapacityKind, bool]] = defaultdict(dict)
    by_machine_type: dict[str, dict[CapacityKind, bool]] = defaultdict(dict)
    for capacity in files.read("capacity.json", files.CapacityFile).blocks:
        for name in capacity.series:
            by_series[name].update(capacity.kinds)
        for name in capacity.machine_types:
            by_machine_type[name].update(capacity.kinds)

    machine_types = {}
    for block in files.read("machine-types.json", files.MachineTypesFile).blocks:
        for name, entry in block.machine_types.items():
            bundled = ssds.bundled.get(name, 0)
            machine_types[name] = MachineType(
                name=name,
                series=block.series,
                architecture=series[block.series].architecture,
                vcpus=entry.vcpus,
                memory_gib=entry.memory_gib,
                accelerator=Accelerator(type=block.accelerator, count=entry.gpus) if block.accelerator and entry.gpus else None,
                attachable_accelerators=block.attachable_accelerators,
                bundled_local_ssds=bundled,
                allowed_local_ssds=(bundled,) if bundled else ssds.allowed.get(name),
                local_ssd_gib=ssds.size_gib_of.get(name, ssds.size_gib),
                boot_disk_types=series[block.series].boot_disk_types,
                consumption=by_series[block.series] | by_machine_type[name],
                source=block.source,
                as_of=block.as_of,
            )
    return machine_types
