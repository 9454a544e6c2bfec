"""Typed access to the properties that several rules ask for. Names are the provider's; every answer is None, or raises, as `Value` says."""

from dataclasses import dataclass
from functools import partial

from hybrid_pools.blueprint.catalogue import MachineType, UnknownMachineType, catalogue
from hybrid_pools.blueprint.vocabulary import ENVIRONMENT_LABEL, PREEMPTIBLE_KEY, ROLE_LABEL, SPOT_TAINT, Effect, Role, Taint
from hybrid_pools.workload.reading import NotReadable
from policies.reading import Value, all_true, any_true
from policies.rule import Setting, View, names

PROTECTED_ENVIRONMENTS: Setting[tuple[str, ...]] = Setting(
    key="protectedEnvironments",
    meaning=f"Environments, by the value of the resource label `{ENVIRONMENT_LABEL}`, in which the rule holds.",
    default=("prod",),
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)

PREEMPTIBLE_TAINT = Taint(PREEMPTIBLE_KEY, "true", Effect.NO_SCHEDULE)


def _shown(taint: Value, key: str) -> str:
    try:
        return taint.at(key).text() or ""
    except NotReadable:
        return "?"


@dataclass(frozen=True)
class NodePoolInputs(View):
    """A node pool."""

    TYPES = ("gcp:container/nodePool:NodePool",)

    @property
    def node(self) -> Value:
        """What every node is made with."""
        return self.at("nodeConfig")

    @property
    def is_spot(self) -> bool:
        """Whether the nodes are Spot VMs or their predecessors, preemptible ones."""
        return any_true([self.node.at("spot").flag, self.node.at("preemptible").flag])

    @property
    def waits_for_capacity(self) -> bool:
        """Whether nodes come from flex-start or queued provisioning, and end when their time is up."""
        return any_true([self.node.at("flexStart").flag, self.at("queuedProvisioning.enabled").flag])

    @property
    def is_interruptible(self) -> bool:
        """Whether Google ends nodes by itself."""
        return any_true([lambda: self.is_spot, lambda: self.waits_for_capacity])

    @property
    def role(self) -> Role | None:
        """The role by its node label; None where there is no such label or its value is no role."""
        text = self.role_label.text()
        return Role(text) if text in set(Role) else None

    @property
    def role_label(self) -> Value:
        """The node label that names the role."""
        return self.node.at("labels").of(ROLE_LABEL)

    def has_taint(self, taint: Taint) -> bool:
        """Whether exactly this taint is declared."""
        return any_true([partial(_is_taint, declared, taint) for declared in self.node.at("taints").items()])

    def has_some_taint(self, *taints: Taint) -> bool:
        """Whether one of the taints is declared."""
        return any_true([partial(self.has_taint, taint) for taint in taints])

    @property
    def taints(self) -> str:
        """The declared taints for a message, the effect as Google spells it; what cannot be read is a question mark."""
        taints = self.node.at("taints").items()
        return ", ".join(f"{_shown(one, 'key')}={_shown(one, 'value')}:{_shown(one, 'effect')}" for one in taints) or "no taints"

    @property
    def spot_taint(self) -> Taint:
        """The taint that belongs to the kind of interruptible VM."""
        return SPOT_TAINT if self.node.at("spot").flag() else PREEMPTIBLE_TAINT

    @property
    def machine(self) -> MachineType | None:
        """What is known about the machine type; None where nothing is, so that nothing may be checked."""
        name = self.node.at("machineType").text()
        if name is None:
            return None
        try:
            return catalogue().machine_type(name)
        except UnknownMachineType:
            return None

    @property
    def accelerators(self) -> list[Value]:
        """The declared GPUs."""
        return self.node.at("guestAccelerators").items()

    @property
    def has_gpus(self) -> bool:
        """Whether nodes have GPUs, declared or part of the machine type."""
        return any_true([self._machine_has_gpus, lambda: self._machine_may_have_gpus() and self._declares_gpus()])

    def _machine_has_gpus(self) -> bool:
        machine = self.machine
        return machine is not None and machine.accelerator is not None

    def _machine_may_have_gpus(self) -> bool:
        # Among the outputs of a preview the declared GPUs are not known even where there are none: then the machine type decides.
        try:
            machine = self.machine
        except NotReadable:
            return True
        return machine is None or bool(machine.accelerator or machine.attachable_accelerators)

    def _declares_gpus(self) -> bool:
        return any_true([partial(_is_positive, accelerator.at("count")) for accelerator in self.accelerators])

    @property
    def is_autoscaled(self) -> bool:
        """Whether the cluster autoscaler owns the number of nodes."""
        return self.at("autoscaling").is_set()

    @property
    def zones(self) -> list[str] | None:
        """The zones of the nodes; None where the cluster's are meant."""
        return self.at("nodeLocations").texts() or None

    @property
    def environment(self) -> str | None:
        """The environment by its resource label."""
        return self.node.at("resourceLabels").of(ENVIRONMENT_LABEL).text()

    @property
    def boot_disk_type(self) -> Value:
        """The type of boot disk, in whichever of its two places it stands."""
        nested = self.node.at("bootDisk.diskType")
        return nested if nested.is_set() else self.node.at("diskType")


def _is_taint(declared: Value, taint: Taint) -> bool:
    return all_true(
        [
            lambda: declared.at("key").text() == taint.key,
            lambda: declared.at("value").text() == taint.value,
            lambda: declared.at("effect").text() == taint.effect.google,
        ]
    )


def _is_positive(value: Value) -> bool:
    return (value.number() or 0) > 0


@dataclass(frozen=True)
class ClusterInputs(View):
    """A cluster."""

    TYPES = ("gcp:container/cluster:Cluster",)

    @property
    def environment(self) -> str | None:
        """The environment by its resource label."""
        return self.at("resourceLabels").of(ENVIRONMENT_LABEL).text()


@dataclass(frozen=True)
class GrantInputs(View):
    """A grant of a role on anything of Google Cloud, to one member or several."""

    @classmethod
    def reads(cls, token: str) -> bool:
        """Every type that binds members to a role, whatever it is on."""
        return token.startswith("gcp:") and token.lower().endswith(("iammember", "iambinding"))

    @property
    def members(self) -> list[Value]:
        """Who gets the role."""
        several = self.at("members")
        return [self.at("member"), *(several.items() if several.is_set() else [])]


@dataclass(frozen=True)
class ProjectGrantInputs(GrantInputs):
    """A grant on a whole project."""

    TYPES = ("gcp:projects/iAMMember:IAMMember", "gcp:projects/iAMBinding:IAMBinding")

    @classmethod
    def reads(cls, token: str) -> bool:
        """Grants on projects only."""
        return token in cls.TYPES


@dataclass(frozen=True)
class ServiceAccountKeyInputs(View):
    """A key of a service account."""

    TYPES = ("gcp:serviceaccount/key:Key",)


@dataclass(frozen=True)
class FirewallInputs(View):
    """A firewall rule of a network."""

    TYPES = ("gcp:compute/firewall:Firewall",)


@dataclass(frozen=True)
class SubnetworkInputs(View):
    """A subnetwork."""

    TYPES = ("gcp:compute/subnetwork:Subnetwork",)

    @property
    def holds_nodes(self) -> bool:
        """Whether machines live in it; proxies and service attachments have subnetworks of their own."""
        return self.at("purpose").text() in (None, "PRIVATE")


@dataclass(frozen=True)
class SchedulerJobInputs(View):
    """A Cloud Scheduler job."""

    TYPES = ("gcp:cloudscheduler/job:Job",)
