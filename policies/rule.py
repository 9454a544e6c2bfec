"""What a rule of the pack is, the register of all rules, and how one is judged."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar, get_type_hints

from hybrid_pools.workload.reading import NotReadable
from policies.reading import NotKnown, NotUnderstood, Value

T = TypeVar("T")
SubjectT = TypeVar("SubjectT", bound="Subject")


class Severity(StrEnum):
    """What a violation does, unless the pack's configuration says otherwise.

    Mandatory: the operation stops, because the mistake opens a door, costs money, or can only be mended by replacing nodes.
    Advisory: a message, because the value can be changed in place at any time, or because there are good reasons to differ.
    """

    MANDATORY = "mandatory"
    ADVISORY = "advisory"


@dataclass(frozen=True)
class Finding:
    """What is wrong, and where: `path` below the resource's properties, empty for the resource as a whole."""

    path: str
    message: str
    resource: str | None = None
    """URN of the resource, where a rule over the whole stack blames one."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@dataclass(frozen=True)
class NotKnownYet:
    """A verdict that waits for a value: reported, never counted as passed."""

    path: str
    resource: str | None = None


Verdict = Finding | NotKnownYet


@dataclass(frozen=True)
class Setting(Generic[T]):
    """A value that the pack's configuration may set for one rule.

    Attributes:
        key: Key in the rule's object of the configuration file.
        meaning: What it does, with its unit.
        default: Used where the file says nothing.
        schema: JSON schema that the engine checks the value against.
        read: How the value is read.
    """

    key: str
    meaning: str
    default: T
    schema: Mapping[str, Any]
    read: Callable[[Value], T | None]


def names(value: Value) -> tuple[str, ...] | None:
    """Read a setting that is a list of names."""
    texts = value.texts()
    return None if texts is None else tuple(texts)


@dataclass(frozen=True)
class Options:
    """Resource options that rules ask for. Names in `ignore_changes` are those of the provider."""

    protect: bool = False
    ignore_changes: Sequence[str] = ()


@dataclass(frozen=True)
class Resource:
    """One resource of a program or of a state: its type, properties and options.

    Attributes:
        properties: Inputs for rules on one resource; outputs for rules over the stack.
        sources: For rules over the stack: the resources that a property's value comes from, by property.
    """

    type: str
    name: str
    urn: str
    properties: Value
    options: Options = Options()
    sources: Mapping[str, Sequence["Resource"]] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """What a rule looks at, with the configuration of that rule."""

    configuration: Value

    def setting(self, setting: Setting[T]) -> T:
        """The configured value, or the default."""
        value = setting.read(self.configuration.of(setting.key))
        return setting.default if value is None else value


@dataclass(frozen=True)
class View(Subject):
    """One resource with typed access to its properties. Subclasses say which types they read."""

    TYPES: ClassVar[tuple[str, ...]] = ()
    """Type tokens that are read."""

    resource: Resource

    @classmethod
    def reads(cls, token: str) -> bool:
        """Whether resources of this type token are looked at."""
        return token in cls.TYPES

    def at(self, path: str) -> Value:
        """A property by its path in the provider's spelling."""
        return self.resource.properties.at(path)


@dataclass(frozen=True)
class Stack(Subject):
    """All resources of a program or of a state."""

    resources: Sequence[Resource]

    def views(self, view: type["ViewT"]) -> list["ViewT"]:
        """The resources that a view reads."""
        return [view(self.configuration, resource) for resource in self.resources if view.reads(resource.type)]


ViewT = TypeVar("ViewT", bound=View)


@dataclass(frozen=True)
class Rule:
    """A rule, with everything that people and the engine are told about it.

    Attributes:
        id: Stable: it stands in configuration files. Never given to another rule.
        title: The law in one sentence.
        why: What happens otherwise.
        fix: What to do about a violation.
        links: Where to read on, or where the fact comes from.
        settings: What the pack's configuration may set.
        subject: What `check` takes.
        check: Yields what is wrong. Pure. May raise `NotReadable`; what it yielded before that counts.
    """

    id: str
    title: str
    severity: Severity
    why: str
    fix: str
    links: tuple[str, ...]
    settings: tuple[Setting[Any], ...]
    subject: type[Subject]
    check: Callable[[Any], Iterator[Verdict]]

    def judge(self, subject: Subject) -> Iterator[Verdict]:
        """Run the rule; what cannot be read becomes a verdict of its own."""
        return judge_each([subject], self.check)


RULES: dict[str, Rule] = {}
"""Every rule of the pack by id; filled by importing the modules of rules, which `policies.rules` does."""


def rule(
    *,
    id: str,  # noqa: A002 — as it reads where rules are written
    title: str,
    severity: Severity,
    why: str,
    fix: str,
    links: tuple[str, ...] = (),
    settings: tuple[Setting[Any], ...] = (),
) -> Callable[[Callable[[SubjectT], Iterator[Verdict]]], Callable[[SubjectT], Iterator[Verdict]]]:
    """Register a rule. What it looks at is the annotation of its one parameter.

    Raises:
        ValueError: The id is taken.
    """

    def register(check: Callable[[SubjectT], Iterator[Verdict]]) -> Callable[[SubjectT], Iterator[Verdict]]:
        if id in RULES:
            raise ValueError(f"two rules have the id {id}: {RULES[id].check.__name__} and {check.__name__}")
        subject = next(hint for parameter, hint in get_type_hints(check).items() if parameter != "return")
        RULES[id] = Rule(id, title, severity, why, fix, links, settings, subject, check)
        return check

    return register


def judge_each(parts: Iterable[T], check: Callable[[T], Iterator[Verdict]]) -> Iterator[Verdict]:
    """Judge several parts, each on its own: one that cannot be read says so and does not hide the others."""
    for part in parts:
        try:
            yield from check(part)
        except NotReadable as problem:
            yield _verdict(problem, part)


def _verdict(problem: NotReadable, part: object) -> Verdict:
    resource = part.resource.urn if isinstance(part, View) else None
    if isinstance(problem, NotKnown):
        return NotKnownYet(problem.path, resource)
    assert isinstance(problem, NotUnderstood)  # noqa: S101 — there are two kinds
    return Finding(problem.path, str(problem), resource)
