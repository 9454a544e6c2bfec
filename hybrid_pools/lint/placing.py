"""Which flavors a pod may get, as Kueue decides it (kueue pkg/scheduler/flavorassigner): a flavor's labels are compared with what the pod
selects, and only the labels that flavors have are looked at. Tolerations do not matter: Kueue adds those of the flavor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.vocabulary import CLASS_LABEL, NODE_POOL_LABEL, Taint, WorkloadClass
from hybrid_pools.lint.surroundings import Surroundings
from hybrid_pools.workload.reading import NotUnderstood, Value, any_true
from hybrid_pools.workload.tolerations import tolerates

_TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


@dataclass(frozen=True)
class Placed:
    """A pod on its way to a node.

    Attributes:
        pod: A pod or a template.
        namespace: Where it goes.
        queue: The Kueue queue that its object names.
    """

    pod: Value
    namespace: str
    queue: str | None
    surroundings: Surroundings

    def order(self) -> tuple[str, ...]:
        """Names of the flavors that its team's queue tries; of those of its class, or of all, where it goes through no queue of a team.

        Raises:
            NotReadable: Its class cannot be read.
        """
        team = self.surroundings.teams.get(self.namespace)
        if self.queue and team is not None:
            return next((tuple(quota.flavor for quota in queue.quotas) for queue in team.queues if queue.name == self.queue), ())
        workload_class = self._class()
        return self.surroundings.orders.get(workload_class, ()) if workload_class else tuple(self.surroundings.flavors)

    def flavors(self) -> list[FlavorContract]:
        """The flavors that it may get, in order.

        Raises:
            NotReadable: It hangs on a value that cannot be read.
        """
        known, compared = self.surroundings.flavors, self.surroundings.compared
        selector = self.pod.at("spec.nodeSelector").entries()
        selected = {key: value.text() for key, value in selector.items() if key in compared}
        node_pool = self.pod.at("spec.nodeSelector").of(NODE_POOL_LABEL).text()
        ordered = [known[name] for name in self.order() if name in known]
        return [
            flavor
            for flavor in ordered
            if all(flavor.selector.get(key) == value for key, value in selected.items())
            # Kueue does not look at the label of a node pool, but the scheduler does.
            and (node_pool is None or self.surroundings.pools.get(node_pool) in flavor.pools)
            and (self.queue or self._tolerates(flavor))
            and self._is_admitted(flavor)
        ]

    def _class(self) -> WorkloadClass | None:
        """The class of work: that of its queue; that of its label where it goes through none."""
        if self.queue:
            return self.surroundings.classes.get(self.queue)
        labelled = self.pod.at("metadata.labels").of(CLASS_LABEL).text()
        return WorkloadClass(labelled) if labelled in tuple(WorkloadClass) else None

    def _tolerates(self, flavor: FlavorContract) -> bool:
        tolerations = self.pod.at("spec.tolerations").items()
        taints = [Taint(each.key, each.value, each.effect) for each in flavor.tolerations]
        return all(any_true(partial(_undone, taint), tolerations) for taint in taints)

    def _is_admitted(self, flavor: FlavorContract) -> bool:
        terms = self.pod.at(_TERMS).items()
        return not terms or any_true(lambda term: all(_holds(key, each, flavor) for key, each in self._compared(term)), terms)

    def _compared(self, term: Value) -> Iterator[tuple[str, Value]]:
        for expression in term.at("matchExpressions").items():
            key = expression.of("key").text() or ""
            if key in self.surroundings.compared:
                yield key, expression


def _undone(taint: Taint, toleration: Value) -> bool:
    return tolerates(toleration, taint)


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
