"""Kinds of objects that make pods, and where in them the pods are described (facts/policy-storage-monitoring.md A.3).

Groups are compared, versions are not: paths are those of the newest version, and older ones that differ are listed beside them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

LABELS = "metadata.labels"


@dataclass(frozen=True)
class Kind:
    """One kind that makes pods.

    A path names keys from the object's root, separated by dots; `[]` stands for every element of a list, `{}` for every value of an object.

    Attributes:
        plural: Name of the resource in the API.
        batch: Whether its pods end by themselves and may be checkpoint-capable. False for services, and for kinds that make pods in ways
            that cannot be judged.
        templates: Paths of pod templates: objects with `metadata` and `spec`.
        specs: Paths of objects that have fields of a pod's `spec` and no labels beside them.
        texts: Paths of text that changes pods when it is read, which no rule can see through.
        labels: Path of the labels that Kueue reads.
        queue: Path of the queue's name, where it is not one of those labels.
        partial: Whether templates are completed by another object, so that what is missing in them proves nothing.
        restart_policy: What a left-out restart policy becomes.
    """

    group: str
    kind: str
    plural: str
    batch: bool = False
    templates: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    labels: str = LABELS
    queue: str | None = None
    partial: bool = False
    restart_policy: str = "Always"

    @property
    def is_pod(self) -> bool:
        """Whether it is the pod itself, which is judged by who makes it."""
        return (self.group, self.kind) == ("", "Pod")


_TEMPLATE = "spec.template"
_JOBS_TEMPLATE = "spec.replicatedJobs[].template.spec.template"
_KUBEFLOW = "kubeflow.org"
_RAY = "ray.io"
_TRAINER = "trainer.kubeflow.org"
_KNATIVE = "serving.knative.dev"
_ARGO = "argoproj.io"
_VOLCANO = "batch.volcano.sh"


def _ray(spec: str) -> tuple[str, ...]:
    return (f"{spec}.headGroupSpec.template", f"{spec}.workerGroupSpecs[].template")


def _replicas(kind: str, plural: str, field: str) -> Kind:
    # The operator sets the pods' restart policy by that of the replica, which the rule on disruptions reads.
    return Kind(_KUBEFLOW, kind, plural, batch=True, templates=(f"spec.{field}{{}}.template",), restart_policy="Never")


def _argo(kind: str, plural: str, spec: str) -> Kind:
    return Kind(
        _ARGO,
        kind,
        plural,
        specs=(spec, f"{spec}.templates[]", f"{spec}.templateDefaults"),
        texts=(f"{spec}.podSpecPatch", f"{spec}.templates[].podSpecPatch", f"{spec}.templateDefaults.podSpecPatch"),
    )


_ALL = (
    Kind("", "Pod", "pods", batch=True, templates=("",)),
    Kind("", "PodTemplate", "podtemplates", batch=True, templates=("template",)),
    Kind("apps", "Deployment", "deployments", templates=(_TEMPLATE,)),
    Kind("apps", "DaemonSet", "daemonsets", templates=(_TEMPLATE,)),
    Kind("apps", "ReplicaSet", "replicasets", templates=(_TEMPLATE,)),
    Kind("apps", "StatefulSet", "statefulsets", templates=(_TEMPLATE,)),
    Kind("", "ReplicationController", "replicationcontrollers", templates=(_TEMPLATE,)),
    Kind(
        "batch", "CronJob", "cronjobs", batch=True, templates=("spec.jobTemplate.spec.template",), labels="spec.jobTemplate.metadata.labels"
    ),
    Kind("batch", "Job", "jobs", batch=True, templates=(_TEMPLATE,)),
    Kind("jobset.x-k8s.io", "JobSet", "jobsets", batch=True, templates=(_JOBS_TEMPLATE,)),
    Kind(
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        "leaderworkersets",
        templates=("spec.leaderWorkerTemplate.leaderTemplate", "spec.leaderWorkerTemplate.workerTemplate"),
    ),
    Kind("kueue.x-k8s.io", "Workload", "workloads", batch=True, templates=("spec.podSets[].template",), queue="spec.queueName"),
    Kind(_RAY, "RayCluster", "rayclusters", batch=True, templates=_ray("spec")),
    Kind(_RAY, "RayJob", "rayjobs", batch=True, templates=(*_ray("spec.rayClusterSpec"), "spec.submitterPodTemplate")),
    Kind(_RAY, "RayService", "rayservices", templates=(*_ray("spec.rayClusterConfig"), *_ray("spec.rayClusterSpec"))),
    _replicas("JAXJob", "jaxjobs", "jaxReplicaSpecs"),
    _replicas("MPIJob", "mpijobs", "mpiReplicaSpecs"),
    _replicas("PaddleJob", "paddlejobs", "paddleReplicaSpecs"),
    _replicas("PyTorchJob", "pytorchjobs", "pytorchReplicaSpecs"),
    _replicas("TFJob", "tfjobs", "tfReplicaSpecs"),
    _replicas("XGBoostJob", "xgboostjobs", "xgbReplicaSpecs"),
    Kind(
        _TRAINER,
        "TrainJob",
        "trainjobs",
        batch=True,
        partial=True,
        templates=(
            "spec.podTemplateOverrides[]",
            "spec.podSpecOverrides[]",
            "spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template",
        ),
    ),
    Kind(_TRAINER, "TrainingRuntime", "trainingruntimes", templates=(f"{_TEMPLATE}.{_JOBS_TEMPLATE}",)),
    Kind(_TRAINER, "ClusterTrainingRuntime", "clustertrainingruntimes", templates=(f"{_TEMPLATE}.{_JOBS_TEMPLATE}",)),
    Kind(_VOLCANO, "Job", "jobs", templates=("spec.tasks[].template",)),
    Kind("sparkoperator.k8s.io", "SparkApplication", "sparkapplications", specs=("spec.driver", "spec.executor")),
    Kind(
        "sparkoperator.k8s.io",
        "ScheduledSparkApplication",
        "scheduledsparkapplications",
        specs=("spec.template.driver", "spec.template.executor"),
    ),
    _argo("Workflow", "workflows", "spec"),
    _argo("WorkflowTemplate", "workflowtemplates", "spec"),
    _argo("ClusterWorkflowTemplate", "clusterworkflowtemplates", "spec"),
    _argo("CronWorkflow", "cronworkflows", "spec.workflowSpec"),
    Kind(_ARGO, "Rollout", "rollouts", templates=(_TEMPLATE,)),
    Kind("serving.kserve.io", "InferenceService", "inferenceservices", specs=("spec.predictor", "spec.transformer", "spec.explainer")),
    Kind("kubevirt.io", "VirtualMachine", "virtualmachines", templates=(_TEMPLATE,)),
    Kind("kubevirt.io", "VirtualMachineInstance", "virtualmachineinstances", specs=("spec",)),
    Kind(_KNATIVE, "Configuration", "configurations", templates=(_TEMPLATE,)),
    Kind(_KNATIVE, "Revision", "revisions", specs=("spec",)),
    Kind(_KNATIVE, "Service", "services", templates=(_TEMPLATE,)),
    Kind("tekton.dev", "TaskRun", "taskruns", specs=("spec.podTemplate",)),
    Kind(
        "tekton.dev",
        "PipelineRun",
        "pipelineruns",
        specs=("spec.podTemplate", "spec.taskRunTemplate.podTemplate", "spec.taskRunSpecs[].podTemplate"),
    ),
    Kind(
        "workload.codeflare.dev",
        "AppWrapper",
        "appwrappers",
        templates=(
            "spec.components[].template",
            "spec.components[].template.spec.template",
            "spec.components[].template.spec.jobTemplate.spec.template",
        ),
    ),
)


_WITHOUT_PODS = {
    ("", "Endpoints"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("kueue.x-k8s.io", "ResourceFlavor"),
    ("resource.k8s.io", "ResourceSlice"),
    ("storage.k8s.io", "VolumeAttachment"),
}
"""Kinds that name nodes or tolerations and make no pods."""


@cache
def kinds() -> Mapping[tuple[str, str], Kind]:
    """Every known kind by group and kind."""
    return {(kind.group, kind.kind): kind for kind in _ALL}


def kind_of(api_version: str, kind: str) -> Kind | None:
    """The known kind of an object, whatever the version."""
    return kinds().get((_group(api_version), kind))


def makes_no_pods(api_version: str, kind: str) -> bool:
    """Whether objects of the kind are known to make none, whatever they look like."""
    return (_group(api_version), kind) in _WITHOUT_PODS


def _group(api_version: str) -> str:
    group, slash, _ = api_version.partition("/")
    return group if slash else ""
