"""From text to documents: split where YAML itself splits, so that a broken document takes no other with it, and composed to nodes, which
know where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode

from hybrid_pools.lint.scalars import MAPPING, SEQUENCE, TEXT, tag_of

_MARKER = re.compile(r"^(?:---(?=[ \t\r\n]|\Z)|\.\.\.(?=[ \t\r\n]|\Z)[^\n]*\n?)", re.MULTILINE)
"""A line that begins a document, or one that ends it: in YAML they do wherever they stand, in quotes and block texts too."""

TEMPLATE_MARKS = ("{{", "{%", "<%", "${")
"""What begins a part that Helm, Jinja, ERB or a shell fills in."""

_NOTHING = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)|%(?:YAML|TAG)[^\n]*\n|---[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)|\.\.\.[^\n]*(?:\n|\Z))*")
"""Comments, directives and markers."""


def has_marks(text: str) -> bool:
    """Whether a text has a part that is filled in later."""
    return any(mark in text for mark in TEMPLATE_MARKS)


@dataclass(frozen=True)
class Document:
    """One document of a text.

    Attributes:
        node: Its root.
        line: Lines of the file before it; its nodes count from there.
        text: As it is written.
    """

    node: yaml.Node
    line: int
    text: str

    @cached_property
    def has_marks(self) -> bool:
        """Whether it may be a template that is not rendered. Searched for once: a document may be a list of thousands of objects."""
        return has_marks(self.text)


@dataclass(frozen=True)
class Broken:
    """A document, or a part of one, that nobody can read. Line and column count from 1 in the file."""

    line: int
    column: int
    detail: str
    text: str = ""


def documents(text: str) -> Iterator[Document | Broken]:
    """Every document of a text that says something, in order."""
    line = 0
    for chunk in _split(text):
        if not _NOTHING.fullmatch(chunk):
            yield from _composed(chunk, line)
        line += chunk.count("\n")


def _split(text: str) -> Iterator[str]:
    start = 0
    if "\n---" not in text and "\n..." not in text and not text.startswith("..."):
        # A file of one document, as most are. A marker at its very beginning belongs to it.
        yield text
        return
    for marker in _MARKER.finditer(text):
        at = marker.start() if marker[0].startswith("---") else marker.end()
        if at > start:
            yield text[start:at]
            start = at
    if start < len(text):
        yield text[start:]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the compiled parser, where PyYAML has it
    """Composes nodes and resolves plain scalars as Kubernetes does."""

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """PyYAML's hook, called for every node: there are no resolvers by path to follow."""

    def ascend_resolver(self) -> None:
        """The same on the way back."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """PyYAML's hook: the tag of a node that has none of its own."""
        if kind is ScalarNode:
            return tag_of(value) if implicit[0] else TEXT
        return MAPPING if kind is MappingNode else SEQUENCE


def _composed(chunk: str, line: int) -> Iterator[Document | Broken]:
    loader = _Loader(chunk)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part) or "cannot be parsed"
        yield Broken(line + (mark.line if mark else 0) + 1, (mark.column if mark else 0) + 1, reason, chunk)
    except (yaml.reader.ReaderError, UnicodeEncodeError) as error:
        reason = f"a character that YAML does not allow ({getattr(error, 'reason', error)})"
        yield Broken(line + 1, 1, reason, chunk)
    else:
        # YAML knows more ends of lines than those that are left out before: such a document may say nothing after all.
        if node is not None:
            yield Document(node, line, chunk)
    finally:
        loader.dispose()
