"""What a team that follows the rules writes (`honest_pod`, `honest_job` and the like), and the admission that it meets."""

import copy
from typing import Any

from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    ADMINISTRATORS,
    BUFFER_TAINT,
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    GPU_KEY,
    GUARDED_TAINTS,
    JOB_CONTROLLER,
    JOBSET_CONTROLLERS,
    KUEUE_CONTROLLER,
    MAX_EXEC_LABEL,
    QUEUE_LABEL,
    ROLE_LABEL,
    SCHEDULER,
    SCHEDULER_NAMES,
    SPOT_CLASSES,
    SPOT_KEY,
    SYSTEM_NAMESPACES,
    TRAINING_SERVICE_ACCOUNT,
    AdmissionMode,
    WorkloadClass,
    local_queue,
    priority_class,
    team_namespace,
)

Manifest = dict[str, Any]

TEAM = team_namespace("audio")
"""Namespace of a team that may use spot."""

TEAM_WITHOUT_SPOT = team_namespace("web")
NO_TEAM = "tools"
"""Namespace that is no team's and is not exempt."""

PLATFORM_GROUP = "platform@example.com"
PERSON = "researcher@example.com"


def admission(mode: AdmissionMode = AdmissionMode.DENY) -> Admission:
    """Admission of a small environment: one spot pool with the short window, one with the long one."""
    return Admission(
        mode=mode,
        exempt_namespaces=tuple(sorted(SYSTEM_NAMESPACES)),
        pod_creators=(JOB_CONTROLLER,),
        schedulers=(SCHEDULER,),
        scheduler_names=SCHEDULER_NAMES,
        platform_groups=(ADMINISTRATORS, PLATFORM_GROUP),
        guarded_taints=GUARDED_TAINTS,
        grace_seconds={"spot-l4": 105, "spot-t4": 15},
        save_margin_seconds=5,
        spot_queues=tuple(map(local_queue, SPOT_CLASSES)),
        spot_priority_classes=tuple(map(priority_class, SPOT_CLASSES)),
        teams=(
            TeamAdmission("audio", TEAM, TRAINING_SERVICE_ACCOUNT, "gs://*/runs/audio/", spot=True),
            TeamAdmission("web", TEAM_WITHOUT_SPOT, TRAINING_SERVICE_ACCOUNT, "gs://*/runs/web/", spot=False),
        ),
        platform_users=(KUEUE_CONTROLLER,),
        job_creators=JOBSET_CONTROLLERS,
        flavor_labels={"spot-l4": {ACCELERATOR_LABEL: "nvidia-l4"}, "spot-t4": {ACCELERATOR_LABEL: "nvidia-tesla-t4"}},
    )


def spot_tolerations() -> list[Manifest]:
    """What Kueue adds for a spot flavor."""
    return [{"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect.value} for taint in GUARDED_TAINTS]


def honest_template(workload_class: WorkloadClass = WorkloadClass.TRAINING) -> Manifest:
    """A pod template that may run on spot, before Kueue has placed it."""
    return {
        "metadata": {
            "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: workload_class.value},
            "annotations": {CHECKPOINT_URI_ANNOTATION: "gs://acme-checkpoints/runs/audio/tone-7", CHECKPOINT_SAVE_ANNOTATION: "10"},
        },
        "spec": {
            "serviceAccountName": TRAINING_SERVICE_ACCOUNT,
            "restartPolicy": "Never",
            "priorityClassName": priority_class(workload_class),
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "trainer", "image": "example.com/trainer"}],
        },
    }


def placed(template: Manifest) -> Manifest:
    """The same with what Kueue gives it on a spot flavor."""
    spec = template["spec"]
    return {**template, "spec": {**spec, "tolerations": [*spec.get("tolerations", []), *spot_tolerations()]}}


def named(
    api_version: str, kind: str, spec: Any, *, namespace: str = TEAM, labels: dict[str, str] | None = None, name: str = "run"
) -> Manifest:
    """An object around a spec."""
    metadata: Manifest = {"name": name, "namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, **({"labels": labels} if labels else {})}, "spec": spec}


def honest_pod(namespace: str = TEAM) -> Manifest:
    """A pod as the Job controller makes it of an honest job on spot."""
    return pod_of(placed(honest_template()), namespace=namespace)


def queue_labels(workload_class: WorkloadClass = WorkloadClass.TRAINING) -> dict[str, str]:
    """Labels of a job that goes through its class's queue and ends after a day."""
    return {QUEUE_LABEL: local_queue(workload_class), MAX_EXEC_LABEL: "86400"}


IGNORE_DISRUPTIONS = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def honest_job_spec(template: Manifest | None = None) -> Manifest:
    """Spec of an honest Job."""
    return {"backoffLimit": 3, "podFailurePolicy": IGNORE_DISRUPTIONS, "template": template or honest_template()}


def honest_job(template: Manifest | None = None) -> Manifest:
    """An honest Job for the training queue."""
    return named("batch/v1", "Job", honest_job_spec(template), labels=queue_labels())


def coordinator_template() -> Manifest:
    """A coordinator that stays on stable nodes."""
    template = honest_template()
    return {
        "metadata": {"labels": {CLASS_LABEL: WorkloadClass.TRAINING.value}},
        "spec": {**template["spec"], "nodeSelector": {ROLE_LABEL: "stable"}},
    }


def honest_job_set(worker: Manifest | None = None) -> Manifest:
    """An honest JobSet: a coordinator on stable nodes, workers on spot, all started again after a disruption."""
    announces = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
    return named(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        {
            "failurePolicy": {
                "maxRestarts": 3,
                "rules": [
                    {"name": "disrupted", "action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}
                ],
            },
            "replicatedJobs": [
                {"name": "coordinator", "replicas": 1, "template": {"spec": {"template": coordinator_template()}}},
                {
                    "name": "workers",
                    "replicas": 2,
                    "template": {"spec": {"backoffLimit": 0, "podFailurePolicy": announces, "template": worker or honest_template()}},
                },
            ],
        },
        labels=queue_labels(),
    )


def silent_job_set() -> Manifest:
    """A JobSet with the right rule, whose jobs never give the reason that it waits for."""
    job_set = copy.deepcopy(honest_job_set())
    del job_set["spec"]["replicatedJobs"][1]["template"]["spec"]["podFailurePolicy"]
    return job_set


def honest_cron_job() -> Manifest:
    """An honest CronJob, whose jobs go through the queue."""
    job = {"metadata": {"labels": queue_labels()}, "spec": honest_job_spec()}
    return named("batch/v1", "CronJob", {"schedule": "0 3 * * *", "jobTemplate": job})


def honest_pytorch_job() -> Manifest:
    """An honest PyTorchJob; its operator sets the restart policy of the pods."""
    template = honest_template()
    del template["spec"]["restartPolicy"]
    replicas = {"Worker": {"replicas": 2, "restartPolicy": "ExitCode", "template": template}}
    return named("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": replicas}, labels=queue_labels())


def honest_ray_job() -> Manifest:
    """An honest RayJob: head on stable nodes, workers on spot."""
    cluster = {
        "headGroupSpec": {"template": coordinator_template()},
        "workerGroupSpecs": [{"groupName": "gpu", "template": honest_template()}],
    }
    return named("ray.io/v1", "RayJob", {"backoffLimit": 2, "rayClusterSpec": cluster}, labels=queue_labels())


def honest_workload() -> Manifest:
    """What Kueue makes of an honest job."""
    pod_sets = [{"name": "main", "count": 1, "template": honest_template()}]
    return named("kueue.x-k8s.io/v1beta2", "Workload", {"queueName": local_queue(WorkloadClass.TRAINING), "podSets": pod_sets})


def service_template() -> Manifest:
    """Pods of a service on stable nodes, which may overflow to the buffer."""
    return {
        "metadata": {"labels": {"app": "web", CLASS_LABEL: WorkloadClass.SERVICE.value}},
        "spec": {
            "priorityClassName": priority_class(WorkloadClass.SERVICE),
            "tolerations": [
                {"key": BUFFER_TAINT.key, "operator": "Equal", "value": BUFFER_TAINT.value, "effect": BUFFER_TAINT.effect.value},
                {"key": GPU_KEY, "operator": "Exists", "effect": "NoSchedule"},
            ],
            "nodeSelector": {"kubernetes.io/arch": "amd64"},
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {"key": SPOT_KEY, "operator": "DoesNotExist"},
                                    {"key": ROLE_LABEL, "operator": "In", "values": ["stable", "buffer"]},
                                ]
                            }
                        ]
                    }
                }
            },
            "containers": [{"name": "web", "image": "example.com/web"}],
        },
    }


def honest_deployment() -> Manifest:
    """A service."""
    return named("apps/v1", "Deployment", {"selector": {"matchLabels": {"app": "web"}}, "template": service_template()}, name="web")


def pod_of(template: Manifest, *, namespace: str = TEAM, name: str = "run-0") -> Manifest:
    """A pod made of a template."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **template.get("metadata", {})},
        "spec": template["spec"],
    }
