"""Reading a manifest: nested, untyped, and in a preview partly not known yet."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

T = TypeVar("T")


class Unknown:
    """A value that is not known before something else exists, as in a preview."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()
"""Stands in a manifest wherever a value is not known yet, in place of text, a list or a whole object."""


class NotReadable(Exception):  # noqa: N818 — says what is wrong with the value, and is never fatal
    """A value on which a verdict depends cannot be read.

    Attributes:
        path: Where it stands, as in `spec.template.spec.tolerations[0].key` or `nodeConfig.taints[0].effect`.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class NotKnown(NotReadable):
    """Not known yet: neither a violation nor a pass."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "is not known yet")


class NotUnderstood(NotReadable):
    """Not of the type that Kubernetes documents, so nothing can be said for it."""


class Value:
    """One place in a manifest. Reading methods give None, or nothing, where nothing is declared.

    Raises, all of them:
        NotKnown: The value, or what contains it, is not known yet.
        NotUnderstood: The value, or what contains it, is of another type.
    """

    __slots__ = ("_raw", "path")

    def __init__(self, raw: object, path: str = "") -> None:
        self._raw = raw
        self.path = path

    def at(self, path: str) -> "Value":
        """The place below this one; `path` names keys, separated by dots."""
        raw, keys = self._raw, path.split(".")
        for number, key in enumerate(keys):
            if type(raw) is dict:
                raw = raw.get(key)
            elif raw is not None:
                # Of another type or not known: the place itself says so.
                value = self
                for step in keys[: number + 1]:
                    value = value.of(step)
                return value.at(".".join(keys[number + 1 :])) if keys[number + 1 :] else value
        return Value(raw, f"{self.path}.{path}" if self.path else path)

    def of(self, key: str) -> "Value":
        """The place under one key that may itself have dots, as labels do."""
        raw = self._raw
        if type(raw) is not dict:
            if isinstance(raw, Unknown):
                return self
            raw = self._mapping()
        return Value(raw.get(key), f"{self.path}.{key}" if self.path else key)

    def known(self) -> object:
        """What stands there, of whatever type."""
        if isinstance(self._raw, Unknown):
            raise NotKnown(self.path)
        return self._raw

    def is_set(self) -> bool:
        """Whether something is declared here."""
        return self.known() is not None

    def text(self) -> str | None:
        """Text."""
        raw = self._raw
        if raw is None or isinstance(raw, str):
            return raw
        self.known()
        raise self._odd("text")

    def number(self) -> int | None:
        """A whole number. Pulumi hands all numbers over as floats."""
        raw = self.known()
        if raw is None or (isinstance(raw, int) and not isinstance(raw, bool)):
            return raw
        if isinstance(raw, float) and raw.is_integer():
            return int(raw)
        raise self._odd("a whole number")

    def items(self) -> list["Value"]:
        """The elements of a list."""
        raw = self._raw
        if raw is None:
            return []
        if type(raw) is not list:
            self.known()
            if isinstance(raw, str) or not isinstance(raw, Sequence):
                raise self._odd("a list")
        return [Value(element, f"{self.path}[{index}]") for index, element in enumerate(raw)]

    def entries(self) -> dict[str, "Value"]:
        """The values of an object by key."""
        self.known()
        return {key: self.of(key) for key in self._mapping()}

    def _mapping(self) -> Mapping[str, object]:
        if self._raw is None:
            return {}
        if not isinstance(self._raw, Mapping):
            raise self._odd("an object")
        return self._raw

    def _odd(self, expected: str) -> NotUnderstood:
        # Only the kind is named: a manifest may hold secrets, and this message is printed.
        return NotUnderstood(self.path, f"is not understood: {kind_of(self._raw)} where {expected} is expected")


def kind_of(found: object) -> str:
    """What a value is, in words, without saying the value."""
    if isinstance(found, bool):
        return "true or false"
    if isinstance(found, int | float):
        return "a number"
    if isinstance(found, str):
        return "text"
    if isinstance(found, Mapping):
        return "an object"
    if isinstance(found, Sequence):
        return "a list"
    return f"a value of type {type(found).__name__}"


def any_true(check: Callable[[T], bool], subjects: Iterable[T]) -> bool:
    """Whether the check holds for one of the subjects: one for which it does decides, whatever else cannot be read.

    Raises:
        NotReadable: It holds for none and one cannot be read; the first of those.
    """
    open_question: NotReadable | None = None
    for subject in subjects:
        try:
            if check(subject):
                return True
        except NotReadable as problem:
            open_question = open_question or problem
    if open_question is not None:
        raise open_question
    return False
