"""The workload rules as admission policies: one on pods, which is the barrier, and one on everything with a pod template, which answers
early. Controllers only report that their pods were refused; who writes a template learns it at once. Both say the same, by the same rules.

There are no more policies than these two, because every policy costs every request time, whether it is on its kind or not.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    QUEUE_LABEL,
)
from hybrid_pools.manifests.validating import Law, Policy, Resources
from hybrid_pools.workload import parameters as p
from hybrid_pools.workload.asking import asks_for_spot_cel, tolerates_guarded_cel
from hybrid_pools.workload.kinds import Kind, kinds
from hybrid_pools.workload.paths import grouped, optional
from hybrid_pools.workload.rule import Rule, Scope
from hybrid_pools.workload.rules import all_rules
from hybrid_pools.workload.wholes import OWNER, Whole, whole_of

PREFIX = "hybrid-pools-"
NODES_GROUP = "system:nodes"

_USER = "request.userInfo.username"
_CREATES = "request.operation == 'CREATE'"
_POD, _OLD_POD = "object", "oldObject"
_NEW, _OLD = OWNER, "variables.oldOwner"
_ASKING = "variables.asking.exists(g, g.size() > 0)"
_POD_FIELDS = ("spec.tolerations", "spec.nodeSelector", "spec.affinity", "spec.terminationGracePeriodSeconds")
_POD_LABELS = (CLASS_LABEL, CHECKPOINT_LABEL, QUEUE_LABEL)
_POD_ANNOTATIONS = (CHECKPOINT_URI_ANNOTATION, CHECKPOINT_SAVE_ANNOTATION)


def workload_policies(exempt: tuple[str, ...]) -> tuple[Policy, ...]:
    """The policy on pods and the one on templates; neither holds in the exempt namespaces."""
    (pod,), templates = _split(kinds().values())
    return (
        Policy(
            PREFIX + "pods",
            _resources([pod]),
            _pod_variables(pod),
            [law for rule in all_rules() if (law := _pod_law(rule)) is not None],
            parameters=True,
            quick=True,
            outside=exempt,
        ),
        Policy(
            PREFIX + "templates",
            _resources(templates),
            _template_variables(templates),
            [Law(rule.id, rule.message, _template_expression(rule, templates)) for rule in all_rules()],
            parameters=True,
            outside=exempt,
        ),
    )


def _split(every: Iterable[Kind]) -> tuple[list[Kind], list[Kind]]:
    pods: list[Kind] = []
    templates: list[Kind] = []
    for kind in every:
        (pods if kind.is_pod else templates).append(kind)
    return pods, templates


def _resources(of: Iterable[Kind]) -> tuple[Resources, ...]:
    groups: dict[str, list[str]] = {}
    for kind in of:
        groups.setdefault(kind.group, []).append(kind.plural)
    return tuple(Resources(group, tuple(plurals)) for group, plurals in groups.items())


def _lines(key: str) -> str:
    """A list; of no elements it is one of an empty text."""
    return f"params.?data[?'{key}'].orValue('').split('\\n')"


def _of_namespace(key: str) -> str:
    return f"params.?data[?'{key}' + request.?namespace.orValue('')].orValue('')"


def _parameter_variables() -> dict[str, str]:
    return {
        "taints": _lines(p.GUARDED_TAINTS),
        "flavors": f"{_lines(p.FLAVORS)}.filter(f, f != '')",
        "spotQueues": _lines(p.SPOT_QUEUES),
        "spotPriorityClasses": _lines(p.SPOT_PRIORITY_CLASSES),
        "schedulerNames": f"{_lines(p.SCHEDULER_NAMES)} + ['']",
        "margin": f"int(params.data['{p.SAVE_MARGIN}'])",
        "account": _of_namespace(p.TEAM_ACCOUNT),
        "prefix": _of_namespace(p.TEAM_PREFIX),
        "spot": f"{_of_namespace(p.TEAM_SPOT)} == 'true'",
    }


def _queued(queue: str) -> str:
    return f"variables.{queue} != '' && variables.{queue} in variables.spotQueues"


def _pod_variables(kind: Kind) -> dict[str, str]:
    changed = [
        *(f"{optional(_POD, field)} != {optional(_OLD_POD, field)}" for field in _POD_FIELDS),
        *(_differs("metadata.labels", key) for key in _POD_LABELS),
        *(_differs("metadata.annotations", key) for key in _POD_ANNOTATIONS),
    ]
    return {
        **_parameter_variables(),
        "restartPolicy": f"'{kind.restart_policy}'",
        "queue": _queue(kind, _POD),
        "oldQueue": _queue(kind, _OLD_POD),
        "queued": _queued("queue"),
        "wasQueued": _queued("oldQueue"),
        # A pod that is there goes on: finalizers, status and deletion are nobody's business here.
        "judged": f"{_CREATES} || {' || '.join(changed)}",
        "asks": f"variables.judged && ({asks_for_spot_cel(_POD)})",
        "job": f"{_USER} in {_lines(p.POD_CREATORS)}",
        # What asked before was judged when it was made, by its maker.
        "batch": f"variables.job || (!({_CREATES}) && ({asks_for_spot_cel(_OLD_POD, 'variables.wasQueued')}))",
        # Only a kubelet makes pods on a node of its own choice: those of its files.
        "placed": f"!({_CREATES}) || '{NODES_GROUP}' in request.userInfo.?groups.orValue([])",
    }


def _differs(path: str, key: str) -> str:
    new, old = (f"{optional(root, path)}[?'{key}'].orValue('')" for root in (_POD, _OLD_POD))
    return f"{new} != {old}"


def _template_variables(of: list[Kind]) -> dict[str, str]:
    batch = [kind for kind in of if kind.batch]
    wholes = _wholes(of)
    return {
        **_parameter_variables(),
        # As the API server knows the object, each kind has other fields; CEL that is on many kinds must not be held to one.
        "owner": "dyn(object)",
        "oldOwner": "dyn(oldObject)",
        "kind": "request.kind.group + '/' + request.kind.kind",
        "restartPolicy": _by_kind(of, lambda kind: f"'{kind.restart_policy}'", "'Always'"),
        "batch": _is_one_of(batch),
        "job": "variables.batch",
        "partial": _is_one_of(kind for kind in of if kind.partial),
        "placed": "false",
        # What a controller makes of a whole that was judged.
        "part": f"{_USER} in {_lines(p.JOB_CREATORS)}",
        "queue": _by_kind(of, lambda kind: _queue(kind, _NEW), "''"),
        "oldQueue": _by_kind(of, lambda kind: _queue(kind, _OLD), "''"),
        "pods": _by_kind(of, lambda kind: _pods(kind, _NEW), "[]"),
        "oldPods": _by_kind(of, lambda kind: _pods(kind, _OLD), "[]"),
        "texts": _by_kind((kind for kind in of if kind.texts), lambda kind: _together(grouped(_NEW, path) for path in kind.texts), "[]"),
        "changed": "variables.pods != variables.oldPods || variables.queue != variables.oldQueue || "
        + _by_kind(wholes, lambda kind: _any_differs([kind.labels, *wholes[kind].watched]), "false"),
        # Kueue takes tolerations back when it evicts; that must never be refused.
        "givesBack": f"variables.queue == variables.oldQueue && {_some_tolerate('oldPods')} && !{_some_tolerate('pods')}",
        "judged": f"{_CREATES} || (variables.changed && !variables.givesBack)",
        "queued": _queued("queue"),
        "checked": "variables.judged ? variables.pods : []",
        "asking": f"variables.checked.map(g, g.filter(pod, {asks_for_spot_cel('pod')}))",
        **{name: cel for whole in wholes.values() for name, cel in whole.variables.items()},
    }


def _wholes(of: Iterable[Kind]) -> Mapping[Kind, Whole]:
    return {kind: whole for kind in of if (whole := whole_of(kind)) is not None}


def _by_kind(of: Iterable[Kind], cel: Callable[[Kind], str], otherwise: str) -> str:
    """CEL that is another for each kind; kinds with the same one share it."""
    same: dict[str, list[Kind]] = {}
    for kind in of:
        same.setdefault(cel(kind), []).append(kind)
    chosen = "".join(f"{_is_one_of(alike)} ? {each} : " for each, alike in same.items() if each != otherwise)
    return f"({chosen}{otherwise})"


def _is_one_of(of: Iterable[Kind]) -> str:
    return "variables.kind in [" + ", ".join(f"'{kind.group}/{kind.kind}'" for kind in of) + "]"


def _queue(kind: Kind, root: str) -> str:
    if kind.queue:
        return f"{optional(root, kind.queue)}.orValue('')"
    return f"{optional(root, kind.labels)}[?'{QUEUE_LABEL}'].orValue('')"


def _any_differs(paths: Iterable[str]) -> str:
    return "(" + " || ".join(f"{optional(_NEW, path)} != {optional(_OLD, path)}" for path in paths) + ")"


def _some_tolerate(pods: str) -> str:
    return f"variables.{pods}.exists(g, g.exists(pod, {tolerates_guarded_cel('pod')}))"


def _pods(kind: Kind, root: str) -> str:
    bare = [f"{grouped(root, path)}.map(g, g.map(s, {{'spec': s}}))" for path in kind.specs]
    return _together([*(grouped(root, path) for path in kind.templates), *bare])


def _together(lists: Iterable[str]) -> str:
    return "(" + " + ".join(lists) + ")"


def _pod_law(rule: Rule) -> Law | None:
    """The rule for pods; None where it is not on pods."""
    match rule.scope:
        case Scope.EVERY_POD:
            return Law(rule.id, rule.message, _of_one(rule), "variables.judged")
        case Scope.ASKING_POD:
            return Law(rule.id, rule.message, _of_one(rule), "variables.asks")
        case Scope.WHOLE | Scope.TEXT:
            return None


def _of_one(rule: Rule) -> str:
    assert isinstance(rule.cel, str)  # noqa: S101 - only a whole has another law for each kind
    return re.sub(r"\bpod\b", _POD, rule.cel)


def _template_expression(rule: Rule, of: list[Kind]) -> str:
    """The rule for everything with a template, as far as each kind is asked: see `hybrid_pools.workload.rules.asked_of`."""
    match rule.scope:
        case Scope.EVERY_POD:
            return _all("checked", rule) if rule.of_fragments else f"variables.partial || {_all('checked', rule)}"
        case Scope.ASKING_POD if rule.of_services:
            return _all("asking", rule)
        case Scope.ASKING_POD if rule.of_fragments:
            return f"!variables.batch || {_all('asking', rule)}"
        case Scope.ASKING_POD:
            return f"!variables.batch || variables.partial || {_all('asking', rule)}"
        case Scope.TEXT:
            return f"variables.texts.all(g, g.all(text, {rule.cel}))"
        case Scope.WHOLE:
            wholes, cel = _wholes(of), rule.cel
            assert callable(cel)  # noqa: S101 - a whole has another law for each kind
            law = _by_kind(wholes, lambda kind: f"({cel(wholes[kind])})", "true")
            return f"!{_ASKING} || variables.part || {law}"


def _all(pods: str, rule: Rule) -> str:
    return f"variables.{pods}.all(g, g.all(pod, {rule.cel}))"
