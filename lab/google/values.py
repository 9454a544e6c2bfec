"""Property values between protobuf and Python, and paths into them.

Secrets need no code here: the stand-in does not accept them, so the engine takes the marks off and puts them back on (`acceptSecrets`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf import struct_pb2


class Unknown:
    """A value that is not known before an update runs."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN: Final = Unknown()

_SENTINEL = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# One for each element type; source: Pulumi's sdk/go/common/resource/plugin/rpc.go.
_SENTINELS = frozenset(
    {
        _SENTINEL,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)

DEFAULTED: Final = "__defaults"
"""Key under which Pulumi's bridge lists the properties of an object that it, not the program, has set."""

Document = dict[str, Any]
"""The properties of a resource, named as Pulumi names them, with plain Python values."""

Path = tuple[str | int, ...]


def decode(struct: struct_pb2.Struct) -> Document:
    """Properties as Python values. Nulls are left out, as the SDK leaves out what a program does not set."""
    return {key: _decode(value) for key, value in struct.fields.items() if value.WhichOneof("kind") != "null_value"}


def _decode(value: struct_pb2.Value) -> Any:
    match value.WhichOneof("kind"):
        case "string_value":
            return UNKNOWN if value.string_value in _SENTINELS else value.string_value
        case "bool_value":
            return value.bool_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "struct_value":
            return decode(value.struct_value)
        case "list_value":
            return [_decode(element) for element in value.list_value.values]
        case _:
            return None


def encode(document: Mapping[str, Any]) -> struct_pb2.Struct:
    """The inverse of `decode`."""
    struct = struct_pb2.Struct()
    for key, value in document.items():
        _encode(value, struct.fields[key])
    return struct


def _encode(value: Any, into: struct_pb2.Value) -> None:
    if value is UNKNOWN:
        into.string_value = _SENTINEL
    elif value is None:
        into.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        into.bool_value = value
    elif isinstance(value, int | float):
        into.number_value = value
    elif isinstance(value, str):
        into.string_value = value
    elif isinstance(value, Mapping):
        into.struct_value.SetInParent()
        for key, element in value.items():
            _encode(element, into.struct_value.fields[key])
    else:
        into.list_value.SetInParent()
        for element in value:
            _encode(element, into.list_value.values.add())


def without_marks(value: Any) -> Any:
    """The value without the bridge's lists of defaults, which the cloud never sees."""
    if isinstance(value, dict):
        return {key: without_marks(element) for key, element in value.items() if key != DEFAULTED}
    return [without_marks(element) for element in value] if isinstance(value, list) else value


def spell(path: Path) -> str:
    """A path as people and the engine write it: `nodeConfig.taints[0].effect`, `labels["a.b/c"]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif "." in part or "/" in part:
            text += f'["{part}"]'
        else:
            text += f".{part}" if text else part
    return text


def pattern(path: Path) -> str:
    """The path as the data files write it, for every element of a list alike: `nodeConfig.taints[].effect`."""
    text = ""
    for part in path:
        text += "[]" if isinstance(part, int) else f".{part}" if text else part
    return text


def find(document: Any, place: str) -> Iterator[tuple[Path, Any]]:
    """Every value at a place such as `nodeConfig.taints[].effect`, with its exact path. Nothing below an unknown value is found."""
    yield from _find(document, place.replace("[]", ".[]").split("."), ())


def _find(value: Any, parts: list[str], path: Path) -> Iterator[tuple[Path, Any]]:
    if not parts:
        yield path, value
    elif parts[0] == "[]":
        if isinstance(value, list):
            for index, element in enumerate(value):
                yield from _find(element, parts[1:], (*path, index))
    elif isinstance(value, dict) and parts[0] in value:
        yield from _find(value[parts[0]], parts[1:], (*path, parts[0]))


def first(document: Any, place: str, default: Any = None) -> Any:
    """The first value at a place, or the default."""
    return next((value for _, value in find(document, place)), default)


def is_empty(value: Any) -> bool:
    """Whether the service cannot tell the value from an absent one."""
    return value is None or value is False or (isinstance(value, str | list | int | float) and not value)
