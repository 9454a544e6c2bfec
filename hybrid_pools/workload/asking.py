"""Whether a pod asks for nodes that may end under it: by a toleration, by a selector that GKE turns into one, or by its queue.

A pod that asks must be checkpoint-capable; a pod that does not is of no interest to those rules.
"""

from collections.abc import Callable, Iterator
from functools import partial

from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import (
    COMPUTE_CLASS_LABEL,
    FLAVOR_LABEL,
    PREEMPTIBLE_KEY,
    PROVISIONING_LABEL,
    QUEUE_LABEL,
    QUEUED_KEY,
    ROLE_LABEL,
    SPOT_KEY,
    Role,
)
from hybrid_pools.workload.reading import Value, any_true
from hybrid_pools.workload.tolerations import tolerates, tolerates_cel

SPOT_SELECTORS = (
    f"{SPOT_KEY}=true",
    f"{PREEMPTIBLE_KEY}=true",
    f"{PROVISIONING_LABEL}=spot",
    f"{PROVISIONING_LABEL}=preemptible",
    f"{QUEUED_KEY}=true",
    f"{ROLE_LABEL}={Role.SPOT}",
)
"""Node labels for which GKE adds a toleration, or that only interruptible nodes have."""

SPOT_KEYS = (SPOT_KEY, PREEMPTIBLE_KEY, QUEUED_KEY, COMPUTE_CLASS_LABEL)
"""Node labels that only interruptible nodes have, whatever the value. A compute class may have spot tiers, and GKE has classes of its own
that are nothing but spot (`autopilot-spot`)."""

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
_TERMS = (
    (_REQUIRED, "matchExpressions"),
    ("preferredDuringSchedulingIgnoredDuringExecution", "preference.matchExpressions"),
)
_ELSEWHERE = ("NotIn", "DoesNotExist")


def asks_for_spot(pod: Value, queue: str | None, admission: Admission) -> bool:
    """Whether the pod asks.

    Args:
        pod: A pod, or a template: an object with `spec`.
        queue: The queue that it, or its owner, names.

    Raises:
        NotReadable: It hangs on a value that cannot be read.
    """
    return any_true(
        lambda check: check(),
        (
            partial(tolerates_guarded, pod, admission),
            partial(_selects, pod, admission),
            partial(_prefers, pod, admission),
            partial(_queued, pod, queue, admission),
        ),
    )


def tolerates_guarded(pod: Value, admission: Admission) -> bool:
    """Whether it tolerates one of the guarded taints."""
    return any_true(
        lambda toleration: any_true(partial(tolerates, toleration), admission.guarded_taints), pod.at("spec.tolerations").items()
    )


def _selects(pod: Value, admission: Admission) -> bool:
    return any_true(
        lambda entry: entry[0] == COMPUTE_CLASS_LABEL or _is_spot(entry[0], entry[1].text() or "", admission),
        pod.at("spec.nodeSelector").entries().items(),
    )


def _prefers(pod: Value, admission: Admission) -> bool:
    affinity = pod.at("spec.affinity.nodeAffinity")
    expressions = (expression for terms, path in _TERMS for term in affinity.at(terms).items() for expression in term.at(path).items())
    return any_true(partial(_matches_spot, admission), expressions)


def _matches_spot(admission: Admission, expression: Value) -> bool:
    key, operator = expression.of("key").text() or "", expression.of("operator").text() or ""
    if operator in _ELSEWHERE:
        return False
    if key in SPOT_KEYS and operator != "In":
        return True
    return any_true(
        lambda value: key == COMPUTE_CLASS_LABEL or _is_spot(key, value.text() or "", admission), expression.of("values").items()
    )


def _is_spot(key: str, value: str, admission: Admission) -> bool:
    return f"{key}={value}" in SPOT_SELECTORS or (key == FLAVOR_LABEL and value in admission.grace_seconds)


def _queued(pod: Value, queue: str | None, admission: Admission) -> bool:
    # A controller hands the template's labels on to what it makes, which is then in that queue.
    if queue not in admission.spot_queues and pod.at("metadata.labels").of(QUEUE_LABEL).text() not in admission.spot_queues:
        return False
    selector = pod.at("spec.nodeSelector")
    role, flavor = selector.of(ROLE_LABEL).text(), selector.of(FLAVOR_LABEL).text()
    # Kueue gives no flavor to a template that selects other nodes: so the coordinator of a job stays on stable ones.
    selected = role in (None, Role.SPOT) and (flavor is None or flavor in admission.grace_seconds)
    return selected and reaches_by_name(pod, lambda names: any(name in admission.grace_seconds for name in names))


def reaches_by_name(pod: Value, wanted: Callable[[list[str | None]], bool]) -> bool:
    """Whether the flavors that the pod's required affinity names let it onto wanted ones; where it names none it may go anywhere.

    Args:
        wanted: Whether a list of names has one that is wanted.
    """
    terms = pod.at(f"spec.affinity.nodeAffinity.{_REQUIRED}").items()
    return not terms or any(all(map(wanted, _flavors_named(term))) for term in terms)


def _flavors_named(term: Value) -> Iterator[list[str | None]]:
    """The names in each expression that names flavors; no other is understood here."""
    for expression in term.of("matchExpressions").items():
        if expression.of("key").text() == FLAVOR_LABEL and expression.of("operator").text() == "In":
            yield [value.text() for value in expression.of("values").items()]


def tolerates_guarded_cel(pod: str) -> str:
    """`tolerates_guarded` as CEL over the variable `taints`."""
    return f"{pod}.?spec.?tolerations.orValue([]).exists(t, variables.taints.exists(g, {tolerates_cel('t', 'g')}))"


def asks_for_spot_cel(pod: str, queued: str = "variables.queued") -> str:
    """`asks_for_spot` as CEL over the variables `taints` and `flavors`; `queued` is CEL of whether the queue leads to spot."""
    required, preferred = (
        f"{pod}.?spec.?affinity.?nodeAffinity{''.join(f'.?{key}' for key in terms.split('.'))}.orValue([]).exists(n, "
        f"n{''.join(f'.?{key}' for key in path.split('.'))}.orValue([]).exists(x, {_matches_spot_cel('x')}))"
        for terms, path in _TERMS
    )
    selector = f"{pod}.?spec.?nodeSelector"
    selects = f"k == '{COMPUTE_CLASS_LABEL}' || {_is_spot_cel('k', f'{selector}.orValue({{}})[k]')}"
    own = f"{pod}.?metadata.?labels[?'{QUEUE_LABEL}'].orValue('')"
    by_queue = (
        f"(({queued} || ({own} != '' && {own} in variables.spotQueues))"
        f" && {selector}[?'{ROLE_LABEL}'].orValue('{Role.SPOT}') == '{Role.SPOT}'"
        f" && (!{selector}[?'{FLAVOR_LABEL}'].hasValue() || {selector}[?'{FLAVOR_LABEL}'].orValue('') in variables.flavors)"
        f" && {reaches_by_name_cel(pod, 'x.?values.orValue([]).exists(v, v in variables.flavors)')})"
    )
    return " || ".join((tolerates_guarded_cel(pod), f"{selector}.orValue({{}}).exists(k, {selects})", required, preferred, by_queue))


def reaches_by_name_cel(pod: str, wanted: str) -> str:
    """`reaches_by_name` as CEL; `wanted` is CEL over an expression `x` that names flavors."""
    terms = f"{pod}.?spec.?affinity.?nodeAffinity{''.join(f'.?{key}' for key in _REQUIRED.split('.'))}.orValue([])"
    named = f"x.?key.orValue('') != '{FLAVOR_LABEL}' || x.?operator.orValue('') != 'In' || {wanted}"
    return f"({terms}.size() == 0 || {terms}.exists(n, n.?matchExpressions.orValue([]).all(x, {named})))"


def _matches_spot_cel(expression: str) -> str:
    x = expression
    return (
        f"!({x}.?operator.orValue('') in {cel_list(_ELSEWHERE)}) && "
        f"(({x}.?key.orValue('') in {cel_list(SPOT_KEYS)} && {x}.?operator.orValue('') != 'In') || {x}.?values.orValue([]).exists(v, "
        f"{x}.?key.orValue('') == '{COMPUTE_CLASS_LABEL}' || {_is_spot_cel(f'''{x}.?key.orValue('')''', 'v')}))"
    )


def _is_spot_cel(key: str, value: str) -> str:
    return f"({key} + '=' + {value}) in {cel_list(SPOT_SELECTORS)} || ({key} == '{FLAVOR_LABEL}' && {value} in variables.flavors)"


def cel_list(texts: tuple[str, ...]) -> str:
    """A list of texts as CEL. They are constants of ours, without quotes."""
    return "[" + ", ".join(f"'{text}'" for text in texts) + "]"
