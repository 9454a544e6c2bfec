"""Judging an object by the workload rules, before it reaches a cluster: what a lint, a policy pack and the tests of admission call."""

from collections.abc import Iterator, Mapping, Sequence

from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.workload.asking import asks_for_spot
from hybrid_pools.workload.kinds import Kind, kind_of, makes_no_pods
from hybrid_pools.workload.leftovers import leftovers
from hybrid_pools.workload.reading import NotKnown, NotReadable, Value
from hybrid_pools.workload.rule import Finding, Rule, Scope, Subject, Verdict
from hybrid_pools.workload.rules import asked_of, rules_on
from hybrid_pools.workload.templates import pods_of, queue_of, texts_of

_DEFAULT_NAMESPACE = "default"


def judge(
    manifest: Mapping[str, object], admission: Admission, *, namespace: str | None = None, creator: str | None = None
) -> tuple[Finding, ...]:
    """What every rule says of an object, that it passed too. Nothing for what makes no pods, and for what runs in an exempt namespace.

    What is in no known kind's places but looks like a pod is found as not understood: it is never passed.

    Args:
        manifest: The object as Kubernetes reads it; `UNKNOWN` stands for what is not known yet. Lists of objects are judged one by one.
        admission: Of the blueprint.
        namespace: Where it goes if it does not say so itself.
        creator: User that makes it. Without one a person does, so that a plain pod can never be on spot.
    """
    return tuple(_judge(Value(manifest), admission, namespace, creator))


def _judge(owner: Value, admission: Admission, namespace: str | None, creator: str | None) -> Iterator[Finding]:
    try:
        api_version, name = owner.of("apiVersion").text() or "", owner.of("kind").text() or ""
        if name.endswith("List") and owner.of("items").is_set():
            for item in owner.of("items").items():
                yield from _judge(item, admission, namespace, creator)
            return
        place = owner.at("metadata.namespace").text() or namespace or _DEFAULT_NAMESPACE
    except NotReadable as problem:
        yield _unreadable(problem)
        return
    if place in admission.exempt_namespaces or makes_no_pods(api_version, name):
        return
    kind = kind_of(api_version, name)
    if kind is not None:
        yield from _judge_kind(owner, kind, admission, place, creator)
    yield from leftovers(owner, kind)


def _judge_kind(owner: Value, kind: Kind, admission: Admission, namespace: str, creator: str | None) -> Iterator[Finding]:
    try:
        pods, queue = pods_of(owner, kind), queue_of(owner, kind)
    except NotReadable as problem:
        yield _unreadable(problem)
        return
    asking: list[Value] = []
    unsure: list[Finding] = []
    for pod in pods:
        try:
            if asks_for_spot(pod, queue, admission):
                asking.append(pod)
        except NotReadable as problem:
            unsure.append(_unreadable(problem))
    yield from unsure

    def subject(pod: Value) -> Subject:
        return Subject(pod, owner, kind, namespace, queue, creator, tuple(asking), admission)

    for pod in pods:
        yield from _ask(asked_of(kind, Scope.EVERY_POD), subject(pod))
    for pod in asking:
        yield from _ask(asked_of(kind, Scope.ASKING_POD), subject(pod))
    if asking and kind.batch and creator not in admission.job_creators:
        yield from _ask(rules_on(Scope.WHOLE), subject(asking[0]), whole=True)
    try:
        texts = list(texts_of(owner, kind))
    except NotReadable as problem:
        yield _unreadable(problem)
    else:
        for text in texts:
            yield from _ask(rules_on(Scope.TEXT), subject(text))
    if asking and kind.partial:
        yield Finding(Verdict.NOT_UNDERSTOOD, None, asking[0].path, "is completed by another object, so the rest of it is not known here")


def _ask(rules: Sequence[Rule], subject: Subject, *, whole: bool = False) -> Iterator[Finding]:
    path = "" if whole else subject.pod.path
    for rule in rules:
        try:
            wrong = rule.check(subject)
        except NotReadable as problem:
            yield _unreadable(problem, rule)
        else:
            yield Finding(Verdict.PASSED, rule, path) if wrong is None else Finding(Verdict.VIOLATED, rule, path, wrong)


def _unreadable(problem: NotReadable, rule: Rule | None = None) -> Finding:
    verdict = Verdict.UNKNOWN if isinstance(problem, NotKnown) else Verdict.NOT_UNDERSTOOD
    return Finding(verdict, rule, problem.path, str(problem))
