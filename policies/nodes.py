"""Rules on the nodes of a pool: identity, hardening, hardware. Each is pure: it reads the inputs of one pool and yields what is wrong."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import MachineType, catalogue
from policies.reading import Value, all_true
from policies.rule import Finding, Severity, Verdict, judge_each, rule
from policies.views import NodePoolInputs

_DRIVERS = ("DEFAULT", "LATEST", "INSTALLATION_DISABLED")
_DEFAULT_BOOT_DISK = "pd-balanced"
"""What the provider takes where a pool names no type (google_container_node_pool documentation, disk_type)."""
_SSD_COUNTS = (
    "ephemeralStorageLocalSsdConfig.localSsdCount",
    "localNvmeSsdBlockConfig.localSsdCount",
    "ephemeralStorageConfig.localSsdCount",
    "localSsdCount",
)
_HARDENING = "https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster"
_GPU_PAGE = "https://cloud.google.com/kubernetes-engine/docs/how-to/gpus"


@rule(
    id="NODE-001",
    title="Secure boot and integrity monitoring are on",
    severity=Severity.MANDATORY,
    why="Without them a changed kernel or boot loader goes unseen. Both are fixed at creation: turning them on later replaces every node.",
    fix="Set nodeConfig.shieldedInstanceConfig.enableSecureBoot and enableIntegrityMonitoring to true.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/shielded-gke-nodes",),
)
def boot_is_verified(pool: NodePoolInputs) -> Iterator[Verdict]:
    shielded = pool.node.at("shieldedInstanceConfig")
    yield from judge_each([shielded.at("enableSecureBoot"), shielded.at("enableIntegrityMonitoring")], _is_on)


def _is_on(switch: Value) -> Iterator[Verdict]:
    if not switch.flag():
        yield Finding(switch.path, "is not on")


@rule(
    id="NODE-002",
    title="Pods see GKE's metadata server",
    severity=Severity.MANDATORY,
    why="Otherwise every pod reads the token of the node's account, and no pod has an identity of its own.",
    fix="Set nodeConfig.workloadMetadataConfig.mode to GKE_METADATA.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity",),
)
def metadata_is_guarded(pool: NodePoolInputs) -> Iterator[Verdict]:
    mode = pool.node.at("workloadMetadataConfig.mode").text()
    if mode != "GKE_METADATA":
        yield Finding("nodeConfig.workloadMetadataConfig.mode", f"is {mode or 'not set'}")


@rule(
    id="NODE-003",
    title="Legacy metadata endpoints are off",
    severity=Severity.MANDATORY,
    why="They answer without the header that proves intent, so that a forged request from a service can read the node's token.",
    fix='Set nodeConfig.metadata["disable-legacy-endpoints"] to "true"; a map of your own replaces the one that GKE would write.',
    links=(_HARDENING,),
)
def legacy_endpoints_are_off(pool: NodePoolInputs) -> Iterator[Verdict]:
    value = pool.node.at("metadata").of("disable-legacy-endpoints").text()
    if value != "true":
        yield Finding("nodeConfig.metadata.disable-legacy-endpoints", f"is {value or 'not set'}")


@rule(
    id="NODE-004",
    title="Nodes run as an account of their own",
    severity=Severity.MANDATORY,
    why="The default account of Compute Engine is an editor in many projects: one node taken is the whole project taken.",
    fix="Set nodeConfig.serviceAccount to the account that NodeIdentity makes for the role.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/service-accounts",),
)
def account_is_dedicated(pool: NodePoolInputs) -> Iterator[Verdict]:
    account = pool.node.at("serviceAccount").text()
    if not account:
        yield Finding("nodeConfig.serviceAccount", "is not set, so the default account is used")
    elif account == "default" or account.endswith("-compute@developer.gserviceaccount.com"):
        yield Finding("nodeConfig.serviceAccount", f"is the default account {account}")


@rule(
    id="NODE-005",
    title="The GPU driver policy is explicit",
    severity=Severity.MANDATORY,
    why="Left out, it depends on the GKE version whether there is a driver at all. Changing it later replaces the pool.",
    fix=f"Set gpuDriverInstallationConfig.gpuDriverVersion of the accelerator to one of {', '.join(_DRIVERS)}.",
    links=(_GPU_PAGE,),
)
def driver_is_explicit(pool: NodePoolInputs) -> Iterator[Verdict]:
    yield from judge_each(pool.accelerators, _names_a_driver)


def _names_a_driver(accelerator: Value) -> Iterator[Verdict]:
    version = accelerator.at("gpuDriverInstallationConfig.gpuDriverVersion")
    if version.text() not in _DRIVERS and accelerator.at("count").number() != 0:
        yield Finding(version.path, f"is {version.text() or 'not set'}")


@rule(
    id="NODE-006",
    title="A GPU pool names its zones",
    severity=Severity.MANDATORY,
    why="GPUs are not sold in every zone of a region. A pool that takes all zones of the cluster fails as a whole for the one without.",
    fix="Set nodeLocations to zones in which the machine type is sold.",
    links=("https://cloud.google.com/compute/docs/gpus/gpu-regions-zones",),
)
def gpu_zones_are_explicit(pool: NodePoolInputs) -> Iterator[Verdict]:
    if all_true([lambda: pool.has_gpus, lambda: not pool.at("nodeLocations").items()]):
        yield Finding("nodeLocations", "names none")


@rule(
    id="NODE-007",
    title="The accelerator agrees with the machine type",
    severity=Severity.MANDATORY,
    why="Google refuses another kind or count than the machine type has, and without the block neither driver nor GPU taint is set up.",
    fix="Declare nodeConfig.guestAccelerators as the message says, or take another machine type.",
    links=("https://cloud.google.com/compute/docs/gpus",),
)
def accelerator_fits_the_machine(pool: NodePoolInputs) -> Iterator[Verdict]:
    machine = pool.machine
    if machine is None:
        return
    declared = pool.accelerators
    if machine.accelerator is not None and not declared:
        yield Finding("nodeConfig.guestAccelerators", f"is not declared, {machine.name} has {_has(machine)}")
    yield from judge_each(declared, lambda accelerator: _fits(accelerator, machine))


def _fits(accelerator: Value, machine: MachineType) -> Iterator[Verdict]:
    type_, count = accelerator.at("type").text(), accelerator.at("count").number() or 0
    if machine.accelerator is not None:
        if (type_, count) != (machine.accelerator.type, machine.accelerator.count):
            yield Finding(accelerator.path, f"is {count} of {type_}, {machine.name} has {_has(machine)}")
    elif count and count not in machine.attachable_accelerators.get(type_ or "", ()):
        yield Finding(accelerator.path, f"is {count} of {type_}, {machine.name} takes {_takes(machine)}")


def _has(machine: MachineType) -> str:
    return f"{machine.accelerator.count} of {machine.accelerator.type}" if machine.accelerator else "no GPU"


def _takes(machine: MachineType) -> str:
    return "; ".join(f"{kind}: {', '.join(map(str, counts))}" for kind, counts in machine.attachable_accelerators.items()) or "no GPU"


@rule(
    id="NODE-008",
    title="The boot disk is of a type that the machine series takes",
    severity=Severity.MANDATORY,
    why="Google refuses the pool at creation, after everything before it was made. The newest GPU machines boot from Hyperdisk only.",
    fix="Set nodeConfig.diskType to a type that the message names.",
    links=("https://cloud.google.com/compute/docs/accelerator-optimized-machines",),
)
def boot_disk_fits_the_machine(pool: NodePoolInputs) -> Iterator[Verdict]:
    machine = pool.machine
    if machine is None:
        return
    disk = pool.boot_disk_type
    type_ = disk.text()
    if (type_ or _DEFAULT_BOOT_DISK) not in machine.boot_disk_types:
        declared = type_ or f"not set, which means {_DEFAULT_BOOT_DISK}"
        yield Finding(disk.path, f"is {declared}; {machine.name} takes {', '.join(machine.boot_disk_types)}")


@rule(
    id="NODE-009",
    title="The number of Local SSD disks is one that the machine type has",
    severity=Severity.MANDATORY,
    why="Disks that come with the machine must be written out: otherwise every preview shows a change that replaces the pool.",
    fix="Set ephemeralStorageLocalSsdConfig.localSsdCount to a number that the message names.",
    links=("https://cloud.google.com/compute/docs/disks/local-ssd",),
)
def local_ssds_fit_the_machine(pool: NodePoolInputs) -> Iterator[Verdict]:
    machine = pool.machine
    if machine is None:
        return
    counts = {path: count for path in _SSD_COUNTS if (count := pool.node.at(path).number())}
    if len(counts) > 1:
        yield Finding("nodeConfig", f"has Local SSD disks in {' and '.join(counts)}; only one use is possible")
    elif machine.allowed_local_ssds is not None:
        path, count = next(iter(counts.items()), (_SSD_COUNTS[0], 0))
        if count not in machine.allowed_local_ssds:
            allowed = ", ".join(map(str, machine.allowed_local_ssds))
            yield Finding(f"nodeConfig.{path}", f"is {count}, {machine.name} has {allowed}")


@rule(
    id="NODE-010",
    title="A shutdown window is set only on Spot VMs, and only to what GKE honours",
    severity=Severity.MANDATORY,
    why="Google's API takes other values and GKE then cuts them short: a trainer that counts on ten minutes loses its last checkpoint.",
    fix="Set kubeletConfig.shutdownGracePeriodSeconds to a value that the message names, on a spot pool only.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms",),
)
def shutdown_window_is_honoured(pool: NodePoolInputs) -> Iterator[Verdict]:
    window = pool.node.at("kubeletConfig.shutdownGracePeriodSeconds")
    critical = pool.node.at("kubeletConfig.shutdownGracePeriodCriticalPodsSeconds")
    yield from judge_each([window], _is_honoured)
    seconds = window.number() or 0
    share = critical.number() or 0
    if share > seconds:
        yield Finding(critical.path, f"is {share} s, longer than the window of {seconds} s")
    if seconds and not pool.is_spot:
        yield Finding(window.path, "is set on a pool that is not Spot")


def _is_honoured(window: Value) -> Iterator[Verdict]:
    seconds, allowed = window.number(), catalogue().shutdown_grace.allowed_seconds
    if seconds is not None and seconds not in allowed:
        yield Finding(window.path, f"is {seconds} s, GKE honours {', '.join(map(str, allowed))}")


@rule(
    id="NODE-011",
    title="A preloaded disk comes with image streaming",
    severity=Severity.MANDATORY,
    why="GKE mounts secondary boot disks through image streaming and refuses them without it.",
    fix="Set nodeConfig.gcfsConfig.enabled to true.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/data-container-image-preloading",),
)
def preloaded_disk_is_streamed(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.node.at("secondaryBootDisks").items() and not pool.node.at("gcfsConfig.enabled").flag():
        yield Finding("nodeConfig.gcfsConfig.enabled", "is not on beside secondaryBootDisks")


@rule(
    id="NODE-012",
    title="A pool does not give its nodes external addresses",
    severity=Severity.MANDATORY,
    why="The pool's own setting wins over the cluster's, so one pool could open what the cluster keeps closed.",
    fix="Leave networkConfig.enablePrivateNodes out or set it to true.",
    links=(_HARDENING,),
)
def pool_is_private(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.at("networkConfig.enablePrivateNodes").flag() is False:
        yield Finding("networkConfig.enablePrivateNodes", "is off")
