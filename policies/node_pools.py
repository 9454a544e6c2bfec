"""Rules on what a node pool is for: role, taints, limits, protection. Each is pure: it reads one pool and yields what is wrong."""

from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import (
    BUFFER_TAINT,
    POOL_ROLE_LABEL,
    REQUIRED_RESOURCE_LABELS,
    ROLE_LABEL,
    SPOT_ROLE_TAINT,
    SPOT_TAINT,
    Role,
)
from policies.clusters import is_filled
from policies.reading import Value, all_true
from policies.rule import Finding, Setting, Severity, Verdict, judge_each, rule
from policies.views import PREEMPTIBLE_TAINT, PROTECTED_ENVIRONMENTS, NodePoolInputs

_SPOT_PAGE = "https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms"
_AUTOSCALER_PAGE = "https://cloud.google.com/kubernetes-engine/docs/concepts/cluster-autoscaler"

_ZONES_OF_A_REGION = 3
"""Zones that GKE takes for a regional cluster that names none."""

MAX_NODES = Setting("maxNodes", "Nodes that one pool may reach over all zones.", 100, {"type": "integer", "minimum": 0}, Value.number)
MAX_GPUS = Setting("maxGpus", "GPUs that one pool may reach over all zones.", 256, {"type": "integer", "minimum": 0}, Value.number)


@rule(
    id="POOL-001",
    title="A spot pool carries the spot taint",
    severity=Severity.MANDATORY,
    why="GKE only labels the nodes of a hand-made spot pool. Without the taint every pod may land there and dies with the node.",
    fix=f"Declare the taint {SPOT_TAINT} (preemptible machines: {PREEMPTIBLE_TAINT}), or build the pool with SpotPool, which does.",
    links=(_SPOT_PAGE,),
)
def spot_pool_is_tainted(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.is_spot and not pool.has_taint(pool.spot_taint):
        yield Finding("nodeConfig.taints", f"has {pool.taints}, needs {pool.spot_taint}")


@rule(
    id="POOL-002",
    title="A flex-start or queued pool carries a taint that keeps services off",
    severity=Severity.MANDATORY,
    why="Its nodes end when their time is up. A service that lands there ends with them.",
    fix=f"Declare the taint {SPOT_ROLE_TAINT}, or build the pool with SpotPool, which does.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/dws",),
)
def waiting_pool_is_tainted(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.waits_for_capacity and not pool.has_some_taint(SPOT_ROLE_TAINT, BUFFER_TAINT):
        yield Finding("nodeConfig.taints", f"has {pool.taints}, needs {SPOT_ROLE_TAINT}")


@rule(
    id="POOL-003",
    title="A pool says its role",
    severity=Severity.MANDATORY,
    why="Selectors, queues, alerts and the other rules go by this label. Pods that ask for a role never reach a pool without one.",
    fix=f"Set the node label {ROLE_LABEL} to one of {', '.join(Role)}.",
)
def pool_has_a_role(pool: NodePoolInputs) -> Iterator[Verdict]:
    text = pool.role_label.text()
    if text is None:
        yield Finding("nodeConfig.labels", f"has no {ROLE_LABEL}")
    elif pool.role is None:
        yield Finding("nodeConfig.labels", f"has {ROLE_LABEL}={text}, which is no role")


@rule(
    id="POOL-004",
    title="A stable pool is neither interruptible nor tainted for another role",
    severity=Severity.MANDATORY,
    why="Services run on stable pools because nothing there is taken back. On Spot VMs they stop within seconds of a notice.",
    fix=f"Buy the pool on demand or by reservation, or give it the role {Role.SPOT}.",
    links=(_SPOT_PAGE,),
)
def stable_pool_stays(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.role is Role.STABLE:
        yield from judge_each([pool], _is_not_interruptible)
        if pool.has_some_taint(SPOT_TAINT, PREEMPTIBLE_TAINT, SPOT_ROLE_TAINT, BUFFER_TAINT):
            yield Finding("nodeConfig.taints", "has the taint of another role")


def _is_not_interruptible(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.is_interruptible:
        yield Finding("nodeConfig", "asks for machines that Google takes back")


@rule(
    id="POOL-005",
    title="A buffer pool carries the buffer taint",
    severity=Severity.MANDATORY,
    why="The buffer changes hands by schedule. Without the taint anything moves in, and the schedule cannot get it out.",
    fix=f"Declare the taint {BUFFER_TAINT}, or build the pool with BufferPool, which does.",
)
def buffer_pool_is_tainted(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.role is Role.BUFFER and not pool.has_taint(BUFFER_TAINT):
        yield Finding("nodeConfig.taints", f"has {pool.taints}, needs {BUFFER_TAINT}")


@rule(
    id="POOL-006",
    title="A spot pool is interruptible",
    severity=Severity.MANDATORY,
    why="On demand it costs several times as much as its role says, and nobody looks there for the difference.",
    fix=f"Set nodeConfig.spot, or give the pool the role {Role.STABLE} or {Role.BUFFER}.",
    links=(_SPOT_PAGE,),
)
def spot_pool_is_interruptible(pool: NodePoolInputs) -> Iterator[Verdict]:
    if pool.role is Role.SPOT and not pool.is_interruptible:
        yield Finding("nodeConfig", "is neither Spot nor flex-start nor queued")


@rule(
    id="POOL-007",
    title="A pool has limits of exactly one kind, and minimum is not above maximum",
    severity=Severity.MANDATORY,
    why="Google refuses both kinds together, a minimum above the maximum only at the end. A fixed count beside limits never settles.",
    fix="Declare autoscaling with minNodeCount and maxNodeCount, or with totalMinNodeCount and totalMaxNodeCount, and no nodeCount.",
    links=(_AUTOSCALER_PAGE, "https://github.com/hashicorp/terraform-provider-google/issues/5441"),
)
def limits_are_sound(pool: NodePoolInputs) -> Iterator[Verdict]:
    yield from judge_each([pool], _has_one_way_to_its_size)
    if pool.is_autoscaled:
        yield from judge_each([pool.at("autoscaling")], _has_one_kind_of_limits)
        yield from judge_each(
            [("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount")],
            lambda keys: _minimum_is_not_above_maximum(pool.at("autoscaling").at(keys[0]), pool.at("autoscaling").at(keys[1])),
        )


def _has_one_way_to_its_size(pool: NodePoolInputs) -> Iterator[Verdict]:
    counted = pool.at("nodeCount").number() is not None
    if counted and pool.is_autoscaled:
        yield Finding("nodeCount", "stands beside autoscaling")
    if not counted and not pool.is_autoscaled:
        yield Finding("autoscaling", "is not declared, and no nodeCount either")


def _has_one_kind_of_limits(limits: Value) -> Iterator[Verdict]:
    # A bridge may write 0 for the kind that is not used.
    per_zone, total = (limits.at("maxNodeCount").number() or 0), (limits.at("totalMaxNodeCount").number() or 0)
    if per_zone and total:
        yield Finding(limits.path, "has limits per zone and in total")
    if not per_zone and not total:
        yield Finding(limits.path, "has no maximum")


def _minimum_is_not_above_maximum(minimum: Value, maximum: Value) -> Iterator[Verdict]:
    low, high = minimum.number() or 0, maximum.number() or 0
    if low > high:
        yield Finding(minimum.path, f"is {low}, above {maximum.path} {high}")


@rule(
    id="POOL-008",
    title="A pool cannot grow past the ceiling",
    severity=Severity.MANDATORY,
    why="A zero too many in a limit is found on the bill. The ceiling stands apart from the stack, so that one mistake is not enough.",
    fix="Lower the maximum, or raise the ceiling in the pack's configuration.",
    settings=(MAX_NODES, MAX_GPUS),
)
def pool_stays_below_the_ceiling(pool: NodePoolInputs) -> Iterator[Verdict]:
    yield from judge_each([_nodes_in_total, _nodes_over_zones], lambda most: _is_below_the_ceiling(pool, most(pool)))


def _is_below_the_ceiling(pool: NodePoolInputs, nodes: int) -> Iterator[Verdict]:
    ceiling, gpu_ceiling = pool.setting(MAX_NODES), pool.setting(MAX_GPUS)
    if nodes > ceiling:
        yield Finding("autoscaling", f"lets the pool reach {nodes} nodes, the ceiling is {ceiling}")
    gpus = nodes and nodes * _gpus_per_node(pool)
    if gpus > gpu_ceiling:
        yield Finding("autoscaling", f"lets the pool reach {gpus} GPUs, the ceiling is {gpu_ceiling}")


def _nodes_in_total(pool: NodePoolInputs) -> int:
    return pool.at("autoscaling.totalMaxNodeCount").number() or 0


def _nodes_over_zones(pool: NodePoolInputs) -> int:
    per_zone = (pool.at("autoscaling.maxNodeCount") if pool.is_autoscaled else pool.at("nodeCount")).number()
    return per_zone * _zone_count(pool) if per_zone else 0


def _zone_count(pool: NodePoolInputs) -> int:
    zones = pool.zones
    if zones is not None:
        return len(zones)
    location = pool.at("location").text()
    is_zone = location is not None and location.count("-") == 2
    return 1 if is_zone else _ZONES_OF_A_REGION


def _gpus_per_node(pool: NodePoolInputs) -> int:
    machine = pool.machine
    bundled = machine.accelerator.count if machine and machine.accelerator else 0
    return max(bundled, sum(accelerator.at("count").number() or 0 for accelerator in pool.accelerators))


@rule(
    id="POOL-009",
    title="The location policy fits the role: ANY for spot and buffer, BALANCED for stable",
    severity=Severity.ADVISORY,
    why="BALANCED waits for zones without stock; ANY may put all services into one zone. It changes in place, so this is advice.",
    fix="Set autoscaling.locationPolicy, or build the pool with the component of its role, which does.",
    links=(_AUTOSCALER_PAGE,),
)
def location_policy_fits(pool: NodePoolInputs) -> Iterator[Verdict]:
    role = pool.role
    if role is None or not pool.is_autoscaled:
        return
    wanted = "BALANCED" if role is Role.STABLE else "ANY"
    policy = pool.at("autoscaling.locationPolicy").text()
    if policy != wanted:
        yield Finding("autoscaling.locationPolicy", f"is {policy or 'not set'}, a {role} pool wants {wanted}")


@rule(
    id="POOL-010",
    title="A pool says who owns it, who pays and what it is for",
    severity=Severity.MANDATORY,
    why="These labels reach the virtual machines and with them the bill: a GPU without a label is paid by nobody in particular.",
    fix="Set the labels in nodeConfig.resourceLabels; Kubernetes labels do not reach the bill.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels",),
)
def pool_is_labelled(pool: NodePoolInputs) -> Iterator[Verdict]:
    labels = pool.node.at("resourceLabels")
    yield from judge_each((labels.of(key) for key in REQUIRED_RESOURCE_LABELS), is_filled)
    billed, role = labels.of(POOL_ROLE_LABEL).text(), pool.role
    if billed and role and billed != role:
        yield Finding(f"{labels.path}.{POOL_ROLE_LABEL}", f"is {billed}, the node label {ROLE_LABEL} is {role}")


@rule(
    id="POOL-011",
    title="The stable pools of a protected environment cannot be deleted",
    severity=Severity.MANDATORY,
    why="Deletion drains nodes without waiting for services. Deletion protection of the cluster does not cover its pools.",
    fix="Set the resource option protect and deletionPolicy PREVENT; `protected` in the environment's configuration does both.",
    links=("https://github.com/hashicorp/terraform-provider-google/issues/18225",),
    settings=(PROTECTED_ENVIRONMENTS,),
)
def stable_pool_is_protected(pool: NodePoolInputs) -> Iterator[Verdict]:
    if not pool.resource.options.protect and _is_guarded(pool):
        yield Finding("", "the resource option protect is not set")
    policy = pool.at("deletionPolicy").text()
    if policy != "PREVENT" and _is_guarded(pool):
        yield Finding("deletionPolicy", f"is {policy or 'not set'}")


def _is_guarded(pool: NodePoolInputs) -> bool:
    return all_true([lambda: pool.role is Role.STABLE, lambda: pool.environment in pool.setting(PROTECTED_ENVIRONMENTS)])


@rule(
    id="POOL-012",
    title="The program does not fight the autoscaler or the schedule over a pool's size",
    severity=Severity.MANDATORY,
    why="A resize changes initialNodeCount, which replaces the pool. A buffer's limits belong to its schedule, and an up would undo it.",
    fix="Name initialNodeCount and nodeCount in the resource option ignore_changes, on a buffer pool autoscaling too.",
    links=("https://github.com/hashicorp/terraform-provider-google/issues/6901",),
)
def size_has_one_owner(pool: NodePoolInputs) -> Iterator[Verdict]:
    if not pool.is_autoscaled:
        return
    ignored = set(pool.resource.options.ignore_changes)
    yield from judge_each([("initialNodeCount", "nodeCount")], lambda wanted: _are_ignored(wanted, ignored))
    if pool.role is Role.BUFFER:
        yield from _are_ignored(("autoscaling",), ignored)


def _are_ignored(wanted: tuple[str, ...], ignored: set[str]) -> Iterator[Verdict]:
    missing = [] if "*" in ignored else [name for name in wanted if name not in ignored]
    if missing:
        yield Finding("", f"the resource option ignore_changes lacks {', '.join(missing)}")


@rule(
    id="POOL-013",
    title="A GPU pool that scales starts empty",
    severity=Severity.MANDATORY,
    why="An initial count buys GPUs before anyone asks for them, and fails the whole pool where there is no stock.",
    fix="Leave out initialNodeCount or set it to 0; the autoscaler brings the first node.",
    links=(_AUTOSCALER_PAGE,),
)
def gpu_pool_starts_empty(pool: NodePoolInputs) -> Iterator[Verdict]:
    count = pool.at("initialNodeCount")
    if all_true([lambda: bool(count.number()), lambda: pool.is_autoscaled, lambda: pool.has_gpus]):
        yield Finding("initialNodeCount", f"is {count.number()}")


@rule(
    id="POOL-014",
    title="Automatic repair is off only for flex-start and queued pools",
    severity=Severity.MANDATORY,
    why="A broken node that nobody repairs keeps its pods and its price. Flex-start and queued nodes are never replaced.",
    fix="Leave management.autoRepair on.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/node-auto-repair",),
)
def nodes_are_repaired(pool: NodePoolInputs) -> Iterator[Verdict]:
    # Google's default is on.
    if all_true([lambda: pool.at("management.autoRepair").flag() is False, lambda: not pool.waits_for_capacity]):
        yield Finding("management.autoRepair", "is off")
