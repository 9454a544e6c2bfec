"""The keys of a model as people look them up: one row a key, nested keys with their path."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_pools.documents.markdown import code, codes, table

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        path: From the top of the section, for example `limits.total.maximum` or `taints.<key>.effect`.
        type: What kind of value it takes.
        required: Whether it must be written.
        default: Value where it is left out, as JSON; None where it has none.
        allowed: What may stand there, in Markdown; empty where the type says it all.
        meaning: What it is for; empty where nobody said.
    """

    path: str
    type: str
    required: bool
    default: str | None
    allowed: str
    meaning: str


def keys(schema: Schema, definitions: Mapping[str, Schema], prefix: str = "") -> Iterator[Key]:
    """The keys of an object, depth first, in the order in which they were written."""
    for name, given in schema.get("properties", {}).items():
        yield from _key(f"{prefix}{name}", given, definitions, required=name in schema.get("required", ()))


def keys_table(rows: Iterator[Key]) -> str:
    """The keys as a table."""
    return table(
        ["Key", "Type", "Default", "Allowed", "Meaning"],
        ([code(key.path), key.type, _default(key), key.allowed, key.meaning] for key in rows),
    )


def _default(key: Key) -> str:
    return "**required**" if key.required else code(key.default or "")


def _key(path: str, given: Schema, definitions: Mapping[str, Schema], required: bool) -> Iterator[Key]:
    schema = _resolved(given, definitions)
    default = given.get("default")
    yield Key(
        path=path,
        type=_type(schema, definitions),
        required=required,
        default=None if default is None or default == [] or isinstance(default, Mapping) else json.dumps(default),
        allowed=_allowed(schema, definitions),
        meaning=" ".join((given.get("description") or schema.get("description", "")).split()),
    )
    yield from keys(schema, definitions, f"{path}.")
    values = _values(schema)
    if values is not None:
        inner = _resolved(values, definitions)
        yield from keys(inner, definitions, f"{path}.<{'key' if 'label' in _names(schema, definitions).lower() else 'name'}>.")
    elif "items" in schema:
        yield from keys(_resolved(schema["items"], definitions), definitions, f"{path}[].")


def _resolved(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema itself behind references, and without the alternative of null."""
    if "anyOf" in schema:
        [only] = [option for option in schema["anyOf"] if option.get("type") != "null"]
        return _resolved(only, definitions)
    if "$ref" in schema:
        return _resolved(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return schema


def _values(schema: Schema) -> Schema | None:
    """What a mapping with free keys holds under each of them."""
    patterns = schema.get("patternProperties", {})
    values: Schema | None = next(iter(patterns.values()), None) or schema.get("additionalProperties") or None
    return values


def _names(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """What is known about the keys of a mapping with free keys."""
    names = _resolved(schema.get("propertyNames", {}), definitions)
    return _choices(names) or str(names.get("description", ""))


def _type(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    if "properties" in schema:
        return "mapping"
    if _values(schema) is not None:
        return f"mapping to {_type(_resolved(_values(schema) or {}, definitions), definitions)}"
    if "items" in schema:
        return f"list of {_type(_resolved(schema['items'], definitions), definitions)}"
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}[schema["type"]]


def _allowed(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    parts = [_bounds(schema), _choices(schema), _form(schema)]
    inner = _values(schema) or schema.get("items")
    if inner is not None:
        names, inside = _names(schema, definitions), _resolved(inner, definitions)
        words = inside.get("description") if "pattern" in inside else None
        each = "" if "properties" in inside else words or _allowed(inside, definitions)
        parts += [f"keys: {names}" if names else "", f"each: {each}" if each else ""]
    return "; ".join(part for part in parts if part)


def _bounds(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{least} to {most}"
    some = schema.get("minItems", schema.get("minProperties"))
    return f"at least {least}" if least is not None else f"at least {some} of them" if some is not None else ""


def _choices(schema: Schema) -> str:
    return codes([schema["const"]] if "const" in schema else schema.get("enum", ()))


def _form(schema: Schema) -> str:
    """The form of a text, as the values or the pattern that it must match as a whole."""
    pattern = schema.get("pattern")
    if pattern is None:
        return ""
    choices = re.fullmatch(r"\^\((\w+(?:\|\w+)*)\)\$", pattern)
    return codes(choices[1].split("|")) if choices else code(pattern)
