"""`docs/catalogue.md`: what is known about Google's cloud, each fact with its source and the day it was true."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from hybrid_pools.blueprint.catalogue import CapacityKind, Catalogue, MachineType, catalogue
from hybrid_pools.blueprint.catalogue.facts import Fact
from hybrid_pools.blueprint.catalogue.files import CapacityFile, LocalSsdsFile, QuotasFile, RegionsFile, SeriesFile, ZonesFile, read
from hybrid_pools.documents.markdown import code, codes, document, table

_OFFERED = {True: "yes", False: "no", None: "?"}


def render() -> str:
    """The document."""
    facts = catalogue()
    return document(
        "Catalogue",
        "`hybrid_pools/blueprint/catalogue/data`",
        "What the rules of a stack file check against. Facts age: Google's API has the last word, and a fact that is not known (?) is not "
        "checked. A zone in which a machine is sold may still be out of stock.",
        *_machines(facts),
        *_capacity(),
        *_zones(),
        *_multi_regions(facts),
        *_disks(facts),
        *_gpus(facts),
        *_versions(facts),
        *_shutdown(facts),
        *_owned_keys(facts),
    )


def _sources(entries: Iterable[tuple[str, Fact]]) -> str:
    """What was read where: one line a source."""
    by_source = groupby(
        sorted(entries, key=lambda entry: (entry[1].source, entry[1].as_of)), lambda entry: (entry[1].source, entry[1].as_of)
    )
    lines = []
    for (source, as_of), group in by_source:
        names = sorted({name for name, _ in group if name})
        lines.append(f"- {source}; as of {as_of}" + (f" ({', '.join(names)})" if names else ""))
    return "Sources:\n\n" + "\n".join(lines)


def _machines(facts: Catalogue) -> Iterator[str]:
    machines = list(facts.machine_types.values())
    yield "## Machine types"
    yield table(
        ["Machine type", "vCPUs", "Memory (GiB)", "GPUs", "Local SSD disks", "Bought as"],
        (
            [
                code(machine.name),
                str(machine.vcpus),
                f"{machine.memory_gib:g}",
                _machine_gpus(machine),
                _ssds(machine, facts),
                _kinds(machine),
            ]
            for machine in machines
        ),
    )
    yield "The first number of disks is what the machine brings; more stand for the choices. " + (
        f"A disk has {facts.local_ssd.size_gib} GiB where nothing else is said."
    )
    seen = {(machine.series, machine.source, machine.as_of) for machine in machines}
    yield _sources(
        [
            *((series, Fact(source=source, as_of=as_of)) for series, source, as_of in seen),
            ("local SSD disks", read("local-ssds.json", LocalSsdsFile)),
        ]
    )


def _machine_gpus(machine: MachineType) -> str:
    if machine.accelerator:
        return f"{machine.accelerator.count} x {machine.accelerator.type}"
    choices = (f"{'/'.join(map(str, counts))} x {name}" for name, counts in machine.attachable_accelerators.items())
    return "by choice: " + ", ".join(choices) if machine.attachable_accelerators else ""


def _ssds(machine: MachineType, facts: Catalogue) -> str:
    if machine.allowed_local_ssds is None:
        return "?"
    counts = "/".join(map(str, machine.allowed_local_ssds))
    return counts if machine.local_ssd_gib == facts.local_ssd.size_gib else f"{counts} of {machine.local_ssd_gib} GiB"


def _kinds(machine: MachineType) -> str:
    return ", ".join(f"{kind}{'' if machine.offers(kind) else '?'}" for kind in CapacityKind if machine.offers(kind) is not False)


def _capacity() -> Iterator[str]:
    yield "## Capacity kinds"
    yield table(
        ["Machines", *CapacityKind, "Source", "As of"],
        (
            [
                codes([*block.series, *block.machine_types]),
                *(_OFFERED[block.kinds.get(kind)] for kind in CapacityKind),
                block.source,
                str(block.as_of),
            ]
            for block in read("capacity.json", CapacityFile).blocks
        ),
    )


def _zones() -> Iterator[str]:
    regions = read("regions.json", RegionsFile)
    yield "## Zones in which GPU machines are sold"
    yield table(
        ["Machine types", "Zones", "Source", "As of"],
        (
            [
                codes(block.machine_types),
                ", ".join(f"{region} {'/'.join(letters)}" for region, letters in block.zones.items()),
                block.source,
                str(block.as_of),
            ]
            for block in read("zones.json", ZonesFile).blocks
        ),
    )
    yield "## Regions"
    yield table(["Region", "Zones"], ([code(name), ", ".join(letters)] for name, letters in regions.zones.items()))
    yield _sources([("", regions)])


def _multi_regions(facts: Catalogue) -> Iterator[str]:
    areas = list(facts.multi_regions.values())
    yield "## Pairs of regions for buckets"
    yield "Any two regions of one line can hold a bucket together. A key for it lies in the location that the line names."
    yield table(["Location", "Regions", "Keys in"], ([code(area.name), codes(area.regions), code(area.key_location)] for area in areas))
    yield _sources([("", areas[0])])


def _disks(facts: Catalogue) -> Iterator[str]:
    yield "## Boot disks"
    yield table(
        ["Disk type", "Smallest (GiB)", "Largest (GiB)"],
        ([code(disk.name), _known(disk.min_gib), _known(disk.max_gib)] for disk in facts.disk_types.values()),
    )
    yield _sources(("", disk) for disk in facts.disk_types.values())
    series = read("series.json", SeriesFile).series
    yield table(
        ["Series", "Architecture", "Boot disks, the default first"],
        ([code(entry.series), entry.architecture, codes(entry.boot_disk_types)] for entry in series),
    )
    yield _sources((entry.series, entry) for entry in series)


def _gpus(facts: Catalogue) -> Iterator[str]:
    quotas = read("quotas.json", QuotasFile)
    yield "## GPU models"
    yield table(
        ["Accelerator type", "Partitions, and how many of them one GPU gives", "Quota", "Quota of spot and flex-start"],
        (
            [code(gpu.name), _partitions(gpu.partitions), *(code(facts.quota(gpu.name, spot).name or "?") for spot in (False, True))]
            for gpu in facts.accelerators.values()
        ),
    )
    yield _sources([*((gpu.name, gpu) for gpu in facts.accelerators.values()), ("quotas", quotas)])


def _partitions(partitions: Mapping[str, int] | None) -> str:
    if partitions is None:
        return "?"
    return ", ".join(f"{code(size)} {count}" for size, count in partitions.items()) or "none"


def _versions(facts: Catalogue) -> Iterator[str]:
    yield "## Features and the GKE version that brings them"
    yield table(
        ["Feature", "First version", "What needs it", "Source", "As of"],
        ([code(gate.feature), str(gate.minimum), gate.why, gate.source, str(gate.as_of)] for gate in facts.version_gates.values()),
    )
    yield "## Releases of Kueue and JobSet"
    yield "Objects inside the cluster are made for these releases, and tried on them in the lab."
    yield table(
        ["Component", "Release", "First Kubernetes version", "Source", "As of"],
        (
            [code(release.component), release.version, str(release.minimum), release.source, str(release.as_of)]
            for release in facts.releases.values()
        ),
    )


def _shutdown(facts: Catalogue) -> Iterator[str]:
    grace = facts.shutdown_grace
    yield "## Shutdown of a Spot node"
    yield (
        f"{grace.default_seconds} s from the notice to the end, of which the last {grace.default_critical_pods_seconds} s are for critical "
        f"pods. Windows that GKE honours: {', '.join(map(str, grace.allowed_seconds))} s."
    )
    yield _sources([("", grace)])


def _owned_keys(facts: Catalogue) -> Iterator[str]:
    yield "## Labels and taints that GKE sets"
    rows: list[list[str]] = []
    for label in facts.gke_labels.values():
        rows.append(
            ["label", code(f"{label.key}={label.value}" if label.value else label.key), label.set_on, label.source, str(label.as_of)]
        )
    for taint in facts.gke_taints.values():
        shown = f"{taint.key}={taint.value}:{taint.effect}" if taint.value and taint.effect else taint.key
        rows.append(["taint", code(shown), taint.set_on, taint.source, str(taint.as_of)])
    yield table(["Kind", "Key", "Set on", "Source", "As of"], rows)


def _known(value: int | None) -> str:
    return "?" if value is None else str(value)
