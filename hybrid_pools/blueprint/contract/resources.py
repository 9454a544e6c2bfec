"""Amounts of what quotas cover and nodes have."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.model.queues import Resources


class ResourcesContract(Part):
    """An amount of everything that quotas cover."""

    cpu_millicores: Annotated[int, Field(ge=0)]
    memory_mib: Annotated[int, Field(ge=0)]
    gpus: Annotated[int, Field(ge=0)]
    """GPUs as pods ask for them: shares or partitions where GPUs are divided."""


def resources_contract(resources: Resources) -> ResourcesContract:
    """The contract of an amount."""
    return ResourcesContract(cpu_millicores=resources.cpu, memory_mib=resources.memory, gpus=resources.gpus)
