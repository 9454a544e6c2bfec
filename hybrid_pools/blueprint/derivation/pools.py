"""One pool, from what the user wrote, the role's defaults and the facts about the machine."""

from collections.abc import Mapping

from hybrid_pools.blueprint.catalogue import CapacityKind, Catalogue, GkeVersion, MachineType, Region
from hybrid_pools.blueprint.configuration import EnvironmentConfiguration, PoolConfiguration, SpotPoolConfiguration
from hybrid_pools.blueprint.configuration.nodes import Accelerator, LocalSsdUse
from hybrid_pools.blueprint.configuration.pools import DeletionPolicy
from hybrid_pools.blueprint.configuration.scaling import Limits, Surge, Upgrade
from hybrid_pools.blueprint.derivation.flavors import binding_taints, flavor_name
from hybrid_pools.blueprint.derivation.labels import pool_resource_labels
from hybrid_pools.blueprint.model import Accelerators, BootDisk, LocalSsd, LocationPolicy, NodeLimits, Pool, ShutdownGrace
from hybrid_pools.blueprint.vocabulary import (
    ARM_TAINT,
    BUFFER_TAINT,
    FLAVOR_LABEL,
    GPU_TAINT,
    QUEUED_TAINT,
    ROLE_LABEL,
    SPOT_ROLE_TAINT,
    SPOT_TAINT,
    Role,
    Taint,
)

_EXTENDED_GRACE = ShutdownGrace(seconds=120, critical_seconds=15)
_SCALE_DOWN_SECONDS = 600
"""The autoscaler gives a pod at most 10 minutes when it removes a node; upgrades give an hour.

Source: Extended-duration pods page of the GKE documentation.
"""


_ROLE_ORDER = {Role.STABLE: 0, Role.SPOT: 1, Role.BUFFER: 2}


def derive_pools(
    pools: Mapping[str, PoolConfiguration],
    environment: EnvironmentConfiguration,
    version: GkeVersion,
    region: Region,
    facts: Catalogue,
    common_labels: Mapping[str, str],
) -> tuple[Pool, ...]:
    """All pools in order of creation: stable ones first, within a role those without GPUs."""
    derived = (derive_pool(name, pool, environment, version, region, facts, common_labels) for name, pool in pools.items())
    return tuple(sorted(derived, key=lambda pool: (_ROLE_ORDER[pool.role], pool.gpus_per_node > 0, pool.name)))


def derive_pool(
    name: str,
    pool: PoolConfiguration,
    environment: EnvironmentConfiguration,
    version: GkeVersion,
    region: Region,
    facts: Catalogue,
    common_labels: Mapping[str, str],
) -> Pool:
    """Decide everything about one pool. `version` is the lowest one the control plane may have."""
    role, capacity = Role(pool.role), CapacityKind(pool.capacity.value)
    machine = facts.machine_type(pool.machine_type)
    accelerators = _accelerators(pool.accelerator, machine)
    own_taints = _user_taints(pool)
    declared = (*_role_taints(role, capacity), *own_taints)
    alone = pool.placement is not None or bool(binding_taints(own_taints))
    flavor = flavor_name(name, role, capacity, machine.architecture, accelerators, alone)
    grace = _shutdown_grace(pool, capacity, version, facts)
    zones, limits = tuple(sorted(pool.zones or region.zones)), _limits(pool.limits)
    return Pool(
        name=name,
        role=role,
        capacity=capacity,
        machine=machine,
        accelerators=accelerators,
        zones=zones,
        limits=limits,
        initial_nodes_per_zone=None if accelerators else _initial_nodes_per_zone(limits, len(zones)),
        location_policy=LocationPolicy.BALANCED if role is Role.STABLE else LocationPolicy.ANY,
        taints=declared,
        node_taints=(*declared, *_googles_taints(capacity, machine, accelerators)),
        labels=dict(pool.labels) | {ROLE_LABEL: role.value, FLAVOR_LABEL: flavor},
        resource_labels=pool_resource_labels(common_labels, role),
        boot_disk=BootDisk(pool.boot_disk.type or machine.boot_disk_types[0], pool.boot_disk.size_gib, pool.boot_disk.key),
        local_ssd=_local_ssd(pool, machine),
        image_streaming=pool.images.streaming,
        preloaded_image=pool.images.preloaded,
        reservation=pool.reservation,
        placement=pool.placement,
        upgrade=_upgrade(pool, role, capacity, accelerators),
        auto_repair=capacity not in (CapacityKind.FLEX_START, CapacityKind.QUEUED),
        drain=pool.drain,
        shutdown_grace=grace,
        usable_grace_seconds=_usable_grace(capacity, grace, facts),
        max_run_seconds=pool.max_run_seconds if isinstance(pool, SpotPoolConfiguration) else None,
        max_pods_per_node=pool.max_pods_per_node,
        kubelet=pool.kubelet,
        linux=pool.linux,
        network_tags=pool.network_tags,
        fast_socket=pool.fast_socket,
        confidential=pool.confidential,
        host_maintenance=pool.host_maintenance,
        hold_upgrades_until_end_of_support=pool.hold_upgrades_until_end_of_support,
        ignore_node_count_changes=pool.ignore_node_count_changes,
        best_effort=pool.best_effort,
        deletion_policy=_deletion_policy(pool, role, environment),
        protected=environment.protected and role is Role.STABLE,
        schedule_owned=role is Role.BUFFER,
    )


def _role_taints(role: Role, capacity: CapacityKind) -> tuple[Taint, ...]:
    if role is Role.SPOT:
        return (SPOT_TAINT,) if capacity is CapacityKind.SPOT else (SPOT_ROLE_TAINT,)
    return (BUFFER_TAINT,) if role is Role.BUFFER else ()


def _user_taints(pool: PoolConfiguration) -> tuple[Taint, ...]:
    return tuple(Taint(key, taint.value, taint.effect) for key, taint in sorted(pool.taints.items()))


def _googles_taints(capacity: CapacityKind, machine: MachineType, accelerators: Accelerators | None) -> tuple[Taint, ...]:
    return (
        *((GPU_TAINT,) if accelerators else ()),
        *((QUEUED_TAINT,) if capacity is CapacityKind.QUEUED else ()),
        *((ARM_TAINT,) if machine.architecture == "arm64" else ()),
    )


def _accelerators(wanted: Accelerator | None, machine: MachineType) -> Accelerators | None:
    own = machine.accelerator
    gpu, count = (own.type, own.count) if own else (wanted.type, wanted.count) if wanted else (None, None)
    if gpu is None or count is None:
        return None
    chosen = wanted or Accelerator()
    return Accelerators(gpu, count, chosen.driver, chosen.sharing, chosen.partition)


def _limits(limits: Limits) -> NodeLimits:
    kind = limits.per_zone or limits.total
    assert kind is not None  # noqa: S101 — the model requires exactly one
    return NodeLimits(limits.per_zone is not None, kind.minimum, kind.maximum)


def _initial_nodes_per_zone(limits: NodeLimits, zones: int) -> int | None:
    """GPU pools get none: all their nodes at once may not be in stock, and the pool would fail as a whole."""
    wanted = limits.minimum if limits.per_zone else min(-(-limits.minimum // zones), limits.maximum // zones)
    return wanted or None


def _local_ssd(pool: PoolConfiguration, machine: MachineType) -> LocalSsd | None:
    wanted = pool.local_ssd
    count = wanted.count if wanted and wanted.count is not None else machine.bundled_local_ssds
    if not count:
        return None
    return LocalSsd(wanted.use if wanted else LocalSsdUse.EPHEMERAL_STORAGE, count)


def _upgrade(pool: PoolConfiguration, role: Role, capacity: CapacityKind, accelerators: Accelerators | None) -> Upgrade | None:
    if pool.upgrade is not None:
        return pool.upgrade
    if capacity in (CapacityKind.FLEX_START, CapacityKind.QUEUED):
        return None
    # A surge node of a spot or GPU pool needs stock that may not be there, and the upgrade then stalls (google/skills gke-upgrades).
    scarce = role is not Role.STABLE or accelerators is not None
    return Upgrade(surge=Surge(max_surge=0, max_unavailable=1) if scarce else Surge(max_surge=1, max_unavailable=0))


def _shutdown_grace(pool: PoolConfiguration, capacity: CapacityKind, version: GkeVersion, facts: Catalogue) -> ShutdownGrace | None:
    if not isinstance(pool, SpotPoolConfiguration) or capacity is not CapacityKind.SPOT:
        return None
    if pool.shutdown_grace is not None:
        wanted = pool.shutdown_grace
        return ShutdownGrace(wanted.seconds, min(wanted.critical_seconds, wanted.seconds))
    return _EXTENDED_GRACE if version >= facts.gate("spot-shutdown-grace").minimum else None


def _usable_grace(capacity: CapacityKind, grace: ShutdownGrace | None, facts: Catalogue) -> int:
    if grace is not None:
        return grace.seconds - grace.critical_seconds
    if capacity in (CapacityKind.ON_DEMAND, CapacityKind.RESERVATION):
        return _SCALE_DOWN_SECONDS
    default = facts.shutdown_grace
    return default.default_seconds - default.default_critical_pods_seconds


def _deletion_policy(pool: PoolConfiguration, role: Role, environment: EnvironmentConfiguration) -> DeletionPolicy:
    if pool.deletion_policy is not None:
        return pool.deletion_policy
    return DeletionPolicy.PREVENT if environment.protected and role is Role.STABLE else DeletionPolicy.DELETE
