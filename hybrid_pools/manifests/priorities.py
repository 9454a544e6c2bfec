"""Who goes first: on nodes, and in queues."""

from hybrid_pools.blueprint.model.queues import ClassPolicy, Kubernetes
from hybrid_pools.blueprint.vocabulary import WorkloadClass
from hybrid_pools.manifests.kueue_configuration import KUEUE_API
from hybrid_pools.manifests.manifest import Manifest, manifest

_PURPOSES = {
    WorkloadClass.SERVICE: "Services. They push training off a node that both could use, and nothing of training pushes them.",
    WorkloadClass.INTERACTIVE: "Short work that somebody waits for, with a limit of time.",
    WorkloadClass.TRAINING: "Training that resumes from its checkpoint.",
    WorkloadClass.DEFERRED: "Experiments that may wait. They yield to everything else.",
}


def priority_classes(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """Priority on nodes. None is the default of the cluster: what names no class keeps the priority that it had."""
    return tuple(
        manifest(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            policy.priority_class,
            value=policy.priority,
            globalDefault=False,
            # What waits in queues is admitted by Kueue, which knows whose turn it is; pushing pods off nodes would go round it.
            preemptionPolicy="PreemptLowerPriority" if policy.preempts else "Never",
            description=_purpose(policy),
        )
        for policy in kubernetes.classes
    )


def queue_priority_classes(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """The same classes as Kueue knows them: priority in a queue, without one on nodes."""
    return tuple(
        manifest(KUEUE_API, "WorkloadPriorityClass", policy.priority_class, value=policy.priority, description=_purpose(policy))
        for policy in kubernetes.classes
    )


def priorities(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """Both kinds of priority classes."""
    return (*priority_classes(kubernetes), *queue_priority_classes(kubernetes))


def _purpose(policy: ClassPolicy) -> str:
    return _PURPOSES[policy.workload_class]
