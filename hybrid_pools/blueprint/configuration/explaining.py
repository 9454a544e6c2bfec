"""What pydantic found, in the words of a stack file: where, what, what is allowed, how to fix."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_type_hints

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from hybrid_pools.blueprint.configuration.model import NOT_TOGETHER, Form
from hybrid_pools.blueprint.documented import descriptions
from hybrid_pools.blueprint.problems import Problem

_SHOWN = 80


def shown(value: object) -> str:
    """The value as a stack file spells it on one line, cut where it is long."""
    if isinstance(value, dict | list):
        text = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), sort_keys=False).strip()
    else:
        text = str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def explain(model: type[BaseModel], errors: Iterable[ErrorDetails], path: str) -> Iterator[Problem]:
    """Pydantic's errors as problems under `path`. A key that is missing because it is misspelt is one problem, not two."""
    errors = list(errors)
    meant = {(*error["loc"][:-1], _meant(model, error["loc"])) for error in errors if error["type"] == "extra_forbidden"}
    for error in errors:
        if error["type"] != "missing" or error["loc"] not in meant:
            yield _explained(model, error, path)


def _meant(model: type[BaseModel], loc: tuple[int | str, ...]) -> str | None:
    """The known key that an unknown one is probably meant to be."""
    return next(iter(get_close_matches(str(loc[-1]), _keys(_owner(model, loc)), n=1)), None)


def _explained(model: type[BaseModel], details: ErrorDetails, path: str) -> Problem:
    loc, kind, context, value = details["loc"], details["type"], details.get("ctx", {}), details["input"]
    where, said = _locate(model, loc)
    at = path + where
    described = said or _summary(model)
    if kind == "missing":
        return Problem("CFG-001", at, "", "is missing and has no default", described, f"add {loc[-1]}")
    if kind == "extra_forbidden":
        close = _meant(model, loc)
        fix = f"did you mean {close}? Rename it" if close else "remove it"
        allowed = ", ".join(_keys(_owner(model, loc)))
        return Problem("CFG-002", at, shown(value), "is not a known key and would be ignored", allowed, fix)
    if kind == NOT_TOGETHER:
        return Problem("CFG-005", at, shown(value), context["message"], context["allowed"], context["fix"])
    if kind in ("enum", "literal_error"):
        # Members of an enumeration come as <Class.NAME: value>.
        known_values = re.sub(r"<[^:>]*: ([^>]*)>", r"\1", str(context["expected"]).replace("'", ""))
        return Problem("CFG-004", at, shown(value), "is not one of the known values", known_values, "write one of them")
    expected = next((words for prefix, words in _TYPES.items() if kind.startswith(prefix)), None)
    if expected is not None:
        return Problem("CFG-003", at, shown(value), f"is not {expected}", f"{expected}: {described}", _type_fix(kind, expected, value))
    if kind == "string_pattern_mismatch":
        pattern = str(context["pattern"])
        form = _form(model, loc, pattern) or f"{described} (pattern {pattern})"
        example = _EXAMPLE.search(form)
        fix = f"write it like {example[1]}" if example else "respell it"
        return Problem("CFG-004", at, shown(value), "does not have the form that is needed", form, fix)
    if kind in _RANGES:
        message, limit, bound = _RANGES[kind]
        allowed = f"{bound} {context[limit]}"
        return Problem("CFG-004", at, shown(value), message, f"{allowed}: {described}", f"write {allowed}")
    return Problem("CFG-004", at, shown(value), details["msg"].lower(), described, "write a value that fits")


_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
"""What the types are called, by the beginning of pydantic's kind of error."""

_RANGES = {
    "greater_than_equal": ("is too small", "ge", "at least"),
    "greater_than": ("is too small", "gt", "more than"),
    "less_than_equal": ("is too large", "le", "at most"),
    "too_short": ("has too few entries", "min_length", "at least"),
    "too_long": ("has too many entries", "max_length", "at most"),
}
_EXAMPLE = re.compile(r"for example ([^\s,]*[^\s,.:])")


def _type_fix(kind: str, expected: str, value: object) -> str:
    if value is None:
        return "write a value after the key, or remove the key: an empty one counts as null"
    if kind == "bool_type":
        return "write true or false, without quotes"
    if kind == "int_type" and isinstance(value, str) and value.isdecimal():
        return "write it without quotes"
    if kind == "string_type" and isinstance(value, float):
        return "write it in quotes, with all its digits: YAML reads 1.30 as the number 1.3"
    if kind == "string_type" and isinstance(value, int):
        return f'write it in quotes: "{shown(value)}"'
    if kind == "tuple_type" and not isinstance(value, dict):
        return f"write a list: [{shown(value)}]"
    return f"write {expected} there"


def _locate(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[str, str | None]:
    """The path as text, and what the innermost field that it passes says of itself."""
    text, innermost, current = "", None, model
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        if part == "[key]":
            text += " (the key itself)"
            continue
        text += f".{part}"
        found = _field(current, part)
        if found is not None:
            innermost, current = _description(current, found), _model_in(found.annotation)
    return text, innermost


def _owner(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel]:
    """The model whose key the last part of the path is."""
    current = model
    for part in loc[:-1]:
        found = _field(current, part) if isinstance(part, str) else None
        inner = _model_in(found.annotation) if found is not None else None
        current = inner or current
    return current


def _field(model: type[BaseModel] | None, key: str) -> FieldInfo | None:
    if model is None:
        return None
    return next((field for name, field in model.model_fields.items() if key in (field.alias, name)), None)


def _model_in(annotation: Any) -> Any:
    """The model inside an annotation such as `Limits | None` or `dict[str, PoolTaint]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _model_in(inner)) is not None), None)


def _form(model: type[BaseModel], loc: tuple[int | str, ...], pattern: str) -> str | None:
    """What the type with this pattern says of itself, such as `ZoneName` inside a list of zones."""
    names = [part for part in loc if isinstance(part, str) and part != "[key]"]
    for end in range(len(names), 0, -1):
        owner = _owner(model, tuple(names[:end]))
        found = next((name for name, field in owner.model_fields.items() if names[end - 1] in (field.alias, name)), None)
        if found is not None:
            return _words_for(_hints(owner)[found], pattern)
    return None


@cache
def _hints(model: type[BaseModel]) -> dict[str, Any]:
    return get_type_hints(model, include_extras=True)


def _words_for(annotation: Any, pattern: str) -> str | None:
    """The `Form` that stands beside this pattern, anywhere inside an annotation."""
    beside = getattr(annotation, "__metadata__", ())
    if any(getattr(part, "pattern", None) == pattern for item in beside if isinstance(item, FieldInfo) for part in item.metadata):
        return next((item.words for item in beside if isinstance(item, Form)), None)
    return next((words for inner in get_args(annotation) if (words := _words_for(inner, pattern)) is not None), None)


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _description(owner: type[BaseModel], field: FieldInfo) -> str:
    said = descriptions(owner).get(field.alias or "") or _summary(_model_in(field.annotation))
    return (said or "a value of the documented type").split("\n")[0]


def _summary(model: Any) -> str:
    return (model.__doc__ or "").strip().split("\n")[0] if model is not None else ""
