"""What a workload rule is, the register of all rules, and what comes of judging by one."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.workload.kinds import Kind
from hybrid_pools.workload.reading import Value
from hybrid_pools.workload.wholes import Whole


class Verdict(StrEnum):
    """What judging came to."""

    PASSED = "passed"
    VIOLATED = "violated"
    UNKNOWN = "not known yet"
    NOT_UNDERSTOOD = "not understood"


class Scope(StrEnum):
    """Which pods a rule is on."""

    EVERY_POD = "every pod"
    ASKING_POD = "every pod that asks for spot"
    WHOLE = "every job with a pod that asks for spot"
    TEXT = "every text that changes pods"


@dataclass(frozen=True)
class Subject:
    """One pod or pod template, and what is known around it.

    Attributes:
        pod: With `metadata` and `spec`.
        owner: The whole object that it stands in.
        queue: Name of the queue that the object names.
        creator: User that makes the object; None where a person will, as in a repository.
        asking: The pods of the object that ask for spot, this one too if it does.
    """

    pod: Value
    owner: Value
    kind: Kind
    namespace: str
    queue: str | None
    creator: str | None
    asking: tuple[Value, ...]
    admission: Admission

    def label(self, key: str) -> str:
        """A label of the pod; empty where it has none of that key."""
        return self.pod.at("metadata.labels").of(key).text() or ""

    def annotation(self, key: str) -> str:
        """An annotation of the pod; empty where it has none of that key."""
        return self.pod.at("metadata.annotations").of(key).text() or ""

    def spec(self, key: str) -> str:
        """A field of the pod's spec that is text; empty where it is left out."""
        return self.pod.at("spec").of(key).text() or ""

    @property
    def team(self) -> TeamAdmission | None:
        """The team whose namespace it is in."""
        return self.admission.team_of(self.namespace)


Check = Callable[[Subject], str | None]
"""Says what is wrong, or None. Pure. May raise `NotReadable`."""


@dataclass(frozen=True)
class Rule:
    """A rule, with everything that people and clusters are told about it.

    Attributes:
        id: Stable: it stands in messages and in configuration. Never given to another rule.
        title: The law in one sentence.
        why: What happens otherwise.
        fix: What to do about a violation.
        scope: What it is on.
        cel: The same law as a CEL expression over `pod`, or `text`, and the variables of `hybrid_pools.manifests.admission_workloads`.
            For a whole it is picked out of what is known of the kind.
        of_fragments: Whether it can be judged on a template that another object completes.
        of_services: Whether pods are asked that are of no job. Of what may never be there, nobody needs to hear what else is missing.
    """

    id: str
    title: str
    why: str
    fix: str
    scope: Scope
    check: Check
    cel: str | Callable[[Whole], str]
    of_fragments: bool
    of_services: bool

    @property
    def message(self) -> str:
        """What is said of a violation, in one line: rule, reason, fix."""
        return f"{self.id}: {self.title}. {self.why} Fix: {self.fix}"


@dataclass(frozen=True)
class Finding:
    """What judging one pod, or one object, by one rule came to.

    Attributes:
        rule: None where no rule could be asked, because something was not understood or is not known yet.
        path: Where, below the object's root; empty for the object as a whole.
        detail: What stands there.
    """

    verdict: Verdict
    rule: Rule | None
    path: str
    detail: str = ""

    @property
    def message(self) -> str:
        """In one line what is wrong, where, why, and how to fix it."""
        where = " ".join(part for part in (self.path, self.detail) if part)
        if self.verdict is Verdict.VIOLATED and self.rule is not None:
            return f"{self.rule.id}: {where}. {self.rule.title}. {self.rule.why} Fix: {self.rule.fix}"
        return f"{self.rule.id}: {where}" if self.rule is not None else where


RULES: dict[str, Rule] = {}
"""Every workload rule by id; filled by importing the modules of rules, which `hybrid_pools.workload.rules` does."""


def rule(
    *,
    id: str,  # noqa: A002 - as it reads where rules are written
    title: str,
    why: str,
    fix: str,
    cel: str | Callable[[Whole], str],
    scope: Scope = Scope.ASKING_POD,
    of_fragments: bool = False,
    of_services: bool = False,
) -> Callable[[Check], Check]:
    """Register a rule.

    Raises:
        ValueError: The id is taken.
    """

    def register(check: Check) -> Check:
        if id in RULES:
            raise ValueError(f"two rules have the id {id}")
        RULES[id] = Rule(id, title, why, fix, scope, check, cel, of_fragments, of_services)
        return check

    return register
