"""Generators of valid stack configurations, over all roles, capacities, machine types and features. Valid by construction.

`sections` makes what a stack file says, `environments` what was checked, `blueprints` what was derived.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import CapacityKind, GkeVersion, MachineType, catalogue
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import Effect, Role
from tests.access_strategies import people
from tests.bucket_strategies import buckets, can_have_buckets
from tests.queue_strategies import NEEDED_VERSION, can_have_queues, with_queues

Sections = dict[str, Any]

FILE = "Pulumi.generated.yaml"
"""What `check` is told the configuration was read from."""

_CAPACITIES = {
    Role.STABLE: (CapacityKind.ON_DEMAND, CapacityKind.RESERVATION),
    Role.BUFFER: (CapacityKind.ON_DEMAND, CapacityKind.RESERVATION),
    Role.SPOT: (CapacityKind.SPOT, CapacityKind.FLEX_START, CapacityKind.QUEUED),
}
_COMPACT_FLEX_SERIES = ("a3-ultra", "a4")
_MOST_GPUS = 10_000
_KEY = "projects/acme/locations/global/keyRings/ring/cryptoKeys/key"

_names = st.from_regex(r"[a-z]([-a-z0-9]{0,10}[a-z0-9])?", fullmatch=True)
_label_values = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?)?", fullmatch=True)
_free_keys = st.from_regex(r"(acme\.example/)?[a-z]([-a-z0-9_.]{0,8}[a-z0-9])?", fullmatch=True)
_google_values = st.from_regex(r"[-a-z0-9_]{1,20}", fullmatch=True)
_versions = st.sampled_from(["1.28", "1.30.5", "1.33.4-gke.1000", "1.34.1-gke.2364000", "1.35.0-gke.1171000", "1.36"])


@cache
def _zones_of(machine: str, region: str) -> tuple[str, ...]:
    """Zones of the region in which the machine may stand, as far as the catalogue knows."""
    facts = catalogue()
    sold = facts.zones(machine)
    return tuple(zone for zone in facts.region(region).zones if sold is None or zone in sold)


@cache
def _machines(capacity: CapacityKind, region: str) -> Mapping[str, list[MachineType]]:
    """By series, so that series of one machine type are drawn as often as those of twenty."""
    series: dict[str, list[MachineType]] = {}
    for machine in catalogue().machine_types.values():
        if machine.offers(capacity) is not False and _zones_of(machine.name, region):
            series.setdefault(machine.series, []).append(machine)
    return series


@cache
def _plain_machines(region: str) -> tuple[MachineType, ...]:
    sold = _machines(CapacityKind.ON_DEMAND, region).values()
    return tuple(machine for machines in sold for machine in machines if machine.accelerator is None)


@st.composite
def _environment_sections(draw: st.DrawFn, region: str) -> Sections:
    return draw(
        st.fixed_dictionaries(
            {
                "name": st.from_regex(r"[a-z]([-a-z0-9]{0,14}[a-z0-9])?", fullmatch=True),
                "project": st.from_regex(r"[a-z][-a-z0-9]{4,28}[a-z0-9]", fullmatch=True),
                "region": st.just(region),
                "team": _google_values,
                "costCenter": _google_values,
                "maxGpus": st.just(_MOST_GPUS),
            },
            optional={
                "labels": st.dictionaries(st.from_regex(r"[a-z][-a-z0-9_]{0,10}", fullmatch=True), _google_values, max_size=2),
                "protected": st.booleans(),
            },
        )
    )


def _networks() -> st.SearchStrategy[Sections]:
    def ranges(octet: int) -> Sections:
        return {"nodes": f"10.{octet}.0.0/18", "pods": f"{octet + 20}.0.0.0/9", "services": f"10.{octet}.64.0/20"}

    new = st.fixed_dictionaries(
        {"ranges": st.integers(0, 100).map(ranges)},
        optional={
            "operationsRanges": st.lists(st.sampled_from(["192.168.0.0/24", "192.168.4.0/22"]), unique=True),
            "flowLogs": st.booleans(),
            "natPortsPerVm": st.integers(64, 65536),
        },
    )
    names = st.fixed_dictionaries(
        {"network": _names, "subnetwork": _names, "podsRange": _names, "servicesRange": _names},
        optional={"hostProject": st.just("acme-net")},
    )
    return new | st.fixed_dictionaries({"existing": names})


def _clusters(version: str) -> st.SearchStrategy[Sections]:
    exclusion = {"start": "2026-12-15T00:00:00Z", "end": "2027-01-10T00:00:00Z"}
    new = st.fixed_dictionaries(
        {
            "minimumVersion": st.just(version),
            "maintenanceWindow": st.fixed_dictionaries(
                {
                    "start": st.just("2026-01-03T00:00:00Z"),
                    "end": st.sampled_from(["2026-01-03T06:00:00Z", "2026-01-03T12:00:00Z"]),
                    "recurrence": st.sampled_from(["FREQ=DAILY", "FREQ=DAILY;INTERVAL=2", "FREQ=WEEKLY;BYDAY=SA,SU"]),
                }
            ),
        },
        optional={
            "releaseChannel": st.sampled_from(["RAPID", "REGULAR", "STABLE", "EXTENDED"]),
            "maintenanceExclusions": st.sampled_from([{}, {"year-end": {**exclusion, "scope": "NO_UPGRADES"}}]),
            "controlPlaneNetworks": st.sampled_from([{}, {"office": "198.51.100.0/24"}]),
            "securityGroup": st.just("gke-security-groups@acme.example"),
            "secretsKey": st.just(_KEY),
            "optimizeUtilization": st.booleans(),
        },
    )
    existing = st.fixed_dictionaries({"existing": st.fixed_dictionaries({"name": _names, "minimumVersion": st.just(version)})})
    return new | existing


def _node_ranges(lowest: int = 0) -> st.SearchStrategy[Sections]:
    """A maximum, and a minimum that is left out or not above it."""
    return st.integers(max(1, lowest), 20).flatmap(
        lambda maximum: st.fixed_dictionaries({"maximum": st.just(maximum)}, optional={"minimum": st.integers(lowest, maximum)})
    )


@st.composite
def _limits(draw: st.DrawFn, role: Role) -> Sections:
    if role is Role.SPOT:
        return {"total": {"maximum": draw(st.integers(1, 20))}}
    return {draw(st.sampled_from(["perZone", "total"])) if role is Role.STABLE else "total": draw(_node_ranges())}


@st.composite
def _accelerator(draw: st.DrawFn, machine: MachineType) -> Sections | None:
    """What may be said about the machine's GPUs, or None where nothing is said."""
    chosen: Sections = {}
    if machine.accelerator is not None:
        gpu = machine.accelerator.type
        if draw(st.booleans()):
            return None
        if draw(st.booleans()):
            chosen |= {"type": gpu, "count": machine.accelerator.count}
    elif bool(machine.attachable_accelerators) and draw(st.booleans()):
        gpu, counts = draw(st.sampled_from(sorted(machine.attachable_accelerators.items())))
        chosen |= {"type": gpu, "count": draw(st.sampled_from(counts))}
    else:
        return None
    partitions = catalogue().partitions(gpu)
    sharing = st.fixed_dictionaries({"strategy": st.sampled_from(["time-sharing", "mps"]), "clientsPerGpu": st.integers(2, 48)})
    optional: dict[str, st.SearchStrategy[Any]] = {"driver": st.sampled_from(["default", "latest", "disabled"]), "sharing": sharing}
    if partitions:
        optional["partition"] = st.sampled_from(sorted(partitions))
    return chosen | draw(st.fixed_dictionaries({}, optional=optional))


@st.composite
def _local_ssd(draw: st.DrawFn, machine: MachineType) -> Sections:
    use = draw(st.fixed_dictionaries({}, optional={"use": st.sampled_from(["ephemeral-storage", "raw-block"])}))
    if machine.bundled_local_ssds:
        return use | draw(st.fixed_dictionaries({}, optional={"count": st.just(machine.bundled_local_ssds)}))
    counts = machine.allowed_local_ssds or (0,)
    return use | {"count": draw(st.sampled_from([count for count in counts if count or use.get("use") != "raw-block"]))}


@st.composite
def _upgrade(draw: st.DrawFn, blue_green: bool, autoscaled: bool) -> Sections:
    if not blue_green or draw(st.booleans()):
        surge = draw(st.integers(0, 20))
        return {"surge": {"maxSurge": surge, "maxUnavailable": draw(st.integers(0 if surge else 1, 20 - surge))}}
    soak = draw(st.fixed_dictionaries({}, optional={"soakSeconds": st.integers(0, 604_800)}))
    way = {"autoscaled": True} if autoscaled and draw(st.booleans()) else {"batchPercent": draw(st.integers(1, 100))}
    return {"blueGreen": soak | way}


_ANYWHERE: Mapping[str, st.SearchStrategy[Any]] = {
    "drain": st.fixed_dictionaries({}, optional={"respectDisruptionBudgets": st.booleans(), "graceSeconds": st.integers(0, 86_400)}),
    "labels": st.dictionaries(_free_keys, _label_values, max_size=2),
    "maxPodsPerNode": st.integers(8, 256),
    "kubelet": st.fixed_dictionaries(
        {}, optional={"cpuManager": st.sampled_from(["static", "none"]), "podPidsLimit": st.integers(1024, 4_194_304)}
    ),
    "linux": st.sampled_from([{"sysctls": {"net.core.somaxconn": "4096"}}, {"hugepages2Mib": 512}]),
    "networkTags": st.lists(_names, max_size=2, unique=True),
    "confidential": st.booleans(),
    "hostMaintenance": st.sampled_from(["AS_NEEDED", "PERIODIC"]),
    "holdUpgradesUntilEndOfSupport": st.booleans(),
    "ignoreNodeCountChanges": st.booleans(),
    "deletionPolicy": st.sampled_from(["delete", "prevent", "abandon"]),
}
"""What any pool may say whatever its machine."""

_taints = st.dictionaries(
    _free_keys, st.fixed_dictionaries({"value": _label_values, "effect": st.sampled_from([effect.value for effect in Effect])}), max_size=2
)


def _boot_disks(machine: MachineType) -> st.SearchStrategy[Sections]:
    return st.fixed_dictionaries(
        {}, optional={"type": st.sampled_from(machine.boot_disk_types), "sizeGib": st.integers(10, 65536), "key": st.just(_KEY)}
    )


@st.composite
def _spot_settings(draw: st.DrawFn, capacity: CapacityKind, version: GkeVersion) -> Sections:
    facts = catalogue()
    if capacity is not CapacityKind.SPOT:
        return draw(st.fixed_dictionaries({}, optional={"maxRunSeconds": st.integers(600, 7 * 24 * 3600)}))
    if version < facts.gate("spot-shutdown-grace").minimum or draw(st.booleans()):
        return {}
    seconds = draw(st.sampled_from([seconds for seconds in facts.shutdown_grace.allowed_seconds if seconds]))
    critical = st.fixed_dictionaries({}, optional={"criticalSeconds": st.integers(0, max(0, seconds - 1))})
    return {"shutdownGrace": {"seconds": seconds} | draw(critical)}


@st.composite
def pool_sections(draw: st.DrawFn, region: str, version: GkeVersion) -> Sections:
    """One pool of any role that stands in `region` on a cluster of `version`."""
    facts = catalogue()
    role = draw(st.sampled_from(list(Role)))
    flex_is_possible = version >= facts.gate("flex-start").minimum
    capacity = draw(st.sampled_from([kind for kind in _CAPACITIES[role] if kind is not CapacityKind.FLEX_START or flex_is_possible]))
    machine = draw(st.sampled_from(sorted(_machines(capacity, region).items())).flatmap(lambda series: st.sampled_from(series[1])))
    pool: Sections = {"role": role.value, "machineType": machine.name, "limits": draw(_limits(role))}
    if capacity.value != ("spot" if role is Role.SPOT else "on-demand") or draw(st.booleans()):
        pool["capacity"] = capacity.value
    if capacity is CapacityKind.RESERVATION:
        pool["reservation"] = draw(st.sampled_from([{}, {"name": "block-1"}, {"name": "block-1", "project": "acme-shared"}]))
    accelerator = draw(_accelerator(machine))
    if accelerator is not None:
        pool["accelerator"] = accelerator
    has_gpus = machine.accelerator is not None or accelerator is not None

    compact = (
        draw(st.booleans())
        and capacity is not CapacityKind.QUEUED
        and (capacity is not CapacityKind.FLEX_START or machine.series in _COMPACT_FLEX_SERIES)
    )
    if compact:
        pool["placement"] = draw(st.sampled_from([{}, {"policy": "close"}]))
    if compact or has_gpus or draw(st.booleans()):
        zones = _zones_of(machine.name, region)
        pool["zones"] = draw(st.lists(st.sampled_from(zones), min_size=1, max_size=1 if compact else len(zones), unique=True))

    optional = dict(_ANYWHERE)
    optional["taints"] = _taints
    optional["bootDisk"] = _boot_disks(machine)
    optional["bestEffort"] = st.fixed_dictionaries({}, optional={"minimumNodes": st.integers(0, 1)})
    optional["images"] = st.just({"streaming": False})
    if version >= facts.gate("secondary-boot-disks").minimum:
        optional["images"] |= st.just({"preloaded": "projects/acme/global/images/cache"})
    if machine.bundled_local_ssds or machine.allowed_local_ssds:
        with_disks = bool(machine.bundled_local_ssds) or machine.allowed_local_ssds != (0,)
        optional["localSsd"] = _local_ssd(machine) if with_disks else st.just({"count": 0})
    if capacity in (CapacityKind.ON_DEMAND, CapacityKind.RESERVATION, CapacityKind.SPOT):
        autoscaled = version >= facts.gate("autoscaled-blue-green").minimum
        optional["upgrade"] = _upgrade(blue_green=not has_gpus and not compact, autoscaled=autoscaled)
    if has_gpus:
        optional["fastSocket"] = st.booleans()
    pool |= draw(st.fixed_dictionaries({}, optional=optional))
    return pool | (draw(_spot_settings(capacity, version)) if role is Role.SPOT else {})


@st.composite
def _home_of_system_pods(draw: st.DrawFn, region: str) -> Sections:
    machine = draw(st.sampled_from(_plain_machines(region)))
    return {"role": "stable", "machineType": machine.name, "limits": draw(_limits(Role.STABLE))}


@st.composite
def _schedules(draw: st.DrawFn, buffers: list[str]) -> Sections:
    """In UTC and outside the maintenance windows of `_clusters`; `tests.schedules` looks into calendars themselves."""
    drain = draw(st.integers(0, 20))
    return {
        "timeZone": "Etc/UTC",
        "windows": {
            "afternoons": {
                "days": draw(st.lists(st.sampled_from(["mon", "wed", "fri", "sun"]), min_size=1, unique=True)),
                "start": draw(st.sampled_from(["13:00", "14:30"])),
                "end": draw(st.sampled_from(["19:00", "22:00"])),
            }
        },
        "leadMinutes": drain + 10 + 2 * len(buffers) + draw(st.integers(0, 60)),
        "drainMinutes": drain,
        "pools": {name: {"training": draw(_node_ranges())} for name in buffers},
        "frozen": draw(st.booleans()),
    }


@st.composite
def sections(draw: st.DrawFn, queued: bool = False) -> Sections:
    """What a stack file says under `config:`, without the namespace. `check` accepts every one.

    Args:
        queued: Whether the Kubernetes side is wanted; otherwise it comes now and then. Pools too small for it go without all the same.
    """
    region = draw(st.sampled_from(["us-central1", "europe-west4"]) | st.sampled_from(sorted(catalogue().regions)))
    version = draw(_versions.filter(lambda text: GkeVersion(text) >= NEEDED_VERSION) if queued else _versions)
    pools = draw(
        st.dictionaries(
            st.from_regex(r"[a-z]([-a-z0-9]{0,25}[a-z0-9])?", fullmatch=True), pool_sections(region, GkeVersion(version)), max_size=4
        )
    )
    made: Sections = {
        "environment": draw(_environment_sections(region)),
        "network": draw(_networks()),
        "cluster": draw(_clusters(version)),
        # The second position, so that order in the file and order of creation differ.
        "pools": dict([*list(pools.items())[:1], ("services", draw(_home_of_system_pods(region))), *list(pools.items())[1:]]),
    }
    if "existing" in made["cluster"]:
        del made["network"]
    if queued or draw(st.booleans()):
        made |= draw(people(fewest_teams=1 if queued else 0))
    if can_have_buckets(made["environment"]) and draw(st.booleans()):
        made["buckets"] = draw(buckets(region))
    buffers = [str(name) for name, pool in made["pools"].items() if pool["role"] == Role.BUFFER]
    if bool(buffers) and draw(st.booleans()):
        made["schedule"] = draw(_schedules(buffers))
    if draw(st.booleans()):
        extra = st.lists(st.sampled_from(["roles/monitoring.viewer", "roles/logging.viewer"]), unique=True)
        made["nodeIdentity"] = draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "extraRoles": st.dictionaries(st.sampled_from([role.value for role in Role]), extra),
                    "propagationSeconds": st.integers(0, 600),
                },
            )
        )
    if made.get("teams") and can_have_queues(GkeVersion(version)) and (queued or draw(st.booleans())):
        made = draw(with_queues(made, check(FILE, made)))
    return made


def environments() -> st.SearchStrategy[StackConfiguration]:
    """Checked configurations."""
    return sections().map(lambda made: check(FILE, made))


def blueprints() -> st.SearchStrategy[Blueprint]:
    """Derived blueprints."""
    return environments().map(derive)


def queued_blueprints() -> st.SearchStrategy[Blueprint]:
    """Derived blueprints with the Kubernetes side."""
    return sections(queued=True).map(lambda made: derive(check(FILE, made))).filter(lambda blueprint: blueprint.kubernetes is not None)
