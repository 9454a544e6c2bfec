"""Facts about Google's cloud, as data with a source and a date: machine types, zones, capacity kinds, GKE versions, quotas."""

from hybrid_pools.blueprint.catalogue.capacity import CapacityKind
from hybrid_pools.blueprint.catalogue.errors import UnknownMachineType, UnknownName, UnknownRegion, UnknownVersionGate
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
from hybrid_pools.blueprint.catalogue.gke_version import GkeVersion
from hybrid_pools.blueprint.catalogue.lookup import Catalogue, catalogue

__all__ = [
    "Accelerator",
    "AcceleratorType",
    "CapacityKind",
    "Catalogue",
    "DiskType",
    "GkeLabel",
    "GkeTaint",
    "GkeVersion",
    "LocalSsd",
    "MachineType",
    "MultiRegion",
    "QuotaMetric",
    "Region",
    "Release",
    "ShutdownGrace",
    "UnknownMachineType",
    "UnknownName",
    "UnknownRegion",
    "UnknownVersionGate",
    "VersionGate",
    "catalogue",
]
