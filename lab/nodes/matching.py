"""Whether a pod may be placed on a node, as the scheduler decides it: selector, required node affinity, taints, resources.

Affinity between pods and topology spread are not looked at: a pod that waits for them alone brings no node here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from hybrid_pools.blueprint.vocabulary import Effect
from lab.nodes.amounts import Amounts, holds
from lab.nodes.objects import Object, Pod

_REPELLING = (Effect.NO_SCHEDULE.value, Effect.NO_EXECUTE.value)


def fits(pod: Pod, name: str, labels: Mapping[str, str], taints: Iterable[Object], free: Amounts) -> bool:
    """Whether the pod may be placed.

    Args:
        pod: The pod.
        name: Name of the node.
        labels: The node's labels.
        taints: The node's taints.
        free: What of it is left.
    """
    return holds(free, pod.requests) and selected(pod.spec, name, labels) and tolerated(pod.spec.get("tolerations") or (), taints)


def selected(spec: Object, name: str, labels: Mapping[str, str]) -> bool:
    """Whether the pod's selector and its required node affinity choose the node."""
    selector: Mapping[str, str] = spec.get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(_chosen(term, name, labels) for term in required.get("nodeSelectorTerms") or ())


def tolerated(tolerations: Iterable[Object], taints: Iterable[Object]) -> bool:
    """Whether every taint that keeps pods away is tolerated."""
    given = tuple(tolerations)
    return all(any(tolerates(toleration, taint) for toleration in given) for taint in taints if taint["effect"] in _REPELLING)


def tolerates(toleration: Object, taint: Object) -> bool:
    """Whether a toleration covers a taint."""
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and bool(toleration.get("key")) and (toleration.get("value") or "") == (taint.get("value") or "")


def _chosen(term: Object, name: str, labels: Mapping[str, str]) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    return all(_holds(one, labels) for one in expressions) and all(_holds(one, {"metadata.name": name}) for one in fields)


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or ()
    found = labels.get(key)
    match expression["operator"]:
        case "In":
            return found in values
        case "NotIn":
            return found not in values
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
        case "Gt" | "Lt" as operator:
            return _compared(operator, found, values)
    return False


def _compared(operator: str, found: str | None, values: Iterable[str]) -> bool:
    try:
        number, bound = int(found or ""), int(next(iter(values)))
    except (ValueError, StopIteration):
        return False
    return number > bound if operator == "Gt" else number < bound
