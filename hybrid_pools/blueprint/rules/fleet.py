"""Rules over all pools together."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import Catalogue, UnknownRegion
from hybrid_pools.blueprint.configuration import NewCluster
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.rules.rule import Finding, section_rule, view
from hybrid_pools.blueprint.vocabulary import Role

_PRIMITIVE_ROLES = ("roles/owner", "roles/editor", "roles/viewer")


@section_rule("CFG-700", "The region is known", "Regions and zones page of the Compute Engine documentation")
def region_is_known(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """An unknown region has no known zones, so nothing could be placed."""
    if reading.environment is None:
        return
    try:
        catalogue.region(reading.environment.region)
    except UnknownRegion as error:
        close = ", ".join(error.closest)
        yield Finding(
            "environment.region",
            reading.environment.region,
            "is not in the catalogue of regions",
            f"a region of the catalogue{f'; closest: {close}' if close else ''}",
            "respell it, or add it to the catalogue with its source",
        )


@section_rule(
    "CFG-701",
    "A pool without GPUs takes the system pods",
    "terraform-google-kubernetes-engine#703",
    needs_all=True,
)
def system_pods_have_a_home(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Without an untainted stable pool the cluster's own pods land on GPUs or nowhere, and GKE does not taint the GPUs."""
    if not isinstance(reading.cluster, NewCluster):
        return
    for name, pool in reading.pools.items():
        seen = view(name, pool, reading, catalogue)
        if pool.role is Role.STABLE and not seen.has_gpus and not any(taint.effect != "PreferNoSchedule" for taint in pool.taints.values()):
            return
    yield Finding(
        "pools",
        list(reading.pools),
        "no stable pool without GPUs and taints: the cluster's own pods would have nowhere to run",
        "at least one pool with role: stable on a machine without GPUs and without taints",
        "add one, for example e2-standard-4 with limits.perZone from 1 to 3",
    )


@section_rule(
    "CFG-702",
    "All pools together stay under the environment's GPU ceiling",
    "Quotas and cost pages of the GKE documentation",
    needs_all=True,
)
def gpus_stay_under_the_ceiling(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """One digit too many in a maximum can cost more in a night than the project in a year."""
    if reading.environment is None:
        return
    total, largest = 0, ("", 0)
    for name, pool in reading.pools.items():
        seen = view(name, pool, reading, catalogue)
        if seen.machine is None:
            continue
        bundled = seen.machine.accelerator.count if seen.machine.accelerator else 0
        per_node = bundled or (pool.accelerator.count if pool.accelerator and pool.accelerator.count else 0)
        limits = pool.limits.total or pool.limits.per_zone
        nodes = (limits.maximum if limits else 0) * (len(seen.zones()) if pool.limits.per_zone else 1)
        if reading.schedule is not None and name in reading.schedule.pools:
            nodes = max(nodes, reading.schedule.pools[name].training.maximum)
        total += nodes * per_node
        largest = max(largest, (name, nodes * per_node), key=lambda item: item[1])
    if total > reading.environment.max_gpus:
        yield Finding(
            "environment.maxGpus",
            reading.environment.max_gpus,
            f"the pools may reach {total} GPUs together, most of them in {largest[0]} ({largest[1]})",
            f"a ceiling of {total} or more, or lower limits",
            "lower limits, or raise the ceiling when the cost is meant",
        )


@section_rule("CFG-703", "Node accounts get no broad and no bucket roles", "Configure GKE node service accounts; CIS GKE Benchmark 5.2.1")
def node_roles_are_narrow(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Every pod that escapes to its node holds these roles; checkpoints go to workload identities instead."""
    if reading.node_identity is None:
        return
    for role, extra in reading.node_identity.extra_roles.items():
        for index, name in enumerate(extra):
            if name in _PRIMITIVE_ROLES or name.startswith("roles/storage."):
                yield Finding(
                    f"nodeIdentity.extraRoles.{role}[{index}]",
                    name,
                    "is too much for a node: every pod that escapes to it would hold it",
                    "predefined roles for logs, metrics and images",
                    "give it to the workload's own identity",
                )
