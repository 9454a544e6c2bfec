"""From nodes to plain values. What two readers could read differently is refused: nobody knows which of them the cluster is."""

from dataclasses import dataclass, field
from typing import Any

import yaml

from hybrid_pools.lint.composing import Broken, Document
from hybrid_pools.lint.scalars import CONVERSIONS, MAPPING, MERGE, SEQUENCE, TEXT

_DEEPEST = 100
_MOST = 200_000
"""Values that a document may unfold to by its aliases. A large custom resource definition has some 20,000."""


class _TooMuchError(Exception):
    """The document as a whole cannot be read any further."""

    def __init__(self, node: yaml.Node, detail: str) -> None:
        super().__init__(detail)
        self.node = node


def value_of(document: Document) -> tuple[Any, list[Broken]]:
    """The content of a document, and everything that makes it ambiguous; with such a thing the content is of no use."""
    reader = _Reader(document.line)
    try:
        value, size = reader.read(document.node, 0)
        if reader.aliased and size > _MOST:
            reader.refuse(document.node, f"unfolds to {size:,} values by its aliases, and {_MOST:,} are read")
    except _TooMuchError as problem:
        value = None
        reader.refuse(problem.node, str(problem))
    return value, reader.broken


@dataclass
class _Reader:
    """Reads nodes. Most are text that the composer found to be text, which it marks with the very object `TEXT`."""

    line: int
    broken: list[Broken] = field(default_factory=list)
    aliased: bool = False
    _known: dict[int, tuple[Any, int] | None] = field(default_factory=dict)
    """What a list or a mapping came to and how many values it unfolds to, because an alias may name it again; None while it is read."""

    def refuse(self, node: yaml.Node, detail: str) -> None:
        mark = node.start_mark
        self.broken.append(Broken(self.line + mark.line + 1, mark.column + 1, detail))

    def read(self, node: yaml.Node, depth: int) -> tuple[Any, int]:
        """The value and the number of values in it."""
        if isinstance(node, yaml.ScalarNode):
            return (node.value if node.tag == TEXT else self._scalar(node)), 1
        if depth > _DEEPEST:
            raise _TooMuchError(node, f"is nested more than {_DEEPEST} levels deep")
        if id(node) in self._known:
            known = self._known[id(node)]
            if known is None:
                raise _TooMuchError(node, "contains itself")
            self.aliased = True
            return known
        self._known[id(node)] = None
        value = self._mapping(node, depth) if isinstance(node, yaml.MappingNode) else self._sequence(node, depth)
        self._known[id(node)] = value
        return value

    def _sequence(self, node: yaml.Node, depth: int) -> tuple[list[Any], int]:
        if node.tag != SEQUENCE:
            self._unknown_tag(node)
        values, size = [], 1
        for inner in node.value:
            value, inner_size = (inner.value, 1) if inner.tag is TEXT else self.read(inner, depth + 1)
            values.append(value)
            size += inner_size
        return values, size

    def _mapping(self, node: yaml.MappingNode, depth: int) -> tuple[dict[str, Any], int]:
        if node.tag != MAPPING:
            self._unknown_tag(node)
        content: dict[str, Any] = {}
        merged: dict[str, Any] | None = None
        size = 1
        for key_node, value_node in node.value:
            value, inner_size = (value_node.value, 1) if value_node.tag is TEXT else self.read(value_node, depth + 1)
            size += inner_size
            if key_node.tag is TEXT or (key_node.tag == TEXT and isinstance(key_node, yaml.ScalarNode)):
                key = key_node.value
                if key in content:
                    self.refuse(key_node, f"the key {key} comes twice in one mapping, and one of the two would be lost")
                content[key] = value
            elif key_node.tag == MERGE:
                if merged is not None:
                    self.refuse(key_node, "<< comes twice in one mapping")
                merged = self._merged(key_node, value)
                # Some readers let the later one win, others the mapping's own.
                if twice := sorted(merged.keys() & content.keys()):
                    self.refuse(key_node, f"<< comes after {twice[0]}, which it brings too: readers differ in which of the two counts")
            else:
                self._odd_key(key_node)
        return ({**merged, **content} if merged else content), size

    def _merged(self, key_node: yaml.Node, value: Any) -> dict[str, Any]:
        several = value if isinstance(value, list) else [value]
        result: dict[str, Any] = {}
        for one in several:
            if not isinstance(one, dict):
                self.refuse(key_node, "<< takes a mapping, or a list of mappings")
                return {}
            result = {**one, **result}
        return result

    def _odd_key(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            self.refuse(node, f"the key {node.value or 'that is empty'} is no text: write it in quotes")
        else:
            self.refuse(node, "a list or a mapping stands where a key should")

    def _scalar(self, node: yaml.ScalarNode) -> object:
        convert = CONVERSIONS.get(node.tag)
        if convert is None:
            # `<<` is a key; where a value is expected it is text.
            if node.tag == MERGE:
                return node.value
            self._unknown_tag(node)
            return None
        try:
            return convert(node.value)
        except ValueError as error:
            self.refuse(node, f"{node.value:.40} {error}")
            return None

    def _unknown_tag(self, node: yaml.Node) -> None:
        self.refuse(node, f"the tag {node.tag.replace('tag:yaml.org,2002:', '!!')} is not known")
