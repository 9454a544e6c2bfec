"""Kueue flavors: pools that are one and the same to whoever waits for nodes.

A flavor never mixes what a workload must be able to tell apart: role, exact GPU, how GPUs are divided, how nodes are bought. So a run that
comes back on its flavor meets the same hardware.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from hybrid_pools.blueprint.allocatable import node_room
from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.model.pools import Accelerators, Pool
from hybrid_pools.blueprint.model.queues import Flavor, Resources, Toleration
from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    FLAVOR_LABEL,
    GPU_KEY,
    QUEUED_KEY,
    ROLE_LABEL,
    SPOT_KEY,
    TOPOLOGY,
    Effect,
    Role,
    Taint,
)

_KEYS_OF_ROLES = (SPOT_KEY, ROLE_LABEL, GPU_KEY, QUEUED_KEY)
_SUFFIXES = {CapacityKind.FLEX_START: "-flex-start", CapacityKind.QUEUED: "-queued"}


def gpu_family(accelerator_type: str) -> str:
    """Short name of a GPU: its GKE accelerator type without the maker, so that different types never share one."""
    return accelerator_type.removeprefix("nvidia-").removeprefix("tesla-")


def flavor_name(
    pool: str, role: Role, capacity: CapacityKind, architecture: Literal["amd64", "arm64"], gpus: Accelerators | None, alone: bool
) -> str:
    """Name of the flavor of a pool, at most 63 characters.

    Args:
        alone: Whether no other pool may share it: a job on a compactly placed pool must stay in it, and taints of the user's keep others
            off.
    """
    if alone:
        # No GPU is called so, and no flavor of several pools either.
        return f"{role}-pool-{pool}"
    name = f"{role}-{gpu_family(gpus.type) if gpus else 'cpu'}"
    if architecture != "amd64":
        name += f"-{architecture}"
    name += _SUFFIXES.get(capacity, "")
    if gpus and gpus.partition:
        # A label's value takes no plus sign.
        name += f"-{gpus.partition.replace('+', '-')}"
    if gpus and gpus.sharing:
        name += f"-{gpus.sharing.strategy}-{gpus.sharing.clients_per_gpu}"
    return name


def derive_flavors(pools: Iterable[Pool], training_nodes: Mapping[str, int]) -> tuple[Flavor, ...]:
    """The flavors, in the order of their first pools.

    Args:
        training_nodes: Nodes at the most of each buffer pool while training has it.
    """
    by_name: dict[str, list[Pool]] = {}
    for pool in pools:
        by_name.setdefault(pool.labels[FLAVOR_LABEL], []).append(pool)
    return tuple(_flavor(name, members, training_nodes) for name, members in by_name.items())


def unit(flavor: Flavor) -> str:
    """What quotas of the flavor are counted in."""
    return "GPUs" if flavor.capacity.gpus else "vCPUs"


def amount(flavor: Flavor, resources: Resources) -> int:
    """Resources in the flavor's unit, rounded down."""
    return resources.gpus if flavor.capacity.gpus else resources.cpu // 1000


def part(flavor: Flavor, units: int) -> Resources:
    """So many GPUs or vCPUs of a flavor with the CPU and memory that go with them. Rounded down, so that parts never add up to more than
    the whole; a whole node's GPUs bring all that pods may have of a node where the flavor's machines are alike."""
    whole = flavor.capacity
    if whole.gpus:
        return Resources(cpu=units * whole.cpu // whole.gpus, memory=units * whole.memory // whole.gpus, gpus=units)
    cpu = units * 1000
    return Resources(cpu=cpu, memory=cpu * whole.memory // whole.cpu if whole.cpu else 0)


def is_for_all(flavor: Flavor) -> bool:
    """Whether the name of its role stands for it as well. Not where nodes are of another architecture, on which most images do not run, nor
    where they carry taints of the user's, which are there to keep others off."""
    return all(taint.key in _KEYS_OF_ROLES for taint in flavor.node_taints)


def binding_taints(taints: Iterable[Taint]) -> tuple[Taint, ...]:
    """Those that keep pods off; Kueue looks at no others."""
    return tuple(taint for taint in taints if taint.effect is not Effect.PREFER_NO_SCHEDULE)


def _flavor(name: str, pools: Sequence[Pool], training_nodes: Mapping[str, int]) -> Flavor:
    first = pools[0]
    taints = binding_taints(first.node_taints)
    # Beside the flavor's own label those by which workloads choose: Kueue compares a pod's selector with them and leaves others aside.
    labels = {FLAVOR_LABEL: name, ROLE_LABEL: first.role.value}
    if first.accelerators:
        labels[ACCELERATOR_LABEL] = first.accelerators.type
    if first.is_spot_vm:
        labels[SPOT_KEY] = "true"
    return Flavor(
        name=name,
        role=first.role,
        gpu_family=gpu_family(first.accelerators.type) if first.accelerators else None,
        pools=tuple(pool.name for pool in pools),
        node_labels=labels,
        node_taints=taints,
        tolerations=tuple(Toleration(taint.key, taint.value, taint.effect) for taint in taints),
        topology=TOPOLOGY if _keeps_its_nodes_close(first) else None,
        capacity=_sum(_capacity(pool, training_nodes.get(pool.name, pool.max_nodes)) for pool in pools),
        usable_grace_seconds=min(pool.usable_grace_seconds for pool in pools),
    )


def _keeps_its_nodes_close(pool: Pool) -> bool:
    """Kueue counts the nodes that are there when it looks for a place in a topology, so a pool that grows from few nodes would never grow.
    Its nodes are close together all the same: it is a flavor of its own, and a job of it stays in it."""
    return pool.placement is not None and pool.limits.minimum == pool.limits.maximum and pool.role is not Role.BUFFER


def _capacity(pool: Pool, nodes: int) -> Resources:
    node = node_room(pool)
    return Resources(cpu=nodes * node.cpu, memory=nodes * node.memory, gpus=nodes * node.gpus)


def _sum(parts: Iterable[Resources]) -> Resources:
    found = list(parts)
    return Resources(sum(part.cpu for part in found), sum(part.memory for part in found), sum(part.gpus for part in found))
