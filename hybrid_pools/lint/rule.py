"""What a rule of the lint is, what it looks at, and the register of all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.lint.placing import Placed
from hybrid_pools.lint.surroundings import Surroundings
from hybrid_pools.workload.kinds import Kind
from hybrid_pools.workload.reading import Value


class Severity(StrEnum):
    """What a violation does. Errors fail the lint; warnings are told."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Law:
    """What people are told about a rule.

    Attributes:
        id: Stable: it stands in waivers. Never given to another rule.
        title: The law in one sentence.
        why: What happens otherwise.
        fix: What to do about a violation.
        source: Where the fact comes from, or where to read on.
        waivable: Whether a waiver may excuse a violation. What was not understood cannot be excused: nobody knows what it is.
    """

    id: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    waivable: bool = True


class Scope(StrEnum):
    """What a rule is on."""

    OBJECT = "every object"
    JOB = "every object of a batch kind"
    POD = "every pod of a batch kind"
    SAVING_POD = "every pod that says it saves checkpoints"


@dataclass(frozen=True)
class Subject:
    """One object, and for rules on pods one of its pods.

    Attributes:
        kind: None for kinds that make no pods.
        namespace: Where it goes.
        queue: The Kueue queue that it names.
        pod: A pod or a pod template: a place with `metadata` and `spec`. For rules on objects the object itself.
        asks_for_spot: Whether that pod does, so that the workload rules on spot are asked of it.
    """

    owner: Value
    api_version: str
    kind_name: str
    kind: Kind | None
    namespace: str
    queue: str | None
    pod: Value
    asks_for_spot: bool
    surroundings: Surroundings

    @cached_property
    def flavors(self) -> list[FlavorContract]:
        """The flavors that the pod may get. Several rules ask for them.

        Raises:
            NotReadable: They hang on a value that cannot be read.
        """
        return self.placed.flavors()

    @property
    def placed(self) -> Placed:
        """The pod on its way to a node."""
        return Placed(self.pod, self.namespace, self.queue, self.surroundings)

    @cached_property
    def annotations(self) -> Value:
        """The pod's annotations."""
        return self.pod.at("metadata.annotations")

    def annotation(self, key: str) -> str:
        """An annotation of the pod; empty where it has none of that key."""
        return self.annotations.of(key).text() or ""

    @cached_property
    def containers(self) -> list[Value]:
        """The containers that do the work, without those that run before it.

        Raises:
            NotReadable: They cannot be read.
        """
        return self.pod.at("spec.containers").items()


@dataclass(frozen=True)
class Fault:
    """What is wrong, and where: a path below the object's root, empty for the object as a whole."""

    path: str
    detail: str


Check = Callable[[Subject], Iterator[Fault]]
"""Yields what is wrong. Pure. May raise `NotReadable`; what it yielded before that counts."""


@dataclass(frozen=True)
class Rule:
    """A law of the lint's own, what it is on, and its check."""

    law: Law
    scope: Scope
    check: Check


RULES: dict[str, Rule] = {}
"""Every rule by id; filled by importing the modules of rules, which `hybrid_pools.lint.rules` does."""


def rule(
    *,
    id: str,  # noqa: A002 - as it reads where rules are written
    title: str,
    scope: Scope,
    why: str,
    fix: str,
    source: str,
    severity: Severity = Severity.ERROR,
) -> Callable[[Check], Check]:
    """Register a rule.

    Raises:
        ValueError: The id is taken.
    """

    def register(check: Check) -> Check:
        if id in RULES:
            raise ValueError(f"two rules have the id {id}")
        RULES[id] = Rule(Law(id, title, severity, why, fix, source), scope, check)
        return check

    return register
