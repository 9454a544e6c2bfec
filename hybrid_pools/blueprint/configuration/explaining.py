"""What pydantic found, in the words of a stack file: where, what, what is allowed, how to fix."""

from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from hybrid_pools.blueprint.problems import Problem

_SHOWN = 80


def shown(value: object) -> str:
    """The value as the reader wrote it, cut where it is long."""
    text = str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def explain(model: type[BaseModel], details: ErrorDetails, path: str) -> Problem:
    """One error of pydantic as a problem under `path`."""
    where, fields = _locate(model, details["loc"])
    at = path + where
    kind, context = details["type"], details.get("ctx", {})
    described = _description(fields[-1]) if fields else _summary(model)
    if kind == "missing":
        return Problem("CFG-001", at, "", "is missing and has no default", described, f"add {details['loc'][-1]}")
    if kind == "extra_forbidden":
        known = _keys(_owner(model, details["loc"]))
        close = get_close_matches(str(details["loc"][-1]), known, n=1)
        return Problem(
            "CFG-002",
            at,
            shown(details["input"]),
            "is not a known key and would be ignored",
            ", ".join(known),
            f"did you mean {close[0]}? Rename it" if close else "remove it",
        )
    if kind == "value_error":
        message, _, fix = str(context.get("error", details["msg"])).partition("; ")
        owner = _owner(model, (*details["loc"], ""))
        return Problem("CFG-005", at, "", message, _summary(owner), fix or "change it as said")
    if kind in ("enum", "literal_error"):
        return Problem(
            "CFG-004", at, shown(details["input"]), "is not one of the known values", str(context["expected"]), "write one of them"
        )
    if kind.endswith(("_type", "_parsing")) or kind == "int_from_float":
        expected = kind.removesuffix("_type").replace("int_from_float", "int").replace("dict", "mapping").replace("model", "mapping")
        return Problem("CFG-003", at, shown(details["input"]), f"is not of type {expected}", described, _type_fix(kind, details["input"]))
    if kind == "string_pattern_mismatch":
        allowed = f"{described} (pattern {context['pattern']})"
        return Problem("CFG-004", at, shown(details["input"]), "does not have the form that is needed", allowed, "respell it")
    limits = " ".join(f"{_LIMITS.get(key, key)} {value}" for key, value in context.items())
    return Problem("CFG-004", at, shown(details["input"]), details["msg"].lower(), f"{described} ({limits})", "write a value that fits")


_LIMITS = {"ge": "at least", "le": "at most", "gt": "above", "lt": "below", "min_length": "at least", "max_length": "at most"}


def _type_fix(kind: str, value: Any) -> str:
    if kind.startswith("bool"):
        return "write true or false, without quotes"
    if isinstance(value, str):
        return "write it without quotes"
    if kind.startswith("string"):
        return f'write it in quotes: "{value}"'
    return "write a value of that type"


def _locate(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[str, list[FieldInfo]]:
    """The path as text, and the fields that it passes."""
    text, fields, current = "", [], model
    for part in loc:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        if part == "[key]":
            text += " (the key itself)"
            continue
        text += f".{part}"
        found = _field(current, part) if current is not None else None
        if found is not None:
            fields.append(found)
            current = _model_in(found.annotation)
    return text, fields


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


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _description(field: FieldInfo) -> str:
    return (field.description or _summary(_model_in(field.annotation)) or "a value of the documented type").split("\n")[0]


def _summary(model: Any) -> str:
    return (model.__doc__ or "").strip().split("\n")[0] if model is not None else ""
