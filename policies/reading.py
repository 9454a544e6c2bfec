"""Reading a resource's properties as the engine hands them over: nested, untyped, partly not known yet.

The engine's property maps are proxies that are no `dict`, whole numbers arrive as floats, and reading what is not known yet raises.
`Value` is a place in such a map that answers with a plain Python value, or raises one of the two `NotReadable`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pulumi_policy.proxy import (
    UNKNOWN_ARCHIVE_VALUE,
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_ASSET_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
    UnknownValueError,
)

from hybrid_pools.workload.reading import UNKNOWN, NotReadable, kind_of

_SENTINELS = frozenset(
    {
        UNKNOWN_ARCHIVE_VALUE,
        UNKNOWN_ARRAY_VALUE,
        UNKNOWN_ASSET_VALUE,
        UNKNOWN_BOOLEAN_VALUE,
        UNKNOWN_NUMBER_VALUE,
        UNKNOWN_OBJECT_VALUE,
        UNKNOWN_STRING_VALUE,
    }
)


class NotKnown(NotReadable):
    """Not known before the resource, or one it depends on, exists. Neither a violation nor a pass."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "not known yet")


class NotUnderstood(NotReadable):
    """Not of the type that Google's provider documents, so nothing can be said for it."""

    def __init__(self, path: str, found: object, expected: str) -> None:
        # Only the kind is named: secrets reach a pack in plain text, and this message is printed.
        super().__init__(path, f"not understood: {kind_of(found)} where {expected} is expected")


@dataclass(frozen=True, slots=True)
class Value:
    """One place in a resource's properties.

    Every reading method returns None where nothing is declared (the key is absent, or null), and raises:
        NotKnown: The value, or what contains it, is not known yet.
        NotUnderstood: The value, or what contains it, is of another type.

    Attributes:
        raw: What stands there; `UNKNOWN` or None as said above.
        path: Where it stands.
    """

    raw: object
    path: str = ""

    def at(self, path: str) -> "Value":
        """The place below this one; `path` names keys, separated by dots."""
        value = self
        for key in path.split("."):
            value = value._child(key)
        return value

    def of(self, key: str) -> "Value":
        """The place under one key that may itself have dots, as Kubernetes labels do."""
        return self._child(key)

    def text(self) -> str | None:
        """A string."""
        raw = self._known()
        if raw is None or isinstance(raw, str):
            return raw
        raise NotUnderstood(self.path, raw, "text")

    def flag(self) -> bool | None:
        """True or false. Text such as "true" is not a flag: the provider would have turned it into one."""
        raw = self._known()
        if raw is None or isinstance(raw, bool):
            return raw
        raise NotUnderstood(self.path, raw, "true or false")

    def number(self) -> int | None:
        """A whole number; the engine sends all numbers as floats."""
        raw = self._known()
        if raw is None or (isinstance(raw, int) and not isinstance(raw, bool)):
            return raw
        if isinstance(raw, float) and raw.is_integer():
            return int(raw)
        raise NotUnderstood(self.path, raw, "a whole number")

    def items(self) -> list["Value"]:
        """The elements of a list, each to be read on its own; nothing declared is an empty list."""
        raw = self._known()
        if raw is None:
            return []
        if isinstance(raw, str) or not isinstance(raw, Sequence):
            raise NotUnderstood(self.path, raw, "a list")
        return [Value(_element(raw, index), f"{self.path}[{index}]") for index in range(len(raw))]

    def keys(self) -> list[str]:
        """The keys of an object, whatever their values; nothing declared is an empty list."""
        raw = self._known()
        if raw is None:
            return []
        if not isinstance(raw, Mapping):
            raise NotUnderstood(self.path, raw, "an object")
        return sorted(_keys(raw))

    def texts(self) -> list[str] | None:
        """A list of strings; None where no list is declared."""
        if self._known() is None:
            return None
        return [text for item in self.items() if (text := item.text()) is not None]

    def is_set(self) -> bool:
        """Whether something is declared here."""
        return self._known() is not None

    def _known(self) -> object:
        if self.raw is UNKNOWN:
            raise NotKnown(self.path)
        return self.raw

    def _child(self, key: str) -> "Value":
        if self.raw is UNKNOWN:
            return self
        path = f"{self.path}.{key}" if self.path else key
        if self.raw is None:
            return Value(None, path)
        if not isinstance(self.raw, Mapping):
            raise NotUnderstood(self.path, self.raw, "an object")
        return Value(_element(self.raw, key) if key in _keys(self.raw) else None, path)


def _keys(mapping: Mapping[str, object]) -> set[str]:
    # `key in proxy` reads the value and raises when it is unknown; iterating does not.
    return set(mapping)


def _element(container: Mapping[str, object] | Sequence[object], key: str | int) -> object:
    try:
        element: object = container[key]  # type: ignore[index]
    except UnknownValueError:
        return UNKNOWN
    return UNKNOWN if isinstance(element, str) and element in _SENTINELS else element


def plain(value: Value) -> object:
    """All that stands at a place as plain Python data, with `UNKNOWN` where a value is not known yet, for code that knows no engine."""
    raw = value.raw
    if isinstance(raw, Mapping):
        return {key: plain(Value(_element(raw, key))) for key in _keys(raw)}
    if isinstance(raw, Sequence) and not isinstance(raw, str):
        return [plain(Value(_element(raw, index))) for index in range(len(raw))]
    return raw


def any_true(checks: Iterable[Callable[[], bool | None]]) -> bool:
    """Whether one of the checks holds: one that does decides, whatever else cannot be read.

    Raises:
        NotReadable: None holds and one cannot be read; the first of those.
    """
    return _decided(checks, by=True)


def all_true(checks: Iterable[Callable[[], bool | None]]) -> bool:
    """Whether every check holds: one that does not decides, whatever else cannot be read.

    Raises:
        NotReadable: None fails and one cannot be read; the first of those.
    """
    return _decided(checks, by=False)


def _decided(checks: Iterable[Callable[[], bool | None]], by: bool) -> bool:
    open_question: NotReadable | None = None
    for check in checks:
        try:
            if bool(check()) is by:
                return by
        except NotReadable as problem:
            open_question = open_question or problem
    if open_question is not None:
        raise open_question
    return not by
