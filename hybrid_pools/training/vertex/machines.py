"""Which machine a worker gets on Vertex AI, where every worker has one to itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import CapacityKind, MachineType, catalogue
from hybrid_pools.blueprint.catalogue.vertex import vertex_facts
from hybrid_pools.blueprint.contract import Contract, PoolContract
from hybrid_pools.blueprint.vocabulary import WorkloadClass
from hybrid_pools.training.description import Workers


@dataclass(frozen=True)
class Machine:
    """A machine as Vertex AI is asked for it.

    Attributes:
        pool: The pool of the contract that it is like.
        accelerator: Vertex AI's name of the GPU model; None without GPUs.
    """

    pool: str
    machine_type: str
    accelerator: str | None
    gpus: int

    @property
    def is_known(self) -> bool:
        """Whether Vertex AI is known to take it for training. Others it may refuse, when they are asked for."""
        known = catalogue().machine_types.get(self.machine_type)
        return known is not None and known.series in vertex_facts().machine_series


def machine_for(workers: Workers, workload_class: WorkloadClass, contract: Contract) -> Machine | tuple[str, ...]:
    """The machine like the first Spot pool of the class that suits; where none does, why not, pool by pool.

    The pool's own machine where it fits a worker, else the smallest of its series that does: on GKE several workers share a large node,
    here each would pay for one.
    """
    reasons = []
    for pool in _in_order(workload_class, contract):
        reason = _unsuited(pool, workers, contract)
        if reason is None:
            found = _machine(pool, workers)
            if isinstance(found, Machine):
                return found
            reason = found
        reasons.append(f"{pool.name} {reason}")
    return tuple(reasons)


def _in_order(workload_class: WorkloadClass, contract: Contract) -> Sequence[PoolContract]:
    """The pools in the order in which the class tries them; all, where the stack declares no classes."""
    order = next((one.pools for one in contract.classes if one.name is workload_class), None)
    if order is None:
        return contract.pools
    by_name = {pool.name: pool for pool in contract.pools}
    return [by_name[name] for name in order if name in by_name]


def _unsuited(pool: PoolContract, workers: Workers, contract: Contract) -> str | None:
    gpus = pool.accelerator
    if pool.capacity is not CapacityKind.SPOT:
        return f"is bought as {pool.capacity}, and only Spot is asked of Vertex AI"
    if workers.flavor is not None:
        pools = next((flavor.pools for flavor in contract.flavors if flavor.name == workers.flavor), ())
        if pool.name not in pools:
            return f"is not of flavor {workers.flavor}"
    if workers.accelerator is not None and (gpus is None or gpus.type != workers.accelerator):
        return f"has {gpus.type if gpus else 'no GPUs'}, and {workers.accelerator} is asked for"
    if (gpus is None) != (workers.gpus == 0):
        return f"has {gpus.type if gpus else 'no GPUs'}, and {workers.gpus or 'no'} GPUs are asked for"
    if gpus is not None and (gpus.sharing is not None or gpus.partition is not None):
        return "divides its GPUs, and Vertex AI gives whole ones"
    if gpus is not None and gpus.type not in vertex_facts().accelerators:
        return f"has {gpus.type}, which Vertex AI does not have"
    return None


def _machine(pool: PoolContract, workers: Workers) -> Machine | str:
    gpus = pool.accelerator
    accelerator = vertex_facts().accelerators[gpus.type] if gpus else None
    fits = pool.vcpus >= workers.cpu and pool.memory_gib >= workers.memory_gib
    if fits and workers.gpus == (gpus.count if gpus else 0):
        name: str | None = pool.machine_type
    else:
        name = next((machine.name for machine in sorted(_others(pool, workers), key=lambda other: (other.vcpus, other.memory_gib))), None)
    if name is None:
        asked = f"{workers.gpus} GPUs, {workers.cpu:g} CPU cores and {workers.memory_gib:g} GiB"
        return f"is of a series without a machine of {asked}, and on Vertex AI each worker has one to itself"
    return Machine(pool.name, name, accelerator, workers.gpus)


def _others(pool: PoolContract, workers: Workers) -> Iterator[MachineType]:
    """Machines of the pool's series that suit a worker. None where the catalogue of this release does not know the pool's machine."""
    known = catalogue().machine_types
    own = known.get(pool.machine_type)
    for machine in known.values() if own else ():
        here = machine.accelerator
        same = here is not None and pool.accelerator is not None and here.type == pool.accelerator.type and here.count == workers.gpus
        none = here is None and pool.accelerator is None and not machine.attachable_accelerators
        large = machine.vcpus >= workers.cpu and machine.memory_gib >= workers.memory_gib
        if own and machine.series == own.series and (same or none) and large and machine.offers(CapacityKind.SPOT) is not False:
            yield machine
