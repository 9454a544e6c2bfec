"""What one team may take at the most, so that none fills the control plane or takes nodes past its queues."""

from collections.abc import Iterator

from hybrid_pools.blueprint.model import Blueprint, Team
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.blueprint.quantity import mebibytes, thousandths, whole
from hybrid_pools.blueprint.vocabulary import GPU_KEY, Role, WorkloadClass
from hybrid_pools.manifests.manifest import Manifest, manifest

_COUNTS = {
    # Kueue and the job controller look at each of them again and again; a loop in somebody's script must not stop everybody's queue.
    # JobSets are bounded by the jobs that they make. No kind that a chart brings may stand here: Kubernetes starts to count it minutes
    # after the chart, and refuses every one of its objects until then.
    "count/jobs.batch": 3000,
    "count/cronjobs.batch": 20,
    "pods": 5000,
    "configmaps": 500,
    "secrets": 50,
    "services": 600,
    # Training is not published; an address on the internet or a port on every node is the platform's to give.
    "services.loadbalancers": 0,
    "services.nodeports": 0,
}
_SYSTEM_CLASSES = ["system-cluster-critical", "system-node-critical"]


def team_limits(blueprint: Blueprint, kubernetes: Kubernetes, team: Team) -> tuple[Manifest, ...]:
    """Quotas and limits of a team's namespace."""
    return (
        *_quotas(blueprint, kubernetes, team),
        manifest("v1", "LimitRange", "containers", namespace=team.namespace, spec={"limits": [_container_limits(blueprint)]}),
    )


def _quotas(blueprint: Blueprint, kubernetes: Kubernetes, team: Team) -> Iterator[Manifest]:
    counts = {resource: whole(count) for resource, count in _COUNTS.items()}
    yield manifest("v1", "ResourceQuota", "objects", namespace=team.namespace, spec={"hard": counts})
    # Pods of these classes push any other pod off its node; they belong to the cluster's own parts.
    yield _by_class("no-system-classes", team, _SYSTEM_CLASSES, {"pods": "0"})
    services = next(policy for policy in kubernetes.classes if policy.workload_class is WorkloadClass.SERVICE)
    gpus = {f"requests.{GPU_KEY}": whole(_gpus_for_services(blueprint, kubernetes))}
    yield _by_class("services", team, [services.priority_class], gpus)


def _by_class(name: str, team: Team, classes: list[str], hard: Manifest) -> Manifest:
    selector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": classes}]}
    return manifest("v1", "ResourceQuota", name, namespace=team.namespace, spec={"hard": hard, "scopeSelector": selector})


def _gpus_for_services(blueprint: Blueprint, kubernetes: Kubernetes) -> int:
    """GPUs on which services may be placed and which no queue has been promised; with the buffer's, which by day are theirs."""
    queues = kubernetes.queues
    stable = {flavor.name for flavor in queues.flavors if flavor.role is Role.STABLE}
    quotas = [*(quota for queue in queues.queues for quota in queue.quotas), *queues.shared]
    promised = sum(quota.nominal.gpus for quota in quotas if quota.flavor in stable)
    return max(0, sum(pool.max_gpus for pool in blueprint.pools if pool.role is not Role.SPOT) - promised)


def _container_limits(blueprint: Blueprint) -> Manifest:
    """What a container that says nothing gets, and what is more than any node has.

    The default limit is the largest node: a limit below what a container requests would make it invalid, and one that is left out is
    refused where there is a maximum. A container larger than every node is refused at once instead of waiting for ever.
    """
    cores = max(pool.machine.vcpus for pool in blueprint.pools)
    memory = max(int(pool.machine.memory_gib * 1024) for pool in blueprint.pools)
    largest = {"cpu": thousandths(cores * 1000), "memory": mebibytes(memory)}
    return {"type": "Container", "defaultRequest": {"cpu": "500m", "memory": "1Gi"}, "default": largest, "max": largest}
