"""What a node is to the scheduler: what it shows as its capacity, and what GKE leaves of it for pods.

An estimate on the safe side, because quotas are derived from it: every part is rounded down. A node's own status has the last word.
"""

from dataclasses import dataclass
from math import floor

from hybrid_pools.blueprint.catalogue import MachineType, catalogue
from hybrid_pools.blueprint.catalogue.reservations import node_reservations, reserved
from hybrid_pools.blueprint.configuration.nodes import LocalSsdUse
from hybrid_pools.blueprint.model.pools import Pool
from hybrid_pools.blueprint.model.queues import Resources

_MIB = 1024  # in one GiB

SYSTEM_PODS = Resources(cpu=400, memory=600)
"""What is kept on each node for GKE's own pods (logging, metrics, network, storage, GPU driver). Google prints no figure; it is meant to be
on the safe side, since quota that nodes cannot hold leaves admitted pods waiting."""


@dataclass(frozen=True)
class NodeResources:
    """Resources of one node.

    Attributes:
        cpu: Millicores.
        memory: MiB.
        pods: Number of pods.
        ephemeral_storage: GiB.
        gpus: `nvidia.com/gpu` as pods ask for it: a shared or partitioned GPU counts once for each share.
    """

    cpu: int
    memory: int
    pods: int
    ephemeral_storage: int
    gpus: int


@dataclass(frozen=True)
class NodeShape:
    """What of a pool's settings decides the resources of its nodes.

    Attributes:
        gpus: Whole GPUs a node.
        gpu_shares: Pods that may have a share of one GPU.
        boot_disk: GiB.
        ephemeral_ssds: Local SSD disks that serve as ephemeral storage; 0 leaves it on the boot disk.
        image_streaming: GKE keeps more memory for it.
        max_pods: None is GKE's default.
    """

    machine: MachineType
    gpus: int = 0
    gpu_shares: int = 1
    boot_disk: int = 100
    ephemeral_ssds: int = 0
    image_streaming: bool = False
    max_pods: int | None = None


def pool_shape(pool: Pool) -> NodeShape:
    """The shape of a pool's nodes."""
    ssd, gpus = pool.local_ssd, pool.accelerators
    shares = 1
    if gpus and gpus.partition:
        # A partition size that the catalogue does not know counts as one: less than there is, never more.
        shares *= (catalogue().partitions(gpus.type) or {}).get(gpus.partition, 1)
    if gpus and gpus.sharing:
        shares *= gpus.sharing.clients_per_gpu
    return NodeShape(
        machine=pool.machine,
        gpus=pool.gpus_per_node,
        gpu_shares=shares,
        boot_disk=pool.boot_disk.size_gib,
        ephemeral_ssds=ssd.count if ssd and ssd.use is LocalSsdUse.EPHEMERAL_STORAGE else 0,
        image_streaming=pool.image_streaming,
        max_pods=pool.max_pods_per_node,
    )


def capacity(shape: NodeShape) -> NodeResources:
    """What a node shows as its capacity: the machine without what kernel and node image take."""
    facts = node_reservations()
    memory = shape.machine.memory_gib * _MIB
    kernel = facts.kernel_memory
    taken = memory * kernel.fraction + kernel.fixed_mib + min(memory * kernel.correction_fraction, kernel.correction_at_most_mib)
    if shape.machine.memory_gib <= kernel.small_machine_up_to_gib:
        taken += kernel.small_machine_mib
    return NodeResources(
        cpu=shape.machine.vcpus * 1000,
        memory=floor(memory - taken),
        pods=shape.max_pods or facts.default_pods,
        ephemeral_storage=floor(_disk(shape)),
        gpus=shape.gpus * shape.gpu_shares,
    )


def allocatable(shape: NodeShape) -> NodeResources:
    """What GKE leaves of a node for pods, system pods included."""
    facts = node_reservations()
    whole = capacity(shape)
    cpu = reserved(facts.cpu, shape.machine.vcpus) * 1000
    if whole.pods > facts.default_pods:
        cpu += facts.dense_pods_cpu_millicores
    memory = reserved(facts.memory, shape.machine.memory_gib)
    if shape.image_streaming:
        memory += reserved(facts.image_streaming_memory, shape.machine.memory_gib)
    # The rounding keeps 70.00000000000001 millicores from taking a whole one more.
    return NodeResources(
        cpu=floor(round(whole.cpu - cpu, 6)),
        memory=floor(round(whole.memory - memory * _MIB - facts.eviction_memory_mib, 6)),
        pods=whole.pods,
        ephemeral_storage=floor(_pods_disk(shape)),
        gpus=whole.gpus,
    )


def pool_allocatable(pool: Pool) -> NodeResources:
    """What GKE leaves for pods on each node of a pool."""
    return allocatable(pool_shape(pool))


def node_room(pool: Pool) -> Resources:
    """What workloads may have of each node of a pool: what GKE leaves for pods, less what its own pods take."""
    node = pool_allocatable(pool)
    return Resources(max(0, node.cpu - SYSTEM_PODS.cpu), max(0, node.memory - SYSTEM_PODS.memory), node.gpus)


def _disk(shape: NodeShape) -> float:
    """Size of the file system that pods share with the node, in GiB."""
    if shape.ephemeral_ssds:
        return shape.ephemeral_ssds * shape.machine.local_ssd_gib
    storage = node_reservations().storage
    return max(0.0, shape.boot_disk * (1 - storage.image_fraction) - storage.image_gib)


def _pods_disk(shape: NodeShape) -> float:
    storage = node_reservations().storage
    if shape.ephemeral_ssds:
        system = storage.local_ssd_system_gib[min(shape.ephemeral_ssds, len(storage.local_ssd_system_gib)) - 1]
        return _disk(shape) * (1 - storage.eviction_fraction) - system
    system = min(
        shape.boot_disk * storage.system_at_most_fraction,
        storage.system_gib + shape.boot_disk * storage.system_fraction,
        storage.system_at_most_gib,
    )
    return max(0.0, _disk(shape) - shape.boot_disk * storage.eviction_fraction - system)
