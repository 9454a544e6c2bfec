"""Which flavors a pod may get, as Kueue decides it (kueue pkg/scheduler/flavorassigner): a flavor's labels are compared with what the pod
selects, and only the labels that flavors have are looked at. Tolerations do not matter: Kueue adds those of the flavor.
"""

from collections.abc import Iterator, Sequence

from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.vocabulary import CLASS_LABEL, NODE_POOL_LABEL, Taint, WorkloadClass
from hybrid_pools.lint.rule import Subject
from hybrid_pools.workload.reading import NotUnderstood, Value
from hybrid_pools.workload.tolerations import tolerates

_TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def class_of(subject: Subject) -> WorkloadClass | None:
    """The class of work: that of its queue; that of its label where it goes through none."""
    if subject.queue:
        return subject.surroundings.classes.get(subject.queue)
    labelled = subject.label(CLASS_LABEL)
    return WorkloadClass(labelled) if labelled in tuple(WorkloadClass) else None


def order_of(subject: Subject) -> tuple[str, ...]:
    """Names of the flavors that its team's queue of the class tries; of all flavors where it goes through no known queue."""
    surroundings = subject.surroundings
    team = surroundings.teams.get(subject.namespace)
    if subject.queue and team is not None:
        return tuple(quota.flavor for queue in team.queues if queue.name == subject.queue for quota in queue.quotas)
    workload_class = class_of(subject)
    return surroundings.orders.get(workload_class, ()) if workload_class else tuple(surroundings.flavors)


def flavors_of(subject: Subject) -> list[FlavorContract]:
    """The flavors that the pod may get, in order."""
    ordered = [subject.surroundings.flavors[name] for name in order_of(subject) if name in subject.surroundings.flavors]
    return [flavor for flavor in ordered if _fits(subject, flavor)]


def _fits(subject: Subject, flavor: FlavorContract) -> bool:
    if not subject.queue and not _tolerates(subject.pod, flavor):
        return False
    return _selected(subject, flavor) and _in_a_pool(subject, flavor) and _admitted(subject, flavor)


def _tolerates(pod: Value, flavor: FlavorContract) -> bool:
    tolerations = pod.at("spec.tolerations").items()
    taints = [Taint(each.key, each.value, each.effect) for each in flavor.tolerations]
    return all(any(tolerates(toleration, taint) for toleration in tolerations) for taint in taints)


def _selected(subject: Subject, flavor: FlavorContract) -> bool:
    selector = subject.pod.at("spec.nodeSelector").entries()
    return all(flavor.selector.get(key) == value.text() for key, value in selector.items() if key in subject.surroundings.compared)


def _in_a_pool(subject: Subject, flavor: FlavorContract) -> bool:
    """Kueue does not look at the label of a node pool, but the scheduler does."""
    node_pool = subject.pod.at("spec.nodeSelector").of(NODE_POOL_LABEL).text()
    return node_pool is None or subject.surroundings.pools.get(node_pool) in flavor.pools


def _admitted(subject: Subject, flavor: FlavorContract) -> bool:
    terms = subject.pod.at(_TERMS).items()
    return not terms or any(_term_holds(subject, term, flavor) for term in terms)


def _term_holds(subject: Subject, term: Value, flavor: FlavorContract) -> bool:
    return all(_holds(key, expression, flavor) for key, expression in _compared(subject, term))


def _compared(subject: Subject, term: Value) -> Iterator[tuple[str, Value]]:
    for expression in term.at("matchExpressions").items():
        key = expression.of("key").text() or ""
        if key in subject.surroundings.compared:
            yield key, expression


def _holds(key: str, expression: Value, flavor: FlavorContract) -> bool:
    operator, found = expression.of("operator").text() or "", flavor.selector.get(key)
    values: Sequence[str | None] = [value.text() for value in expression.of("values").items()]
    match operator:
        case "In":
            return found in values
        case "NotIn":
            return found not in values
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
    raise NotUnderstood(expression.of("operator").path, f"is not understood: operator {operator or 'that is empty'} on a label of pools")
