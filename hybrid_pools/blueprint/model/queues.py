"""Priorities and queues inside the cluster, fully decided. Kueue's own words are used for Kueue's things.

Amounts of resources are whole numbers in the smallest unit anybody writes: CPU in millicores, memory in MiB, GPUs in GPUs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hybrid_pools.blueprint.vocabulary import QUEUED_KEY, AdmissionMode, Effect, Role, Taint, WorkloadClass

PODS_READY_MINUTES = 30
"""How long an admitted job may wait for all its pods before its quota goes to others and it queues again. A GPU node that there is
stock for is there and has pulled its image within ten minutes; what is not there after thirty is out of stock."""


@dataclass(frozen=True)
class Resources:
    """An amount of everything that quotas cover: millicores, MiB, whole GPUs."""

    cpu: int = 0
    memory: int = 0
    gpus: int = 0


@dataclass(frozen=True)
class Toleration:
    """A toleration as a pod writes it, always with every field said."""

    key: str
    value: str
    effect: Effect


@dataclass(frozen=True)
class Flavor:
    """One Kueue resource flavor: the pools of one role and one GPU family, bought and divided in the same way. A compactly placed pool, and
    one with taints of its user's, is a flavor of its own.

    Attributes:
        name: `spot-l4`, `buffer-l4`, `stable-cpu`; also the value of the flavor label of its nodes.
        gpu_family: `l4`, or None for pools without GPUs.
        pools: Names of the pools that it stands for, in order of creation.
        node_labels: Labels by which its nodes are found, and no others.
        node_taints: What its nodes carry.
        tolerations: What its workloads get.
        topology: Name of the topology of its compactly placed pools, or None.
        capacity: What its pools hold for pods at their largest; for a buffer at its largest in training's windows.
        usable_grace_seconds: The shortest that a pod has on one of its pools between SIGTERM and its end.
    """

    name: str
    role: Role
    gpu_family: str | None
    pools: tuple[str, ...]
    node_labels: Mapping[str, str]
    node_taints: tuple[Taint, ...]
    tolerations: tuple[Toleration, ...]
    topology: str | None
    capacity: Resources
    usable_grace_seconds: int

    @property
    def queued(self) -> bool:
        """Whether nodes come only when GKE is asked for all of them together (queued provisioning)."""
        return any(taint.key == QUEUED_KEY for taint in self.node_taints)


@dataclass(frozen=True)
class FlavorQuota:
    """What a queue or a cohort has of one flavor.

    Attributes:
        nominal: Its own.
        borrowing: How much more it may take from its cohort; None is without limit.
        lending: How much of its own others may take; None is all of it.
    """

    flavor: str
    nominal: Resources
    borrowing: Resources | None
    lending: Resources | None


@dataclass(frozen=True)
class ClassPolicy:
    """What a class of workloads gets, the same for every team.

    Attributes:
        priority: Value of its priority class; higher goes first.
        preempts: Whether its waiting pods push pods of lower priority off nodes. Never for what waits in queues: there Kueue decides.
        order: Flavors in the order in which they are tried; for services the pools they are placed on.
        pools: The same as names of pools.
        runtime_limit_seconds: After which a workload of the class is ended; None is without limit.
    """

    workload_class: WorkloadClass
    priority_class: str
    priority: int
    preempts: bool
    order: tuple[str, ...]
    pools: tuple[str, ...]
    runtime_limit_seconds: int | None


@dataclass(frozen=True)
class TeamQueue:
    """The cluster queue of one team for one class, and the local queue before it. The order of pools is a property of the cluster queue,
    so each class has one of its own; the team's cohort holds them together.

    Attributes:
        name: Of the cluster queue.
        local_queue: Name in the team's namespace.
        quotas: In the class's order of flavors.
    """

    name: str
    team: str
    namespace: str
    workload_class: WorkloadClass
    local_queue: str
    quotas: tuple[FlavorQuota, ...]


@dataclass(frozen=True)
class TeamCohort:
    """The cohort of a team's queues below the root cohort, with its share of what nobody owns.

    Attributes:
        weight: Share beside the other teams' weights, in thousandths.
    """

    name: str
    team: str
    weight: int


@dataclass(frozen=True)
class BufferSwitch:
    """One CronJob that opens or closes the buffer's quota.

    Attributes:
        opens: True: training gets the quota. False: the quota is taken and what runs on it is drained.
        cron: In unix-cron form, in the zone.
        suspended: Whether it does not run: a frozen schedule opens no window.
    """

    name: str
    opens: bool
    cron: str
    time_zone: str
    suspended: bool


@dataclass(frozen=True)
class BufferQuota:
    """The buffer's quota, in a cohort of its own that CronJobs open and close.

    Attributes:
        cohort: Its name.
        quotas: What it holds while training has the buffer.
        drain_seconds: How long training has to save and go after the quota is taken.
        image: Container image with kubectl, by digest.
    """

    cohort: str
    quotas: tuple[FlavorQuota, ...]
    switches: tuple[BufferSwitch, ...]
    drain_seconds: int
    image: str


@dataclass(frozen=True)
class Queues:
    """Everything that Kueue is told.

    Attributes:
        cohort: Name of the root cohort.
        shared: What no team owns and all may borrow by weight; without the buffer's.
        buffer: None where no schedule gives the buffer to training.
        topology_levels: Node labels from wide to narrow, for the topologies that flavors name.
    """

    cohort: str
    shared: tuple[FlavorQuota, ...]
    flavors: tuple[Flavor, ...]
    teams: tuple[TeamCohort, ...]
    queues: tuple[TeamQueue, ...]
    buffer: BufferQuota | None
    topology_levels: tuple[str, ...]

    def flavor(self, name: str) -> Flavor:
        """The flavor of that name."""
        return next(flavor for flavor in self.flavors if flavor.name == name)


@dataclass(frozen=True)
class TeamAdmission:
    """What admission knows of a team's namespace.

    Attributes:
        checkpoint_prefix: `gs://BUCKET/runs/TEAM/`: every checkpoint address of the team begins with it. Without the bucket where its
            physical name is not known before it is made: then `*` stands for the bucket.
        spot: Whether the team may use spot pools.
    """

    team: str
    namespace: str
    service_account: str
    checkpoint_prefix: str
    spot: bool


@dataclass(frozen=True)
class Admission:
    """What the admission policies decide by.

    Attributes:
        exempt_namespaces: By name only; what runs there is not judged.
        pod_creators: Users (service accounts of controllers) whose pods may tolerate spot; a pod that a person makes has no owner that
            counts, whatever its owner references say.
        schedulers: Users that may bind pods to nodes.
        scheduler_names: Values of `schedulerName` that respect taints.
        platform_groups: Groups that may edit nodes' labels and taints, flavors and the policies' parameters.
        guarded_taints: Taints that only checkpoint-capable work may tolerate.
        grace_seconds: Usable grace by flavor name of every flavor with a guarded taint.
        save_margin_seconds: Added to the declared save time before it is compared.
        spot_queues: Local queues whose order has a guarded flavor.
        spot_priority_classes: Priority classes of the classes that may use spot.
        platform_users: Users, not groups, that may edit the same as the platform groups: the pipeline that deploys, and Kueue itself.
        job_creators: Users (service accounts of controllers) whose Jobs, JobSets and Ray clusters are parts of something that was judged
            when it was made: that of JobSet, of KubeRay. What must hold for the whole is not asked of such a part again.
        flavor_labels: By name of a flavor in `grace_seconds`: labels that all its nodes have, such as the accelerator's. A pod that
            selects another value cannot get there, so that flavor's grace does not bind it. The flavor's own label is known anyway.
    """

    mode: AdmissionMode
    exempt_namespaces: tuple[str, ...]
    pod_creators: tuple[str, ...]
    schedulers: tuple[str, ...]
    scheduler_names: tuple[str, ...]
    platform_groups: tuple[str, ...]
    guarded_taints: tuple[Taint, ...]
    grace_seconds: Mapping[str, int]
    save_margin_seconds: int
    spot_queues: tuple[str, ...]
    spot_priority_classes: tuple[str, ...]
    teams: tuple[TeamAdmission, ...]
    platform_users: tuple[str, ...] = ()
    job_creators: tuple[str, ...] = ()
    flavor_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def team_of(self, namespace: str) -> TeamAdmission | None:
        """The team whose namespace it is; None for a namespace of no team."""
        return next((team for team in self.teams if team.namespace == namespace), None)


@dataclass(frozen=True)
class Charts:
    """What the program installs in a cluster, by version of the chart; None leaves the cluster's own alone."""

    kueue: str | None
    jobset: str | None


@dataclass(frozen=True)
class Kubernetes:
    """The Kubernetes side of an environment."""

    classes: tuple[ClassPolicy, ...]
    queues: Queues
    admission: Admission
    charts: Charts
