"""What a node is made of must exist and fit together."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import UnknownMachineType
from hybrid_pools.blueprint.configuration.nodes import LocalSsdUse
from hybrid_pools.blueprint.rules.rule import Finding, PoolView, pool_rule

_TOOLKIT = "cluster-toolkit gke-node-pool preconditions"


def _listed(values: object) -> str:
    return ", ".join(str(value) for value in values) if isinstance(values, list | tuple | set | frozenset) else str(values)


@pool_rule("CFG-101", "The machine type is known", "Compute Engine machine families")
def machine_type_is_known(view: PoolView) -> Iterator[Finding]:
    """An unknown machine has no known GPUs, disks or zones, so nothing else could be checked."""
    if view.machine is None:
        try:
            view.catalogue.machine_type(view.pool.machine_type)
        except UnknownMachineType as error:
            close = _listed(error.closest)
            yield Finding(
                "machineType",
                view.pool.machine_type,
                "is not in the catalogue, so its GPUs, disks and zones cannot be checked",
                f"a machine type of the catalogue{f'; closest: {close}' if close else ''}",
                "respell it, or add it to the catalogue with its source (CONTRIBUTING.md, Add a machine type)",
            )


@pool_rule("CFG-102", "The GPUs are those of the machine", f"{_TOOLKIT}; Compute Engine accelerator-optimized machines")
def accelerator_fits_machine(view: PoolView) -> Iterator[Finding]:
    """GKE refuses a GPU type or count that the machine does not have; an N1 machine takes only certain counts."""
    wanted, machine = view.pool.accelerator, view.machine
    if machine is None:
        return
    own = machine.accelerator
    if own is not None:
        if wanted is not None and wanted.type not in (None, own.type):
            yield Finding("accelerator.type", wanted.type, f"{machine.name} comes with {own.type}", own.type, "leave accelerator.type out")
        if wanted is not None and wanted.count not in (None, own.count):
            yield Finding(
                "accelerator.count",
                wanted.count,
                f"{machine.name} comes with {own.count} GPU{'' if own.count == 1 else 's'} a node",
                str(own.count),
                "leave accelerator.count out",
            )
        return
    if wanted is None:
        return
    if not machine.attachable_accelerators:
        yield Finding(
            "accelerator",
            wanted,
            f"{machine.name} takes no GPUs, so GKE would refuse the pool",
            "no accelerator on this machine series",
            "choose a GPU machine (g2, a2, a3, a4 …) or remove accelerator",
        )
        return
    counts = machine.attachable_accelerators.get(wanted.type or "")
    if counts is None:
        known = _listed(sorted(machine.attachable_accelerators))
        message = f"is missing: {machine.name} has no GPU of its own" if wanted.type is None else f"cannot be attached to {machine.name}"
        yield Finding("accelerator.type", wanted.type, message, known, "name one of these types")
    elif wanted.count not in counts:
        yield Finding(
            "accelerator.count",
            wanted.count,
            f"is missing: {machine.name} takes {wanted.type} in several numbers"
            if wanted.count is None
            else f"{machine.name} does not take this number of {wanted.type}",
            _listed(counts),
            "use one of these counts",
        )


@pool_rule("CFG-103", "Every zone lies in the environment's region, once", _TOOLKIT)
def zones_are_of_the_region(view: PoolView) -> Iterator[Finding]:
    """A regional cluster has nodes in its own region only."""
    if view.region is None or view.pool.zones is None:
        return
    for index, zone in enumerate(view.pool.zones):
        if zone not in view.region.zones:
            yield Finding(
                f"zones[{index}]",
                zone,
                f"is no zone of {view.region.name}, where the cluster is",
                _listed(view.region.zones),
                "use zones of the region",
            )
        elif zone in view.pool.zones[:index]:
            yield Finding(
                f"zones[{index}]", zone, "comes twice; limits per zone would look larger than they are", "each zone once", "remove one"
            )


@pool_rule("CFG-104", "A GPU pool writes its zones out", "terraform-google-kubernetes-engine#263, #685")
def gpu_zones_are_explicit(view: PoolView) -> Iterator[Finding]:
    """GPUs are missing in some zones of most regions; a pool over all of them fails on the one that lacks them."""
    if view.has_gpus and view.pool.zones is None and view.machine is not None:
        sold = view.catalogue.zones(view.machine.name)
        here = sorted(zone for zone in sold or () if view.region is None or zone in view.region.zones)
        yield Finding(
            "zones",
            None,
            "is missing: GPUs are not sold in every zone, and one zone without them fails the whole pool",
            _listed(here) if here else "zones that sell the machine",
            "list the zones",
        )


@pool_rule(
    "CFG-105",
    "The machine is sold in every zone of the pool",
    f"{_TOOLKIT}; GPU regions and zones page of the Compute Engine documentation",
)
def machine_is_sold_in_the_zones(view: PoolView) -> Iterator[Finding]:
    """Google fails the whole pool when one zone does not offer the machine."""
    if view.machine is None:
        return
    sold = view.catalogue.zones(view.machine.name)
    if sold is None:
        return
    for index, zone in enumerate(view.pool.zones or ()):
        if zone not in sold and (view.region is None or zone in view.region.zones):
            here = sorted(other for other in sold if view.region is None or other in view.region.zones)
            yield Finding(
                f"zones[{index}]",
                zone,
                f"does not offer {view.machine.name}, and one such zone fails the whole pool",
                _listed(here) if here else f"no zone of this region; {view.machine.name} is sold in {_listed(sorted(sold))}",
                "use these zones" if here else "choose another machine or region",
            )


@pool_rule(
    "CFG-106",
    "The boot disk type goes with the machine series",
    "Accelerator-optimized machine family page of the Compute Engine documentation, disks",
)
def boot_disk_fits_series(view: PoolView) -> Iterator[Finding]:
    """The newest series boot from Hyperdisk only, older ones from Persistent Disk only."""
    wanted, machine = view.pool.boot_disk.type, view.machine
    if machine is not None and wanted is not None and wanted not in machine.boot_disk_types:
        yield Finding(
            "bootDisk.type",
            wanted,
            f"the {machine.series} series does not boot from it",
            _listed(machine.boot_disk_types),
            f"leave it out for {machine.boot_disk_types[0]}",
        )


@pool_rule("CFG-107", "Local SSD is the bundle or an allowed number", f"{_TOOLKIT}; cluster-toolkit#2968")
def local_ssd_fits_machine(view: PoolView) -> Iterator[Finding]:
    """Bundled disks must be declared exactly, or every preview wants to replace the pool."""
    wanted, machine = view.pool.local_ssd, view.machine
    if machine is None or wanted is None:
        return
    bundled = machine.bundled_local_ssds
    if wanted.count is None:
        if not bundled:
            yield Finding(
                "localSsd.count",
                None,
                f"is missing and {machine.name} bundles no disks",
                _ssd_counts(view),
                "say how many disks, or remove localSsd",
            )
    elif bundled and wanted.count != bundled:
        yield Finding(
            "localSsd.count", wanted.count, f"{machine.name} always comes with {bundled} disks", str(bundled), "leave localSsd.count out"
        )
    elif not bundled and machine.allowed_local_ssds is not None and wanted.count not in machine.allowed_local_ssds:
        yield Finding(
            "localSsd.count", wanted.count, f"{machine.name} does not take this number of disks", _ssd_counts(view), "use an allowed number"
        )
    if wanted.use is LocalSsdUse.RAW_BLOCK and wanted.count == 0:
        yield Finding("localSsd.count", 0, "raw block use without a disk means nothing", "1 or more", "remove localSsd")


def _ssd_counts(view: PoolView) -> str:
    allowed = view.machine.allowed_local_ssds if view.machine else None
    return _listed(allowed) if allowed is not None else "see the Local SSD page for the machine"


@pool_rule("CFG-108", "Partitions exist for the GPU", "Compute Engine accelerator-optimized machines, multi-instance GPU")
def partition_exists(view: PoolView) -> Iterator[Finding]:
    """Not every GPU can be cut, and each only into its own sizes."""
    wanted, machine = view.pool.accelerator, view.machine
    if wanted is None or wanted.partition is None or machine is None:
        return
    gpu = machine.accelerator.type if machine.accelerator else wanted.type
    sizes = view.catalogue.partitions(gpu) if gpu else None
    if sizes is not None and wanted.partition not in sizes:
        yield Finding(
            "accelerator.partition",
            wanted.partition,
            f"{gpu} cannot be cut into this size" if sizes else f"{gpu} cannot be partitioned",
            _listed(sorted(sizes)) or "no partition",
            "use one of these sizes" if sizes else "remove partition",
        )


@pool_rule("CFG-109", "GPU features stand on GPU pools", "Terraform provider documentation of google_container_node_pool")
def gpu_features_need_gpus(view: PoolView) -> Iterator[Finding]:
    """NCCL Fast Socket does nothing without GPUs."""
    if view.pool.fast_socket and view.machine is not None and not view.has_gpus:
        yield Finding("fastSocket", "true", "the pool has no GPUs, so nothing uses it", "false on pools without GPUs", "remove fastSocket")


@pool_rule(
    "CFG-110",
    "Preloaded images need image streaming and a version that knows them",
    "Terraform provider documentation of google_container_node_pool, secondary_boot_disks",
)
def preloading_is_possible(view: PoolView) -> Iterator[Finding]:
    """GKE mounts a secondary boot disk only through image streaming."""
    images = view.pool.images
    if images.preloaded is None:
        return
    if not images.streaming:
        yield Finding(
            "images.streaming",
            "false",
            "preloaded images are reached through image streaming",
            "true with preloaded",
            "set streaming: true",
        )
    yield from gate(view, "secondary-boot-disks", "images.preloaded", images.preloaded)


def gate(view: PoolView, feature: str, at: str, value: object) -> Iterator[Finding]:
    """A finding where the cluster's lowest version is older than a feature."""
    known = view.catalogue.gate(feature)
    if view.version is not None and view.version < known.minimum:
        yield Finding(
            at,
            value,
            f"GKE {known.minimum} is the first with {known.why}, but the cluster is only known to have {view.version}",
            f"a cluster from {known.minimum} on",
            "raise cluster.minimumVersion (after the upgrade on an existing cluster), or leave the feature out",
        )
