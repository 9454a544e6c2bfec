"""What GKE keeps of a node for itself: CPU, memory and storage that pods do not get."""

from collections.abc import Sequence
from functools import cache

from pydantic import Field

from hybrid_pools.blueprint.catalogue import files
from hybrid_pools.blueprint.catalogue.facts import Fact, Frozen


class Step(Frozen):
    """A share of the next so many cores or GiB; the last step has no end."""

    first: float | None = Field(None, gt=0)
    fraction: float = Field(ge=0, lt=1)


class KernelMemory(Frozen):
    """Memory of the machine that the node never shows, because the kernel has it."""

    fraction: float
    fixed_mib: float
    small_machine_mib: float
    small_machine_up_to_gib: float
    correction_fraction: float
    correction_at_most_mib: float


class StorageReservation(Frozen):
    """Ephemeral storage, on the boot disk or on local SSD.

    Attributes:
        image_fraction: With `image_gib` what the node image takes of a boot disk.
        system_at_most_fraction: On a boot disk the smallest counts of this part of it, `system_gib` and `system_fraction` of it together,
            and `system_at_most_gib`.
        local_ssd_system_gib: By number of local SSD disks, from one; the last also for more.
    """

    eviction_fraction: float
    image_fraction: float
    image_gib: float
    system_at_most_fraction: float
    system_gib: float
    system_fraction: float
    system_at_most_gib: float
    local_ssd_system_gib: tuple[float, ...] = Field(min_length=1)


class NodeReservations(Fact):
    """`node-reservations.json`: Linux nodes with Container-Optimized OS.

    Attributes:
        cpu: Steps in cores.
        default_pods: Pods of a node whose pool sets no number. A node with more loses `dense_pods_cpu_millicores` besides.
        memory: Steps in GiB of the machine.
        image_streaming_memory: The same, besides, where images are streamed.
    """

    cpu: tuple[Step, ...]
    default_pods: int
    dense_pods_cpu_millicores: int
    memory: tuple[Step, ...]
    image_streaming_memory: tuple[Step, ...]
    eviction_memory_mib: int
    kernel_memory: KernelMemory
    storage: StorageReservation


def reserved(steps: Sequence[Step], amount: float) -> float:
    """What the steps take of an amount, in its unit."""
    taken = 0.0
    for step in steps:
        part = amount if step.first is None else min(amount, step.first)
        taken += part * step.fraction
        amount -= part
    return taken


@cache
def node_reservations() -> NodeReservations:
    """The reservations; read once a process."""
    return files.read("node-reservations.json", NodeReservations)
