"""What a change of the contract's JSON Schema means for those who read the contract."""

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_WORDS = ("$schema", "$id", "title", "description", "examples", "$defs", "default")
"""Keywords that change nothing about which contracts fit."""
_INNER = ("properties", "required", "items", "additionalProperties")


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """Changes that a reader of the old contract cannot live with: removed, renamed, retyped, newly required, no longer certain."""
    return [*_breaking(old, new, _Root(old), _Root(new), "contract")]


def additions(old: Schema, new: Schema) -> list[str]:
    """Optional properties that only the new contract has."""
    return [*_added(old, new, _Root(old), _Root(new), "contract")]


class _Root:
    """Resolves references inside one schema."""

    def __init__(self, schema: Schema) -> None:
        self._definitions = schema.get("$defs", {})

    def resolved(self, schema: Schema) -> Schema:
        """The schema itself, where it only refers to a definition or allows null beside one other."""
        if "$ref" in schema:
            return self.resolved(self._definitions[schema["$ref"].rpartition("/")[2]])
        return schema


def _breaking(old: Schema, new: Schema, before: _Root, after: _Root, path: str) -> Iterator[str]:
    old, new = before.resolved(old), after.resolved(new)
    yield from _narrowed(old, new, path)
    old_properties, new_properties = old.get("properties", {}), new.get("properties", {})
    for name in sorted(old_properties.keys() - new_properties.keys()):
        yield f"{path}.{name} was removed or renamed"
    for name in sorted(set(new.get("required", ())) - set(old.get("required", ()))):
        yield f"{path}.{name} is newly required: contracts written before do not have it"
    for name in sorted((set(old.get("required", ())) - set(new.get("required", ()))) & new_properties.keys()):
        yield f"{path}.{name} is no longer always there"
    for name in sorted(old_properties.keys() & new_properties.keys()):
        yield from _breaking(old_properties[name], new_properties[name], before, after, f"{path}.{name}")
    for keyword, shown in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(old.get(keyword), Mapping) and isinstance(new.get(keyword), Mapping):
            yield from _breaking(old[keyword], new[keyword], before, after, f"{path}{shown}")
        elif old.get(keyword) != new.get(keyword):
            yield f"{path}{shown} was {old.get(keyword)} and is {new.get(keyword)}"
    for index, (was, now) in enumerate(zip(old.get("anyOf", ()), new.get("anyOf", ()), strict=False)):
        yield from _breaking(was, now, before, after, path if index == 0 else f"{path} (form {index + 1})")


def _narrowed(old: Schema, new: Schema, path: str) -> Iterator[str]:
    """Differences in what one value may be. A new value of a closed set is an addition, a lost one breaks who asks for it."""
    for keyword in sorted((old.keys() | new.keys()) - {*_WORDS, *_INNER}):
        was, now = old.get(keyword), new.get(keyword)
        if keyword == "enum" and was is not None and now is not None:
            lost = sorted(set(was) - set(now))
            if lost:
                yield f"{path} can no longer be {', '.join(map(str, lost))}"
        elif keyword == "anyOf":
            if len(was or ()) != len(now or ()):
                yield f"{path} was {was} and is {now}"
        elif was != now:
            yield f"{path} was of {keyword} {was} and is of {keyword} {now}"


def _added(old: Schema, new: Schema, before: _Root, after: _Root, path: str) -> Iterator[str]:
    old, new = before.resolved(old), after.resolved(new)
    old_properties, new_properties = old.get("properties", {}), new.get("properties", {})
    for name in sorted(new_properties.keys() - old_properties.keys() - set(new.get("required", ()))):
        yield f"{path}.{name}"
    for name in sorted(old_properties.keys() & new_properties.keys()):
        yield from _added(old_properties[name], new_properties[name], before, after, f"{path}.{name}")
    for keyword, shown in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(old.get(keyword), Mapping) and isinstance(new.get(keyword), Mapping):
            yield from _added(old[keyword], new[keyword], before, after, f"{path}{shown}")
    for was, now in zip(old.get("anyOf", ()), new.get("anyOf", ()), strict=False):
        yield from _added(was, now, before, after, path)
