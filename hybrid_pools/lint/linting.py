"""From the text of a file to its findings."""

from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import CHECKPOINT_ENABLED, CHECKPOINT_LABEL
from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.objects import KubernetesObject, NotUnderstood, objects
from hybrid_pools.lint.places import place_of
from hybrid_pools.lint.rule import Law, Rule, Scope, Subject
from hybrid_pools.lint.rules import RULES_ON, WORKLOAD_LAWS, WORKLOAD_PLACES
from hybrid_pools.lint.surroundings import Surroundings
from hybrid_pools.lint.understanding import OBJECT, READABLE, RENDERED, UNDERSTOOD
from hybrid_pools.workload.asking import asks_for_spot
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.kinds import makes_no_pods
from hybrid_pools.workload.reading import NotKnown, NotReadable, Value
from hybrid_pools.workload.rule import Verdict
from hybrid_pools.workload.templates import pods_of, queue_of

_DEFAULT_NAMESPACE = "default"
_NEED_PODS = ("apps", "batch", "jobset.x-k8s.io", "kubeflow.org")
"""Groups whose kinds all have a pod template. One without it has it in a place that nobody looks at, or is none."""

LARGEST_BYTES = 16 * 1024 * 1024


def lint(file: str, content: bytes, surroundings: Surroundings) -> list[Finding]:
    """Everything that is wrong with a file, in the order of its lines.

    Args:
        file: Its name, for the findings.
        content: What it holds.
    """
    text = _text(content)
    if isinstance(text, NotUnderstood):
        return [_not_understood(file, text)]
    found: list[Finding] = []
    empty = True
    for each in objects(text):
        empty = False
        if isinstance(each, NotUnderstood):
            found.append(_not_understood(file, each))
        else:
            found += _Judging(file, each, surroundings).findings()
    if empty:
        found.append(_not_understood(file, NotUnderstood(OBJECT, 1, 1, "holds no object at all")))
    # A place that several rules could not read is told once.
    return sorted(dict.fromkeys(found), key=lambda finding: (finding.line, finding.column, finding.law.id))


def unreadable(file: str, detail: str) -> Finding:
    """The finding of a file whose content nobody could get."""
    return _not_understood(file, NotUnderstood(READABLE, 1, 1, detail))


def _text(content: bytes) -> str | NotUnderstood:
    if len(content) > LARGEST_BYTES:
        return NotUnderstood(READABLE, 1, 1, f"has {len(content):,} bytes, and {LARGEST_BYTES:,} are read")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return NotUnderstood(READABLE, 1, 1, "is UTF-16 text")
    if b"\x00" in content:
        return NotUnderstood(READABLE, content.count(b"\n", 0, content.index(b"\x00")) + 1, 1, "holds a NUL byte, so it is no text")
    try:
        # A byte order mark at the beginning is skipped, as in the cluster.
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return NotUnderstood(READABLE, line, 1, f"is not UTF-8 text (byte 0x{content[error.start]:02x})")
    if "\ufeff" in text:
        line = text.count("\n", 0, text.index("\ufeff")) + 1
        return NotUnderstood(READABLE, line, 1, "holds a byte order mark in the middle, as files that were put together do")
    return text


def _not_understood(file: str, problem: NotUnderstood) -> Finding:
    return Finding(problem.law, file, problem.line, problem.column, "", "", "", problem.detail)


class _Judging:
    """One object, and everything that is known around it."""

    def __init__(self, file: str, found: KubernetesObject, surroundings: Surroundings) -> None:
        self._file = file
        self._object = found
        self._surroundings = surroundings
        self._owner = Value(found.content)

    def findings(self) -> Iterator[Finding]:
        found = self._object
        admission = self._surroundings.admission
        for judged in judge(found.content, admission, namespace=self._surroundings.namespace):
            if judged.verdict is Verdict.VIOLATED and judged.rule is not None:
                inner = WORKLOAD_PLACES.get(judged.rule.id, "")
                yield self._finding(WORKLOAD_LAWS[judged.rule.id], judged.path, judged.detail, inner)
            elif judged.verdict is Verdict.UNKNOWN:
                yield self._finding(RENDERED, judged.path, "is not rendered yet")
            elif judged.verdict is Verdict.NOT_UNDERSTOOD:
                yield self._finding(UNDERSTOOD, judged.path, judged.detail)
        try:
            namespace = self._owner.at("metadata.namespace").text() or self._surroundings.namespace or _DEFAULT_NAMESPACE
            queue = queue_of(self._owner, found.kind) if found.kind else None
            pods = pods_of(self._owner, found.kind) if found.kind else []
        except NotReadable as problem:
            yield self._unreadable(problem)
            return
        if found.kind is not None and found.kind.group in _NEED_PODS and not pods:
            yield self._finding(UNDERSTOOD, "spec", "has no pod template where its kind has one")
        subject = Subject(
            self._owner, found.api_version, found.kind_name, found.kind, namespace, queue, self._owner, False, self._surroundings
        )
        yield from self._ask(RULES_ON[Scope.OBJECT], subject)
        exempt = namespace in admission.exempt_namespaces or makes_no_pods(found.api_version, found.kind_name)
        if found.kind is not None and found.kind.batch and not exempt:
            yield from self._ask(RULES_ON[Scope.JOB], subject)
            for pod in pods:
                yield from self._ask_pod(subject, pod)

    def _ask_pod(self, subject: Subject, pod: Value) -> Iterator[Finding]:
        try:
            asks = asks_for_spot(pod, subject.queue, self._surroundings.admission)
            saves = pod.at("metadata.labels").of(CHECKPOINT_LABEL).text() == CHECKPOINT_ENABLED
        except NotReadable as problem:
            yield self._unreadable(problem)
            return
        asked = Subject(
            subject.owner,
            subject.api_version,
            subject.kind_name,
            subject.kind,
            subject.namespace,
            subject.queue,
            pod,
            asks,
            subject.surroundings,
        )
        yield from self._ask(RULES_ON[Scope.POD], asked)
        if saves:
            yield from self._ask(RULES_ON[Scope.SAVING_POD], asked)

    def _ask(self, rules: tuple[Rule, ...], subject: Subject) -> Iterator[Finding]:
        for rule in rules:
            try:
                for fault in rule.check(subject):
                    yield self._finding(rule.law, fault.path, fault.detail)
            except NotReadable as problem:
                yield self._unreadable(problem)

    def _unreadable(self, problem: NotReadable) -> Finding:
        if isinstance(problem, NotKnown):
            return self._finding(RENDERED, problem.path, "is not rendered yet")
        return self._finding(UNDERSTOOD, problem.path, str(problem))

    def _finding(self, law: Law, path: str, detail: str, inner: str = "") -> Finding:
        """A finding at a path, or at a place below it that says more."""
        found = self._object
        line, column = place_of(found.node, ".".join(filter(None, (path, inner))))
        namespace = self._namespace()
        name = f"{namespace}/{found.name}" if namespace else found.name
        return Finding(law, self._file, found.line + line, column, f"{found.kind_name} {name}".strip(), found.name, path, detail)

    def _namespace(self) -> str:
        metadata = self._object.content.get("metadata")
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        return namespace if isinstance(namespace, str) else self._surroundings.namespace or ""
