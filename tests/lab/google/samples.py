"""Documents made for one place of a type: what a test of a data file needs."""

from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.schema import Schema, Shape
from lab.google.values import Document


def sample(schema: Schema, shape: Shape, variant: int) -> Any:
    """A value of a shape; variants differ everywhere and none is empty."""
    match shape.kind:
        case "str":
            return f"value-{variant}"
        case "int" | "float":
            return 7 + variant
        case "bool":
            return bool(variant)
        case "list":
            return [sample(schema, shape.of, variant)] if shape.of else []
        case "map":
            return {"key": sample(schema, shape.of, variant)} if shape.of else {}
        case _:
            return {key: sample(schema, known.shape, variant) for key, known in schema.objects[shape.object].items()}


def document_with(catalogue: Catalogue, type_: str, place: str, variant: int) -> Document:
    """A document with nothing but a value at a place such as `nodeConfig.taints[].effect`."""
    shape = catalogue.schema.shape_at(type_, place)
    assert shape is not None
    value = sample(catalogue.schema, shape, variant)
    for part in reversed(place.split(".")):
        value = {part.removesuffix("[]"): [value] if part.endswith("[]") else value}
    document: Document = value
    return document
