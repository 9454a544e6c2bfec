"""What the provider finds wrong with inputs before it calls anybody, and what it adds to them."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.facts import Facts
from lab.google.naming import Provider, located, placeholders, random_name
from lab.google.schema import Shape
from lab.google.values import DEFAULTED, UNKNOWN, Document, Path, find, spell, without_marks

_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "bool": "a boolean",
    "float": "a number",
    "list": "a list",
    "map": "a map",
    "object": "an object",
}


@dataclass(frozen=True)
class Failure:
    """One thing wrong with the inputs: where, and what with the fix."""

    property: str
    reason: str


@dataclass(frozen=True)
class Checked:
    """Inputs with what the provider added, and everything wrong with them."""

    inputs: Document
    failures: list[Failure]


def check(catalogue: Catalogue, type_: str, logical_name: str, news: Document, olds: Document, seed: bytes, provider: Provider) -> Checked:
    """Checks the inputs of a resource as the real provider does at preview.

    Args:
        catalogue: The types and their facts.
        type_: Pulumi's type.
        logical_name: The resource's name in the program, for a physical name where there is none.
        news: The inputs of the program.
        olds: The inputs of the last update, empty for a new resource.
        seed: The engine's random seed for this resource.
        provider: The provider's configuration.
    """
    facts = catalogue.facts[type_]
    shape = Shape("object", object=catalogue.schema.inputs[type_])
    news = without_marks(news)
    failures = list(_misshapen(catalogue, shape, news, ()))
    failures += _output_only(facts, news)
    inputs = _with_defaults(catalogue, facts, news)
    inputs = _with_name(facts, logical_name, inputs, olds, seed)
    failures += _missing(facts, inputs, provider)
    failures += _wrong_values(facts, inputs)
    failures += _wrong_texts(facts, inputs)
    failures += _out_of_bounds(facts, inputs)
    failures += _wrong_groups(facts, inputs)
    return Checked(inputs, failures)


def _misshapen(catalogue: Catalogue, shape: Shape, value: Any, path: Path) -> Iterator[Failure]:
    if value is UNKNOWN or shape.kind == "any":
        return
    if not _is(shape, value):
        yield Failure(spell(path), f"expected {_WORDS[shape.kind]}, got {_described(value)}")
    elif shape.kind == "object":
        properties = catalogue.schema.objects[shape.object]
        for key, element in value.items():
            if key in properties:
                yield from _misshapen(catalogue, properties[key].shape, element, (*path, key))
            else:
                yield Failure(spell((*path, key)), f"no such property; {_advice(key, list(properties))}")
        for key, known in properties.items():
            if known.required and key not in value:
                yield Failure(spell((*path, key)), "missing required property; set it")
    elif shape.kind in ("list", "map") and shape.of is not None:
        for key, element in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _misshapen(catalogue, shape.of, element, (*path, key))


def _is(shape: Shape, value: Any) -> bool:
    match shape.kind:
        case "str":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "list":
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def _described(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value)


def _advice(key: str, allowed: list[str]) -> str:
    close = difflib.get_close_matches(key, allowed, n=1)
    return f"did you mean {close[0]}?" if close else f"allowed are {', '.join(sorted(allowed))}"


def _output_only(facts: Facts, inputs: Document) -> Iterator[Failure]:
    for place in facts.output_only:
        for path, _ in find(inputs, place):
            yield Failure(spell(path), "the service decides this value and an input is refused; leave it out")


def _with_defaults(catalogue: Catalogue, facts: Facts, inputs: Document) -> Document:
    groups = facts.at_most_one + facts.exactly_one
    shape = Shape("object", object=catalogue.schema.inputs[facts.type])

    def complete(value: Any, shape: Shape | None, place: str) -> Any:
        if isinstance(value, list):
            return [complete(element, shape.of if shape else None, f"{place}[]") for element in value]
        if not isinstance(value, dict) or shape is None or shape.kind != "object":
            return value
        start = f"{place}." if place else ""
        properties = catalogue.schema.objects[shape.object]
        done = {
            key: complete(element, properties[key].shape if key in properties else None, f"{start}{key}") for key, element in value.items()
        }
        added = {
            key: facts.defaults[f"{start}{key}"]
            for key in properties
            if key not in value and f"{start}{key}" in facts.defaults and not _excluded(f"{start}{key}", value, start, groups)
        }
        return {**done, **added, DEFAULTED: sorted(added)}

    result: Document = complete(inputs, shape, "")
    return result


def _excluded(place: str, siblings: Document, start: str, groups: tuple[tuple[str, ...], ...]) -> bool:
    return any(place in group and any(other.removeprefix(start) in siblings for other in group) for group in groups)


def _with_name(facts: Facts, logical_name: str, inputs: Document, olds: Document, seed: bytes) -> Document:
    for place, text in facts.texts.items():
        if text.from_logical_name and place not in inputs:
            kept = olds.get(place) if place in olds.get(DEFAULTED, ()) else None
            name = kept or random_name(logical_name, seed)
            return {**inputs, place: name, DEFAULTED: sorted([*inputs[DEFAULTED], place])}
    return inputs


def _missing(facts: Facts, inputs: Document, provider: Provider) -> Iterator[Failure]:
    where = located(facts, inputs, provider)
    for place in ("project", "region", "location"):
        if place in placeholders(facts.id) and place not in where:
            setting = "region" if place == "location" else place
            yield Failure(place, f"required field is not set; set it on the resource, or gcp:{setting} in the stack's configuration")
    for place in facts.required:
        parent, _, key = place.rpartition(".")
        for path, value in find(inputs, parent) if parent else [((), inputs)]:
            if isinstance(value, dict) and key not in value:
                yield Failure(spell((*path, key)), "missing required property; set it")


def _wrong_values(facts: Facts, inputs: Document) -> Iterator[Failure]:
    for place, allowed in facts.values.items():
        for path, value in find(inputs, place):
            if value is not UNKNOWN and value not in allowed:
                yield Failure(spell(path), f"expected one of {', '.join(map(repr, allowed))}, got {value!r}")


def _wrong_texts(facts: Facts, inputs: Document) -> Iterator[Failure]:
    for place, text in facts.texts.items():
        for path, value in find(inputs, place):
            if not isinstance(value, str):
                continue
            if not text.minimum <= len(value) <= text.maximum:
                fix = "; shorten the resource's name in the program" if text.from_logical_name else ""
                yield Failure(spell(path), f"{value!r} has {len(value)} characters, allowed are {text.minimum} to {text.maximum}{fix}")
            elif not re.fullmatch(text.pattern, value):
                yield Failure(spell(path), f"{value!r} does not match the form {text.pattern}")


def _out_of_bounds(facts: Facts, inputs: Document) -> Iterator[Failure]:
    for place, (least, largest) in facts.bounds.items():
        for path, value in find(inputs, place):
            if not isinstance(value, int | float) or isinstance(value, bool):
                continue
            if least is not None and value < least:
                yield Failure(spell(path), f"{value} is below the least allowed value {least}")
            if largest is not None and value > largest:
                yield Failure(spell(path), f"{value} is above the largest allowed value {largest}")


def _wrong_groups(facts: Facts, inputs: Document) -> Iterator[Failure]:
    for group in facts.at_most_one:
        given = [place for place in group if any(True for _ in find(inputs, place))]
        if len(given) > 1:
            yield Failure(given[0], f"conflicts with {', '.join(given[1:])}; set only one of them")
    for group in facts.exactly_one:
        parent = group[0].rpartition(".")[0]
        if parent and not any(True for _ in find(inputs, parent)):
            continue
        given = [place for place in group if any(True for _ in find(inputs, place))]
        if len(given) != 1:
            yield Failure(group[0], f"exactly one of {', '.join(group)} must be set, got {', '.join(given) or 'none'}")
