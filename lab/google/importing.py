"""The inputs of a resource that is read: what a program would have to say to get it."""

from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.facts import Facts
from lab.google.schema import Schema, Shape
from lab.google.values import DEFAULTED, Document, is_empty, pattern

_PATH = tuple[str | int, ...]


def inputs_of(catalogue: Catalogue, type_: str, document: Document, known: Document) -> Document:
    """Inputs from all properties.

    With known inputs (a refresh), what the service fills stays out unless it was given before, so that the next preview is empty; what
    somebody else has set comes in, so that it is seen. Without (an import), everything comes in that is an input and not empty.

    Args:
        catalogue: The types and their facts.
        type_: Pulumi's type.
        document: All properties of the resource.
        known: The inputs of the last update, empty for an import.
    """
    facts = catalogue.facts[type_]
    shape = Shape("object", object=catalogue.schema.inputs[type_])
    result: Document = _inputs(catalogue.schema, facts, shape, document, known, (), importing=not known)
    return result


def _inputs(schema: Schema, facts: Facts, shape: Shape, value: Any, known: Any, path: _PATH, *, importing: bool) -> Any:
    if shape.kind == "object" and isinstance(value, dict):
        before = known if isinstance(known, dict) else {}
        properties = schema.objects[shape.object]
        taken = {}
        for key, element in value.items():
            place = pattern((*path, key))
            if key not in properties or place in facts.output_only:
                continue
            if key in before or (not is_empty(element) and (importing or place not in facts.computed)):
                inner = properties[key].shape
                taken[key] = _inputs(schema, facts, inner, element, before.get(key), (*path, key), importing=importing)
        marks = [key for key in before.get(DEFAULTED, []) if key in taken]
        return {**taken, DEFAULTED: marks}
    if shape.kind == "list" and shape.of is not None and isinstance(value, list):
        olds = known if isinstance(known, list) else []
        return [
            _inputs(schema, facts, shape.of, element, olds[i] if i < len(olds) else None, (*path, i), importing=importing)
            for i, element in enumerate(value)
        ]
    return value
