"""The API as its discovery document describes it: whether a body is one that Vertex AI would take."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from googleapiclient.discovery_cache import get_static_doc

_PREFIX = "GoogleCloudAiplatformV1"
_TYPES: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}


@cache
def document() -> dict[str, Any]:
    """Version 1, as the client brings it."""
    found: dict[str, Any] = json.loads(get_static_doc("aiplatform", "v1"))
    return found


def faults(value: Any, name: str, at: str = "") -> Iterator[str]:
    """What is wrong with a body of this type: unknown keys, wrong types, values out of an enumeration, keys that only the service sets."""
    yield from _faults(value, {"$ref": f"{_PREFIX}{name}"}, at or name)


def _faults(value: Any, schema: dict[str, Any], at: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = document()["schemas"][schema["$ref"]]
    if schema.get("readOnly"):
        yield f"{at} is set by the service"
        return
    kind: Any = _TYPES[schema["type"]]
    if not isinstance(value, kind) or (schema["type"] == "integer" and isinstance(value, bool)):
        yield f"{at} is no {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is not in {schema['enum']}"
    if schema.get("format") == "int64" and not value.lstrip("-").isdecimal():
        yield f"{at} is no number"
    if schema.get("format") == "google-duration" and not (value.endswith("s") and value[:-1].isdecimal()):
        yield f"{at} is no duration"
    if schema["type"] == "array":
        for index, item in enumerate(value):
            yield from _faults(item, schema["items"], f"{at}[{index}]")
    if schema["type"] == "object":
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        for key, inner in value.items():
            if key not in properties and others is None:
                yield f"{at} has no {key}"
            else:
                yield from _faults(inner, properties.get(key, others), f"{at}.{key}")
