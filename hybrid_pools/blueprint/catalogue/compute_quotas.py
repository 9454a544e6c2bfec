"""Names of the Compute Engine quotas that nodes count against, apart from those of GPU models."""

from collections.abc import Mapping
from functools import cache

from hybrid_pools.blueprint.catalogue.facts import Fact
from hybrid_pools.blueprint.catalogue.files import read


class ComputeQuotas(Fact):
    """`compute-quotas.json`. A series or disk type that is missing has no name that is known.

    Attributes:
        cpus: Regional quota of vCPUs by machine series.
        preemptible_cpus: Regional quota of the vCPUs of Spot VMs, whatever their series.
        disks: Regional quota of disk space by disk type.
        instances: Regional quota of VMs.
        all_gpus: Quota of the GPUs of the whole project.
        all_cpus: Quota of the vCPUs of the whole project.
    """

    cpus: Mapping[str, str]
    preemptible_cpus: str
    disks: Mapping[str, str]
    instances: str
    all_gpus: str
    all_cpus: str


@cache
def compute_quotas() -> ComputeQuotas:
    """The names; read once a process."""
    return read("compute-quotas.json", ComputeQuotas)
