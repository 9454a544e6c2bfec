"""Node pools of the stand-in, as far as their nodes depend on them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_pools.blueprint.allocatable import NodeShape
from hybrid_pools.blueprint.catalogue import MachineType, UnknownMachineType, catalogue
from hybrid_pools.blueprint.model import LocationPolicy, NodeLimits
from hybrid_pools.blueprint.vocabulary import ARM_TAINT, Effect, Taint
from lab.errors import LabError
from lab.google.computed import NODE_POOL
from lab.google.faults import Call, Kind
from lab.google.store import ERROR, Fault, Operation, Record, Store
from lab.google.values import Document, first

_SET_SIZE = "setSize"
_EFFECTS = {effect.google: effect for effect in Effect}


@dataclass(frozen=True)
class GpuSetup:
    """How a pool's GPUs are set up: accelerator type, driver policy, and how they are cut or shared, as Google's API spells it."""

    type: str
    count: int
    driver: str
    partition: str
    sharing: str
    clients: int


@dataclass(frozen=True)
class NodePool:
    """One node pool at the stand-in.

    Attributes:
        id: `projects/p/locations/l/clusters/c/nodePools/n`.
        location: Region or zone of the cluster.
        zones: Zones of its nodes, in the order of the pool.
        shape: What decides the resources of a node.
        labels: The pool's own node labels.
        taints: What nodes carry, GKE's own taints included.
        limits: None where the autoscaler leaves the pool alone.
        size: Nodes in each zone, as it was last asked for.
        asked: Changes whenever somebody asks for a size, also for the same one again.
        shutdown_grace: Seconds between the notice and the end of a Spot VM; None is GKE's default.
        shutdown_grace_critical: Seconds of it, at its end, for critical pods.
        in_stock: Whether there are machines of this shape now.
    """

    id: str
    location: str
    version: str
    zones: tuple[str, ...]
    machine: MachineType
    shape: NodeShape
    gpus: GpuSetup | None
    boot_disk: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    spot: bool
    flex_start: bool
    reserved: bool
    compact: bool
    limits: NodeLimits | None
    location_policy: LocationPolicy
    size: int
    asked: str
    shutdown_grace: int | None
    shutdown_grace_critical: int | None
    in_stock: bool

    @property
    def name(self) -> str:
        """Its name at Google."""
        return self.id.rpartition("/")[2]

    @property
    def cluster(self) -> str:
        """Name of its cluster."""
        return self.id.split("/")[5]

    @property
    def region(self) -> str:
        """Region of its zones."""
        return re.sub(r"-[a-z]$", "", self.location)


@dataclass(frozen=True)
class PoolsRead:
    """The pools of a store, the oldest first, and why others cannot have nodes in the lab."""

    pools: tuple[NodePool, ...]
    problems: tuple[str, ...]


def read_pools(store: Store) -> PoolsRead:
    """Every node pool of the store that the catalogue's facts suffice for."""
    records, faults = store.resources(NODE_POOL), store.faults()
    asked = _last_sizes(store.operations())
    pools, problems = [], []
    for record in records:
        try:
            pools.append(node_pool(record, faults, asked[record.id]))
        except LabError as error:
            problems.append(str(error))
    return PoolsRead(tuple(pools), tuple(problems))


def node_pool(record: Record, faults: Iterable[Fault] = (), last_set_size: int = 0) -> NodePool:
    """The pool that a record describes.

    Args:
        record: A resource of the type of node pools.
        faults: What goes wrong at the stand-in; only missing machines matter here.
        last_set_size: Number of the last `setSize` call for it that was done; 0 is none.

    Raises:
        LabError: The catalogue does not know its machine type.
    """
    document = record.document
    config: Document = document.get("nodeConfig", {})
    machine = _machine(record, config)
    gpus = _gpus(config, machine)
    size = int(document.get("nodeCount", 0))
    kubelet = config.get("kubeletConfig") or {}
    return NodePool(
        id=record.id,
        location=document["location"],
        version=document.get("version", ""),
        zones=tuple(document.get("nodeLocations") or ()),
        machine=machine,
        shape=_shape(document, config, machine, gpus),
        gpus=gpus,
        boot_disk=first(config, "bootDisk.diskType", "") or config.get("diskType", "pd-balanced"),
        labels=dict(config.get("labels") or {}),
        taints=_taints(config, machine),
        spot=bool(config.get("spot")),
        flex_start=bool(config.get("flexStart")),
        reserved=first(config, "reservationAffinity.consumeReservationType", "") in ("ANY_RESERVATION", "SPECIFIC_RESERVATION"),
        compact=first(document, "placementPolicy.type", "") == "COMPACT",
        limits=_limits(document.get("autoscaling")),
        location_policy=LocationPolicy(first(document, "autoscaling.locationPolicy", LocationPolicy.BALANCED.value)),
        size=size,
        asked=f"{record.created!r}/{last_set_size}/{size}",
        shutdown_grace=kubelet.get("shutdownGracePeriodSeconds"),
        shutdown_grace_critical=kubelet.get("shutdownGracePeriodCriticalPodsSeconds"),
        in_stock=record.status != ERROR and not any(_takes_machines(fault, record) for fault in faults),
    )


def _last_sizes(operations: Iterable[Operation]) -> Mapping[str, int]:
    last: dict[str, int] = defaultdict(int)
    for operation in operations:
        if operation.method == _SET_SIZE and operation.outcome == "done":
            last[operation.id] = operation.number
    return last


def _takes_machines(fault: Fault, record: Record) -> bool:
    return fault.kind == Kind.STOCK_OUT and Call("create", NODE_POOL, record.name).hit_by(fault)


def _machine(record: Record, config: Document) -> MachineType:
    try:
        return catalogue().machine_type(config["machineType"])
    except UnknownMachineType as error:
        raise LabError(
            f"Node pool {record.name} gets no nodes in the lab, because its resources are not known: {error} "
            "CONTRIBUTING.md says how a machine type is added."
        ) from None


def _gpus(config: Document, machine: MachineType) -> GpuSetup | None:
    given: list[dict[str, Any]] = config.get("guestAccelerators") or []
    own = machine.accelerator
    type_, count = (given[0]["type"], int(given[0]["count"])) if given else (own.type, own.count) if own else ("", 0)
    if not count:
        return None
    one = given[0] if given else {}
    return GpuSetup(
        type=type_,
        count=count,
        driver=first(one, "gpuDriverInstallationConfig.gpuDriverVersion", "DEFAULT"),
        partition=one.get("gpuPartitionSize") or "",
        sharing=first(one, "gpuSharingConfig.gpuSharingStrategy", ""),
        clients=int(first(one, "gpuSharingConfig.maxSharedClientsPerGpu", 1)),
    )


def _shape(document: Document, config: Document, machine: MachineType, gpus: GpuSetup | None) -> NodeShape:
    partitions = (catalogue().partitions(gpus.type) or {}).get(gpus.partition, 1) if gpus and gpus.partition else 1
    return NodeShape(
        machine=machine,
        gpus=gpus.count if gpus else 0,
        gpu_shares=partitions * gpus.clients if gpus else 1,
        boot_disk=int(first(config, "bootDisk.sizeGb", 0) or config.get("diskSizeGb", 100)),
        ephemeral_ssds=int(first(config, "ephemeralStorageLocalSsdConfig.localSsdCount", 0)),
        image_streaming=bool(first(config, "gcfsConfig.enabled", False)),
        max_pods=document.get("maxPodsPerNode"),
    )


def _taints(config: Document, machine: MachineType) -> tuple[Taint, ...]:
    declared = config.get("effectiveTaints") or config.get("taints") or []
    taints = [Taint(taint["key"], taint.get("value", ""), _EFFECTS[taint["effect"]]) for taint in declared]
    arm = [ARM_TAINT] if machine.architecture == "arm64" and ARM_TAINT not in taints else []
    return (*taints, *arm)


def _limits(autoscaling: Document | None) -> NodeLimits | None:
    if not autoscaling:
        return None
    if "totalMaxNodeCount" in autoscaling:
        return NodeLimits(False, int(autoscaling.get("totalMinNodeCount", 0)), int(autoscaling["totalMaxNodeCount"]))
    return NodeLimits(True, int(autoscaling.get("minNodeCount", 0)), int(autoscaling.get("maxNodeCount", 0)))
