"""What an update would change, and whether it replaces the resource."""

import ipaddress
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.facts import Facts
from lab.google.schema import Schema, Shape
from lab.google.values import DEFAULTED, UNKNOWN, Document, Path, first, is_empty, pattern, without_marks


class Change(Enum):
    """What happens to one property."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


@dataclass(frozen=True)
class Difference:
    """One property that an update changes.

    Attributes:
        path: Where.
        change: What happens to it.
        replaces: Whether that replaces the resource.
    """

    path: Path
    change: Change
    replaces: bool


def differences(catalogue: Catalogue, type_: str, state: Document, inputs: Document) -> list[Difference]:
    """Compares inputs with the last known state as the real provider does.

    What the service fills is no difference when the program leaves it out; an empty value is no difference to an absent one.

    Args:
        catalogue: The types and their facts.
        type_: Pulumi's type.
        state: All properties after the last update or refresh.
        inputs: Checked inputs.
    """
    facts = catalogue.facts[type_]
    shape = Shape("object", object=catalogue.schema.inputs[type_])
    found = list(_Comparison(catalogue.schema, facts).compare(shape, without_marks(state), without_marks(inputs), ()))
    special = _SPECIAL.get(type_)
    return [
        Difference(path, change, _replaces(facts, path, change) or bool(special and special(path, state, inputs))) for path, change in found
    ]


def deletes_first(facts: Facts, state: Document, inputs: Document) -> bool:
    """Whether a replacement must delete the old resource first: always for the type, or because the new one has the same given name."""
    named = next((place for place, text in facts.texts.items() if text.from_logical_name), None)
    given = named is not None and named not in inputs.get(DEFAULTED, ()) and inputs.get(named) == state.get(named)
    return facts.delete_before_replace or given


@dataclass(frozen=True)
class _Comparison:
    """What the comparison reads of the type."""

    schema: Schema
    facts: Facts

    def compare(self, shape: Shape | None, old: Any, new: Any, path: Path) -> Iterator[tuple[Path, Change]]:
        if isinstance(old, dict) and isinstance(new, dict):
            yield from self._objects(shape, old, new, path)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._lists(shape.of if shape else None, old, new, path)
        elif new is UNKNOWN or (old != new and not (is_empty(old) and is_empty(new))):
            yield path, Change.UPDATE

    def _objects(self, shape: Shape | None, old: Document, new: Document, path: Path) -> Iterator[tuple[Path, Change]]:
        known = self.schema.objects[shape.object] if shape and shape.kind == "object" else None
        for key, value in new.items():
            if key in old:
                inner = known[key].shape if known and key in known else shape.of if shape else None
                yield from self.compare(inner, old[key], value, (*path, key))
            elif not is_empty(value):
                yield (*path, key), Change.ADD
        for key, value in old.items():
            gone = (*path, key)
            is_input = known is None or key in known
            if key not in new and is_input and not is_empty(value) and pattern(gone) not in self.facts.computed:
                yield gone, Change.DELETE

    def _lists(self, shape: Shape | None, old: list[Any], new: list[Any], path: Path) -> Iterator[tuple[Path, Change]]:
        if pattern(path) in self.facts.unordered:
            if _sorted(old) != _sorted(new):
                yield path, Change.UPDATE
            return
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from self.compare(shape, one, other, (*path, index))
        for index in range(len(new), len(old)):
            yield (*path, index), Change.DELETE
        for index in range(len(old), len(new)):
            yield (*path, index), Change.ADD


def _sorted(values: list[Any]) -> list[str]:
    return sorted(json.dumps(value, sort_keys=True, default=repr) for value in values)


def _replaces(facts: Facts, path: Path, change: Change) -> bool:
    places = {pattern(path[:length]) for length in range(1, len(path) + 1)}
    # Elements of a list belong to the list itself.
    places |= {place.removesuffix("[]") for place in places}
    if places & set(facts.replaces):
        return True
    return change is not Change.UPDATE and pattern(path) in facts.replaces_as_a_whole


def _shrinks(path: Path, state: Document, inputs: Document) -> bool:
    """A subnetwork's range can be widened in place; any other change makes a new one (Terraform provider, google_compute_subnetwork)."""
    if path != ("ipCidrRange",):
        return False
    try:
        return not ipaddress.ip_network(first(state, "ipCidrRange")).subnet_of(ipaddress.ip_network(inputs["ipCidrRange"]))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return True


_SPECIAL: dict[str, Callable[[Path, Document, Document], bool]] = {"gcp:compute/subnetwork:Subnetwork": _shrinks}
