"""What Kueue is told: flavors, cohorts, and for each class of each team the cluster queue and the local queue before it."""

from collections.abc import Container, Iterable, Iterator

from hybrid_pools.blueprint.model.queues import BufferQuota, Flavor, FlavorQuota, Kubernetes, Queues, Resources, TeamQueue
from hybrid_pools.blueprint.quantity import mebibytes, thousandths, whole
from hybrid_pools.blueprint.vocabulary import GPU_KEY, NAMESPACE_NAME_LABEL, PROVISIONING_REQUEST_LABEL
from hybrid_pools.manifests.kueue_configuration import KUEUE_API, KUEUE_GROUP
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.priorities import queue_priority_classes

_ASKS_FOR_NODES = "queued-provisioning"
"""Name of the admission check that asks GKE for all nodes of a workload together."""


def cluster_wide_queues(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """Everything of Kueue that belongs to no namespace, in order of creation."""
    queues = kubernetes.queues
    return (
        *queue_priority_classes(kubernetes),
        *_topologies(queues),
        *map(_flavor, queues.flavors),
        *_asking_for_nodes(queues),
        *_cohorts(queues),
        *(_cluster_queue(queue, _parent(queues, queue), _queued(queues)) for queue in queues.queues),
    )


def local_queues(queues: Queues, team: str) -> tuple[Manifest, ...]:
    """The queues that a team's jobs name, one a class, in its namespace."""
    return tuple(
        manifest(KUEUE_API, "LocalQueue", queue.local_queue, namespace=queue.namespace, spec={"clusterQueue": queue.name})
        for queue in queues.queues
        if queue.team == team
    )


def queues(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """Everything of Kueue, in order of creation."""
    teams = dict.fromkeys(queue.team for queue in kubernetes.queues.queues)
    return (*cluster_wide_queues(kubernetes), *(one for team in teams for one in local_queues(kubernetes.queues, team)))


def buffer_groups(buffer: BufferQuota, *, opened: bool) -> list[Manifest]:
    """Resource groups of the buffer's cohort while training has the buffer, or while services have it."""
    if opened:
        return _groups(buffer.quotas)
    return _groups([FlavorQuota(quota.flavor, Resources(), None, None) for quota in buffer.quotas])


def _topologies(queues: Queues) -> Iterator[Manifest]:
    levels = [{"nodeLabel": label} for label in queues.topology_levels]
    for name in sorted({flavor.topology for flavor in queues.flavors if flavor.topology}):
        yield manifest(KUEUE_API, "Topology", name, spec={"levels": levels})


def _flavor(flavor: Flavor) -> Manifest:
    spec: Manifest = {"nodeLabels": dict(flavor.node_labels)}
    if flavor.node_taints:
        # For readers: what is also tolerated below plays no part in Kueue's choice (apis/kueue/v1beta2 of Kueue 0.17).
        spec["nodeTaints"] = [{"key": taint.key, "value": taint.value, "effect": taint.effect.value} for taint in flavor.node_taints]
    if flavor.tolerations:
        spec["tolerations"] = [
            {"key": one.key, "operator": "Equal", "value": one.value, "effect": one.effect.value} for one in flavor.tolerations
        ]
    if flavor.topology:
        spec["topologyName"] = flavor.topology
    return manifest(KUEUE_API, "ResourceFlavor", flavor.name, spec=spec)


def _queued(queues: Queues) -> frozenset[str]:
    """Flavors whose nodes come only when GKE is asked for all of them together."""
    return frozenset(flavor.name for flavor in queues.flavors if flavor.queued)


def _asking_for_nodes(queues: Queues) -> Iterator[Manifest]:
    """For such flavors Kueue asks before it lets pods be made: the autoscaler does nothing for their pods alone.

    The nodes of a request are for its workload only. Source: Kueue, "Provisioning Admission Check Controller"; Google's xpk, whose node
    selector this is.
    """
    if not _queued(queues):
        return
    own = {"key": PROVISIONING_REQUEST_LABEL, "valueFromProvisioningClassDetail": "ResizeRequestName"}
    asking = {
        "provisioningClassName": "queued-provisioning.gke.io",
        "managedResources": [GPU_KEY],
        "podSetUpdates": {"nodeSelector": [own]},
    }
    yield manifest(KUEUE_API, "ProvisioningRequestConfig", _ASKS_FOR_NODES, spec=asking)
    parameters = {"apiGroup": KUEUE_GROUP, "kind": "ProvisioningRequestConfig", "name": _ASKS_FOR_NODES}
    check = {"controllerName": f"{KUEUE_GROUP}/provisioning-request", "parameters": parameters}
    yield manifest(KUEUE_API, "AdmissionCheck", _ASKS_FOR_NODES, spec=check)


def _cohorts(queues: Queues) -> Iterator[Manifest]:
    root: Manifest = {"resourceGroups": _groups(queues.shared)} if queues.shared else {}
    yield manifest(KUEUE_API, "Cohort", queues.cohort, spec=root)
    for team in queues.teams:
        weight = {"weight": thousandths(team.weight)}
        yield manifest(KUEUE_API, "Cohort", team.name, spec={"parentName": queues.cohort, "fairSharing": weight})
    if queues.buffer:
        # Closed at first: a quota that nobody has opened yet cannot promise what services are using.
        closed = buffer_groups(queues.buffer, opened=False)
        yield manifest(KUEUE_API, "Cohort", queues.buffer.cohort, spec={"parentName": queues.cohort, "resourceGroups": closed})


def _parent(queues: Queues, queue: TeamQueue) -> str:
    return next(cohort.name for cohort in queues.teams if cohort.team == queue.team)


def _cluster_queue(queue: TeamQueue, cohort: str, queued: Container[str]) -> Manifest:
    asked = [quota.flavor for quota in queue.quotas if quota.flavor in queued]
    checks = [{"name": _ASKS_FOR_NODES, "onFlavors": asked}]
    return manifest(
        KUEUE_API,
        "ClusterQueue",
        queue.name,
        spec={
            **({"admissionChecksStrategy": {"admissionChecks": checks}} if asked else {}),
            "cohortName": cohort,
            "queueingStrategy": "BestEffortFIFO",
            "namespaceSelector": {"matchLabels": {NAMESPACE_NAME_LABEL: queue.namespace}},
            # The order of flavors holds: what is free to borrow in one is taken before the next is looked at. Nobody is pushed out, and
            # loses the work since its last checkpoint, while a later flavor has room.
            "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
            "preemption": {
                "reclaimWithinCohort": "Any",
                "withinClusterQueue": "LowerPriority",
                # Fair sharing decides among borrowers; Kueue allows no other rule beside it.
                "borrowWithinCohort": {"policy": "Never"},
            },
            "resourceGroups": _groups(queue.quotas),
        },
    )


def _groups(quotas: Iterable[FlavorQuota]) -> list[Manifest]:
    """One group: a workload's CPU, memory and GPUs come from the same flavor."""
    return [{"coveredResources": ["cpu", "memory", GPU_KEY], "flavors": [_quota(quota) for quota in quotas]}]


def _quota(quota: FlavorQuota) -> Manifest:
    nominal, borrowing, lending = _amounts(quota.nominal), _limits(quota.borrowing), _limits(quota.lending)
    resources = [
        {
            "name": name,
            "nominalQuota": amount,
            **({"borrowingLimit": borrowing[name]} if borrowing else {}),
            **({"lendingLimit": lending[name]} if lending else {}),
        }
        for name, amount in nominal.items()
    ]
    return {"name": quota.flavor, "resources": resources}


def _limits(resources: Resources | None) -> dict[str, str]:
    return _amounts(resources) if resources is not None else {}


def _amounts(resources: Resources) -> dict[str, str]:
    return {"cpu": thousandths(resources.cpu), "memory": mebibytes(resources.memory), GPU_KEY: whole(resources.gpus)}
