"""`docs/queues.md`: what each class of work gets, and what each team has."""

from collections.abc import Iterator, Sequence

from hybrid_pools.blueprint.derivation.flavors import amount, unit
from hybrid_pools.blueprint.derivation.queues import DEFAULT_ORDERS
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import ClassPolicy, Flavor, Kubernetes, Queues, Resources
from hybrid_pools.blueprint.vocabulary import FLAVOR_LABEL, QUEUE_LABEL, QUEUED_CLASSES, ROLE_LABEL, Role, WorkloadClass, local_queue
from hybrid_pools.documents.markdown import code, codes, document, table

_MEANINGS = {
    WorkloadClass.SERVICE: "What answers somebody at once. It waits in no queue, and pushes everything below off a node when it needs one.",
    WorkloadClass.INTERACTIVE: "Short work that somebody sits in front of, such as a notebook.",
    WorkloadClass.TRAINING: "Long runs that resume from a checkpoint.",
    WorkloadClass.DEFERRED: "Experiments that may wait. They take only what nobody else wants.",
}

_QUEUES = f"""\
A job enters a queue by the label `{QUEUE_LABEL}`: the name of its class. [Kueue](https://kueue.sigs.k8s.io) holds it back until there is
quota, gives it the selector and the tolerations of the flavor that it found, and only then are there pods. Each team has a queue for each
class that has somewhere to go, in its own namespace.

- **A flavor** is the pools of one role, GPU and way of buying: whoever comes back on it meets the same hardware. Nodes carry its name in
  the label `{FLAVOR_LABEL}`. A compactly placed pool is a flavor of its own, so a job of it stays on nodes close together.
- **To choose a flavor** set a node selector, by `{FLAVOR_LABEL}`, by `{ROLE_LABEL}` or by GKE's label of the GPU. In a
  JobSet the coordinator can stay on stable nodes while its workers run on spot. A selector that no flavor of the class has is not refused:
  Kueue lets the job wait for ever. So a deferred job can have no coordinator on stable; such a job belongs into class `training`.
- **The order** is tried from left to right, and the first flavor with quota is taken. Kueue counts quota, not machines: while a spot pool
  is out of stock its quota is still free.
- **Queued provisioning** brings all nodes of a workload together or none. Kueue asks GKE for them once there is quota, and makes the pods
  when they are there; quota that was held for nothing is given back.
- **Own quota** comes back to its team whenever the team has work: what others borrowed of it is evicted, and starts again from its
  checkpoint when it is admitted next.
- **Shared quota** is what no team owns of the spot pools, and the buffer while training has it. Teams get it by weight. Of stable pools
  only what teams own is open to queued work; the rest is the services'.
- **The buffer's quota** opens when every buffer pool has training's limits. It closes, and what runs there is asked to save and go, so long
  before services' limits come back as the schedule's `drainMinutes` say.
- **Priorities** of classes that wait in queues are above 0: JobSet cannot run pods of a negative priority. Only services push others off a
  node. A pod without a class has 0 and pushes nobody: label services, or training on a full node makes them wait for another one.

Quotas are counted in GPUs as pods ask for them, so in shares or partitions where GPUs are divided, and in vCPUs on flavors without GPUs.
CPU and memory follow in proportion to what GKE leaves of the nodes for pods, less a part for its own pods. Where a flavor has machines of
several shapes the proportion is their average."""


def render(blueprints: Sequence[Blueprint]) -> str:
    """The document, one chapter an environment."""
    return document(
        "Queues",
        "the stack files and `hybrid_pools/blueprint/derivation/queues.py`",
        "## Classes of work",
        table(
            ["Class", "What it is", "Roles it may use, in order", "Queue"],
            (
                [
                    code(workload_class),
                    meaning,
                    ", ".join(DEFAULT_ORDERS[workload_class]),
                    code(local_queue(workload_class)) if workload_class in QUEUED_CLASSES else "none",
                ]
                for workload_class, meaning in _MEANINGS.items()
            ),
        ),
        "## How queues work",
        _QUEUES,
        *(part for blueprint in blueprints if blueprint.kubernetes for part in _environment(blueprint, blueprint.kubernetes)),
    )


def _environment(blueprint: Blueprint, kubernetes: Kubernetes) -> Iterator[str]:
    queues = kubernetes.queues
    yield f"## {blueprint.environment.name}"
    yield (
        f"What becomes of objects that break an admission rule: {code(kubernetes.admission.mode)}. A workload that reaches the longest run "
        "of its class is ended; it may be submitted again, and resumes from its checkpoint."
    )
    yield table(
        ["Class", "Priority class", "Value", "Order of flavors", "Longest run"],
        (
            [code(policy.workload_class), code(policy.priority_class), str(policy.priority), codes(policy.order) or "none", limit(policy)]
            for policy in kubernetes.classes
        ),
    )
    yield table(
        ["Flavor", "Pools", "Holds at the most", "Shared", "Time to save"],
        (
            [
                code(flavor.name),
                codes(flavor.pools),
                holds(flavor, flavor.capacity),
                shared(queues, flavor),
                f"{flavor.usable_grace_seconds} s",
            ]
            for flavor in queues.flavors
        ),
    )
    yield table(
        ["Team", "Weight", "Queue", "Flavor", "Own", "May borrow", "Lends"],
        ([code(team), weight, code(queue), code(flavor), *amounts] for team, weight, queue, flavor, *amounts in quota_rows(queues)),
    )
    if queues.buffer:
        yield table(
            ["The buffer's quota", "Cron", "Zone"],
            (
                [f"{'opens' if switch.opens else 'closes'}{' (frozen)' if switch.suspended else ''}", code(switch.cron), switch.time_zone]
                for switch in queues.buffer.switches
            ),
        )


def quota_rows(queues: Queues) -> Iterator[tuple[str, str, str, str, str, str, str]]:
    """Team, weight, queue, flavor, own, may borrow, lends: one row for each flavor of each queue, in the order in which it is tried."""
    weights = {cohort.team: cohort.weight for cohort in queues.teams}
    for queue in queues.queues:
        for quota in queue.quotas:
            flavor = queues.flavor(quota.flavor)
            borrowing = "all there is" if quota.borrowing is None else str(amount(flavor, quota.borrowing))
            lending = amount(flavor, quota.nominal if quota.lending is None else quota.lending)
            own = holds(flavor, quota.nominal)
            yield queue.team, f"{weights[queue.team] / 1000:g}", queue.local_queue, flavor.name, own, borrowing, str(lending)


def limit(policy: ClassPolicy) -> str:
    """How long a workload of a class may run, in words."""
    seconds = policy.runtime_limit_seconds
    return "no limit" if seconds is None else f"{seconds / 3600:g} h"


def holds(flavor: Flavor, resources: Resources) -> str:
    """An amount of a flavor with its unit."""
    return f"{amount(flavor, resources)} {unit(flavor)}"


def shared(queues: Queues, flavor: Flavor) -> str:
    """What teams share of a flavor by weight."""
    buffer = queues.buffer.quotas if queues.buffer else ()
    found = next((quota for quota in (*queues.shared, *buffer) if quota.flavor == flavor.name), None)
    if found is None:
        return "nothing" if flavor.role is not Role.BUFFER else "nothing; it is the services'"
    return holds(flavor, found.nominal) + (" in its windows" if flavor.role is Role.BUFFER else "")
