"""The shape of every property, taken from the installed `pulumi_gcp` classes.

The classes are the truth about names, types and what is required; nothing of it is written down again in this project.
"""

import importlib
import inspect
import sys
import typing
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

Kind = Literal["str", "int", "bool", "float", "any", "list", "map", "object"]
_SCALARS: dict[Any, Kind] = {str: "str", int: "int", bool: "bool", float: "float"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value must look like.

    Attributes:
        kind: The kind of value. `any` is not checked (assets, unions).
        of: The shape of each element of a list or map.
        object: The name of the class that describes an object, a key of `Schema.objects`.
    """

    kind: Kind
    of: "Shape | None" = None
    object: str = ""

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["kind"], cls.load(data["of"]) if data["of"] else None, data["object"])


@dataclass(frozen=True, slots=True)
class Property:
    """A named property: its shape, and whether it must be there."""

    shape: Shape
    required: bool


@dataclass(frozen=True)
class Schema:
    """The shapes of all resources the stand-in serves.

    Attributes:
        inputs: For each resource type, the name of the class of its inputs.
        outputs: For each resource type or function, the name of the class of what it returns.
        objects: The properties of each class, by their names on the wire.
    """

    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    objects: dict[str, dict[str, Property]] = field(default_factory=dict)

    def shape_at(self, type_: str, place: str, *, output: bool = False) -> Shape | None:
        """The shape at a place such as `nodeConfig.taints[].effect`, or None where the classes have no such property."""
        shape = Shape("object", object=(self.outputs if output else self.inputs)[type_])
        for part in place.replace("[]", ".[]").split("."):
            if part == "[]":
                if shape.kind != "list" or shape.of is None:
                    return None
                shape = shape.of
            elif shape.kind != "object" or part not in self.objects[shape.object]:
                return None
            else:
                shape = self.objects[shape.object][part].shape
        return shape

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `dump`."""
        objects = {
            name: {key: Property(Shape.load(value["shape"]), value["required"]) for key, value in properties.items()}
            for name, properties in data["objects"].items()
        }
        return cls(dict(data["inputs"]), dict(data["outputs"]), objects)


def derive(types: Iterable[str], functions: Iterable[str]) -> Schema:
    """Reads the classes of these resource types and functions. Takes about a second: importing them is slow.

    Raises:
        LookupError: The installed `pulumi_gcp` has no such type.
    """
    schema = Schema()
    with warnings.catch_warnings():
        # Importing a package of the SDK warns of every deprecated class in it.
        warnings.simplefilter("ignore", DeprecationWarning)
        for type_ in types:
            arguments = _class(type_, "Args")
            name = type_.rpartition(":")[2]
            schema.inputs[type_] = _add(schema, arguments)
            schema.outputs[type_] = _add(schema, getattr(sys.modules[arguments.__module__], f"_{name}State"))
        for token in functions:
            name = token.rpartition(":")[2]
            schema.outputs[token] = _add(schema, _class(f"{token.rpartition(':')[0]}:{name[0].upper()}{name[1:]}", "Result"))
    return schema


def _class(token: str, suffix: str) -> Any:
    _, module, name = token.split(":")
    package = importlib.import_module(f"pulumi_gcp.{module.partition('/')[0]}")
    try:
        return getattr(package, name + suffix)
    except AttributeError:
        raise LookupError(f"pulumi_gcp has no {token}") from None


def _add(schema: Schema, cls: Any) -> str:
    from pulumi import _types  # noqa: PLC0415 - half a second that a start with a ready schema does not need

    name = f"{cls.__module__}.{cls.__qualname__}"
    if name not in schema.objects:
        properties = schema.objects[name] = {}
        if _types.is_input_type(cls):
            wire_names = _types.input_type_py_to_pulumi_names(cls)
            types = _types.input_type_types(cls)
            parameters = inspect.signature(cls.__init__).parameters
            required = {wire for python, wire in wire_names.items() if parameters[python].default is inspect.Parameter.empty}
        else:
            types = _types.output_type_types(cls)
            required = set()
        for wire, type_ in types.items():
            properties[wire] = Property(_shape(schema, type_), wire in required)
    return name


def _shape(schema: Schema, type_: Any) -> Shape:
    from pulumi import _types  # noqa: PLC0415 - as above

    type_ = _types.unwrap_type(type_)
    if type_ in _SCALARS:
        return Shape(_SCALARS[type_])
    if isinstance(type_, type) and (_types.is_input_type(type_) or _types.is_output_type(type_)):
        return Shape("object", object=_add(schema, type_))
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if origin in (Sequence, list):
        return Shape("list", _shape(schema, arguments[0]))
    if origin in (Mapping, dict):
        return Shape("map", _shape(schema, arguments[1]))
    return Shape("any")
