"""Every key, taint and role name of the project, spelled once.

Other files import from here; a label or taint written out anywhere else is a fault.
"""

from dataclasses import dataclass
from enum import StrEnum

DOMAIN = "hybrid-pools.io"

PROJECT = "hybrid-node-pools"
"""Name of the Pulumi project: the namespace of its configuration keys and of its component tokens."""


class Role(StrEnum):
    """What a pool is for."""

    STABLE = "stable"
    SPOT = "spot"
    BUFFER = "buffer"


class BucketKind(StrEnum):
    """What a bucket is for. Kinds are kept apart because they are kept for different times."""

    DATASETS = "datasets"
    CHECKPOINTS = "checkpoints"
    ARTIFACTS = "artifacts"

    @property
    def prefix(self) -> str:
        """Prefix below which the teams' folders lie; ends in `/`."""
        return _BUCKET_PREFIXES[self]


_BUCKET_PREFIXES = {BucketKind.DATASETS: "datasets/", BucketKind.CHECKPOINTS: "runs/", BucketKind.ARTIFACTS: "artifacts/"}


class Effect(StrEnum):
    """What a taint does to pods that do not tolerate it, in Kubernetes' spelling."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"

    @property
    def google(self) -> str:
        """The same effect as Google's API spells it."""
        return _GOOGLE_EFFECTS[self]


class WorkloadClass(StrEnum):
    """What a workload is, which decides its priority, its queue and its order of pools."""

    SERVICE = "service"
    INTERACTIVE = "interactive"
    TRAINING = "training"
    DEFERRED = "deferred"


QUEUED_CLASSES = (WorkloadClass.INTERACTIVE, WorkloadClass.TRAINING, WorkloadClass.DEFERRED)
"""Classes that wait in queues. Services do not: they are placed at once or their node pool is too small."""

SPOT_CLASSES = (WorkloadClass.TRAINING, WorkloadClass.DEFERRED)
"""Classes that may run on spot pools."""


class AdmissionMode(StrEnum):
    """What becomes of an object that breaks an admission rule, from the first day of a rollout to the last."""

    AUDIT = "audit"
    WARN = "warn"
    DENY = "deny"


_GOOGLE_EFFECTS = {
    Effect.NO_SCHEDULE: "NO_SCHEDULE",
    Effect.PREFER_NO_SCHEDULE: "PREFER_NO_SCHEDULE",
    Effect.NO_EXECUTE: "NO_EXECUTE",
}


@dataclass(frozen=True, order=True)
class Taint:
    """A node taint. Printed as kubectl prints it: `key=value:Effect`."""

    key: str
    value: str
    effect: Effect

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}"


ROLE_LABEL = f"{DOMAIN}/role"
"""Node label that names the pool's role."""

FLAVOR_LABEL = f"{DOMAIN}/flavor"
"""Node label that names the Kueue flavor of the pool. Every pool has one, so no node belongs to two flavors."""

CHECKPOINT_LABEL = f"{DOMAIN}/checkpoint"
CHECKPOINT_ENABLED = "enabled"
CLASS_LABEL = f"{DOMAIN}/class"
NAMESPACE_TEAM_LABEL = f"{DOMAIN}/team"
"""Label of a team's namespace: the team's name."""

NAMESPACE_SCHEDULING_ANNOTATIONS = "scheduler.alpha.kubernetes.io/"
"""Prefix of annotations of a namespace that give its pods tolerations and node selectors."""

DEFAULT_COMPUTE_CLASS_LABEL = "cloud.google.com/default-compute-class"
"""Prefix of labels of a namespace by which GKE gives its pods a compute class."""

CHECKPOINT_URI_ANNOTATION = f"{DOMAIN}/checkpoint-uri"
CHECKPOINT_INTERVAL_ANNOTATION = f"{DOMAIN}/checkpoint-interval-seconds"
CHECKPOINT_SAVE_ANNOTATION = f"{DOMAIN}/checkpoint-save-seconds"

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
"""Label that the API server gives every namespace: its name. Nobody can give a namespace another one."""

POD_SECURITY_LABEL = "pod-security.kubernetes.io/"
"""First part of the labels by which a namespace says which standard its pods must meet; the mode follows."""

DRAINED_ANNOTATION = f"{DOMAIN}/drained-from-buffer"
"""Put on a Kueue workload between its eviction from the buffer and its return to its queue, so that a drain that was cut short goes on."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
KUEUE_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
MAX_EXEC_LABEL = "kueue.x-k8s.io/max-exec-time-seconds"

TOPOLOGY_ANNOTATION = "kueue.x-k8s.io/podset-required-topology"
"""Annotation of a pod template that keeps all its pods within one domain of a node label."""

SYSTEM_NAMESPACE = "hybrid-pools-system"
"""Namespace of what the platform itself runs in the cluster: the parameters of admission and the jobs that open and close the buffer."""

ADMISSION_PARAMETERS = "admission-parameters"
"""ConfigMap in the system namespace that the admission policies read."""

ROOT_COHORT = "hybrid-pools"
"""Kueue cohort above all others of this project. A cluster may have more, of its own."""

BUFFER_COHORT = f"{ROOT_COHORT}-buffer"
"""Kueue cohort that holds the buffer's quota and nothing else, so that one change opens or closes it for all."""

TOPOLOGY = f"{ROOT_COHORT}-compact"
"""Kueue topology of compactly placed pools."""

JOB_CONTROLLER = "system:serviceaccount:kube-system:job-controller"
"""User that makes the pods of Jobs, and so of JobSets."""

KUEUE_CONTROLLER = "system:serviceaccount:kueue-system:kueue-controller-manager"
"""User that keeps finalizers on flavors."""

JOBSET_CONTROLLERS = (
    "system:serviceaccount:jobset-system:jobset-controller",
    "system:serviceaccount:jobset-system:jobset-controller-manager",
)
"""Users that make the Jobs of JobSets: the chart's, and that of JobSet's release manifests."""

SCHEDULER = "system:kube-scheduler"
"""User that binds pods to nodes."""

SCHEDULER_NAMES = ("default-scheduler", "gke.io/optimize-utilization-scheduler")
"""Values of `schedulerName` of Kubernetes' own scheduler; GKE gives it the second one under the profile OPTIMIZE_UTILIZATION."""

SYSTEM_NAMESPACES = ("gke-gmp-system", "gke-managed-cim", "gke-managed-system", "gmp-system", "kube-system")
"""Namespaces of GKE's own pods, of which some run on every node whatever its taints. Nobody else may make pods there."""

ADMINISTRATORS = "system:masters"
"""Group of those who made the cluster. Kubernetes lets them do everything."""

NOT_READY_KEY = "node.kubernetes.io/not-ready"
UNREACHABLE_KEY = "node.kubernetes.io/unreachable"
"""Taints of nodes that Kubernetes has lost sight of."""

SPOT_KEY = "cloud.google.com/gke-spot"
PREEMPTIBLE_KEY = "cloud.google.com/gke-preemptible"
GPU_KEY = "nvidia.com/gpu"
QUEUED_KEY = "cloud.google.com/gke-queued"
PROVISIONING_REQUEST_LABEL = "autoscaling.gke.io/provisioning-request"
"""Node label that GKE sets: the request for which a node was made."""

ARCHITECTURE_KEY = "kubernetes.io/arch"
NODE_POOL_LABEL = "cloud.google.com/gke-nodepool"
ACCELERATOR_LABEL = "cloud.google.com/gke-accelerator"
ZONE_LABEL = "topology.kubernetes.io/zone"
GOOGLE_LABEL_DOMAINS = ("cloud.google.com", "gke.io", "kubernetes.io", "k8s.io", "nvidia.com", "google.com")
"""Label and taint domains that belong to Google, Kubernetes or the device plugin: configuration may not use them."""

SPOT_TAINT = Taint(SPOT_KEY, "true", Effect.NO_SCHEDULE)
"""Declared on every pool of Spot VMs: GKE only labels the nodes of a hand-made spot pool."""

SPOT_ROLE_TAINT = Taint(ROLE_LABEL, Role.SPOT.value, Effect.NO_SCHEDULE)
"""Keeps services off interruptible pools that are not Spot VMs (flex-start, queued provisioning)."""

BUFFER_TAINT = Taint(ROLE_LABEL, Role.BUFFER.value, Effect.NO_SCHEDULE)
GPU_TAINT = Taint(GPU_KEY, "present", Effect.NO_SCHEDULE)
"""Put on GPU pools by GKE, not by us: declaring it again fails or duplicates (terraform-provider-google#7928)."""

QUEUED_TAINT = Taint(QUEUED_KEY, "true", Effect.NO_SCHEDULE)
"""Put on pools of queued provisioning by GKE."""

GUARDED_TAINTS = (SPOT_TAINT, SPOT_ROLE_TAINT, QUEUED_TAINT)
"""Taints of nodes that may end under the workload: only checkpoint-capable work may tolerate them."""

ARM_TAINT = Taint(ARCHITECTURE_KEY, "arm64", Effect.NO_SCHEDULE)
"""Put on Arm pools by GKE."""

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
PROVISIONING_LABEL = "cloud.google.com/gke-provisioning"
HOSTNAME_LABEL = "kubernetes.io/hostname"
COMPUTE_CLASS_LABEL = "cloud.google.com/compute-class"
FLEX_START_LABEL = "cloud.google.com/gke-flex-start"
MACHINE_FAMILY_LABEL = "cloud.google.com/machine-family"
REGION_LABEL = "topology.kubernetes.io/region"
OPERATING_SYSTEM_LABEL = "kubernetes.io/os"
TOPOLOGY_BLOCK_LABEL = "cloud.google.com/gce-topology-block"
TOPOLOGY_SUBBLOCK_LABEL = "cloud.google.com/gce-topology-subblock"
TOPOLOGY_HOST_LABEL = "cloud.google.com/gce-topology-host"

TEAM_LABEL = "team"
COST_CENTER_LABEL = "cost-center"
ENVIRONMENT_LABEL = "environment"
POOL_ROLE_LABEL = "pool-role"
REQUIRED_RESOURCE_LABELS = (TEAM_LABEL, COST_CENTER_LABEL, ENVIRONMENT_LABEL, POOL_ROLE_LABEL)
"""Google Cloud labels (not Kubernetes ones) on every pool's VMs, so that the bill can be split."""

TRAINING_SERVICE_ACCOUNT = "training"
"""Kubernetes service account that a team's training runs as, in the team's namespace."""


PRUNING_NAMESPACE = "checkpoint-pruning"
"""Namespace of the accounts that delete old checkpoints. No team may start pods there: who may start a pod may run as its account."""


def pruner_service_account(team: str) -> str:
    """Kubernetes service account that deletes a team's old checkpoints."""
    return f"pruner-{team}"


def team_namespace(team: str) -> str:
    """Kubernetes namespace of a team."""
    return f"team-{team}"


def team_folder(team: str) -> str:
    """Folder of a team below the prefix of every bucket. Ends in `/`, so that `audio` never covers `audio-lab`."""
    return f"{team}/"


VERTEX_RUN_LABEL = "hybrid-pools-run"
"""Label of a Vertex AI job: the run that it is an attempt of. Google's labels take neither dots nor slashes."""

VERTEX_ATTEMPT_LABEL = "hybrid-pools-attempt"
"""Label of a Vertex AI job: which attempt of the run it is, from 1."""

VERTEX_DESCRIPTION_LABEL = "hybrid-pools-description"
"""Label of a Vertex AI job: a digest of what the run was described as."""

EVENT_FIELD = "event"
RECOVERED_EVENT = f"{DOMAIN}/recovered"
RECOVERY_SECONDS_FIELD = "recoverySeconds"
"""A resumed run writes one structured log line with `event` and `recoverySeconds`: seconds from the end of the old process to the first
step after the restored checkpoint. The recovery objective is judged by these lines, because Google's own recovery metric is a gauge, which
no objective takes."""

CHECKPOINT_URI_VARIABLE = "HYBRID_POOLS_CHECKPOINT_URI"
CHECKPOINT_INTERVAL_VARIABLE = "HYBRID_POOLS_CHECKPOINT_INTERVAL_SECONDS"
CHECKPOINT_ATTEMPT_VARIABLE = "HYBRID_POOLS_ATTEMPT"
"""Environment variable with an id that all workers of one start of a run share, and no other start has. Runs of several workers need it."""

CHECKPOINT_LOCAL_VARIABLE = "HYBRID_POOLS_CHECKPOINT_LOCAL"
"""Environment variable with the folder of the fast tier, on a disk of the node."""

STEPS_FILE_VARIABLE = "HYBRID_POOLS_STEPS_FILE"
"""Environment variable with a file to which worker 0 appends the number of steps done after each step, one a line. Set by whoever tests a
trainer and must know how far it is, whatever its log looks like."""

STOP_STEP_VARIABLE = "HYBRID_POOLS_STOP_STEP"
"""Environment variable with a number of steps after which a trainer stops as if it had been asked to. Two starts that stop there have done
the same work, so their checkpoints can be compared."""

RANK_VARIABLE = "RANK"
WORKERS_VARIABLE = "WORLD_SIZE"
"""How torchrun and its kin tell a worker its number and how many there are."""

MEETING_ADDRESS_VARIABLE = "MASTER_ADDR"
MEETING_PORT_VARIABLE = "MASTER_PORT"
"""How PyTorch and its kin tell a worker where all of them meet."""

RANK_LABEL = "batch.kubernetes.io/job-completion-index"
"""Label that Kubernetes gives each pod of an indexed job: its number."""

JOB_ID_LABEL = "batch.kubernetes.io/controller-uid"
"""Label that Kubernetes gives all pods of a job: an id that no other job has, a later one of the same name neither."""

JOBSET_LABEL = "jobset.sigs.k8s.io/jobset-name"
"""Label that JobSet gives each pod of a set: the set's name."""

REPLICATED_JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
"""Label that JobSet gives each pod of a set: which of its jobs it belongs to."""

RESUME_EXIT_CODE = 42
"""A trainer that was stopped and has saved ends with it: start it again. Exit code 0 would count as done, whatever was asked of it
(kubernetes#118310); this value is the one that xpk restarts on, and no exception or signal ends a process with it."""

TERMINATED_EXIT_CODE = 143
"""What the signal to stop ends a process with that does not listen to it."""


def priority_class(workload_class: WorkloadClass) -> str:
    """Kubernetes and Kueue priority class of a class of workloads."""
    return f"hybrid-{workload_class.value}"


def local_queue(workload_class: WorkloadClass) -> str:
    """Queue of a class in each team's namespace."""
    return workload_class.value


def cluster_queue(team: str, workload_class: WorkloadClass) -> str:
    """Kueue cluster queue behind a team's queue of a class."""
    return f"{team}-{workload_class.value}"


def team_cohort(team: str) -> str:
    """Kueue cohort that holds a team's cluster queues."""
    return f"team-{team}"
