"""From documents to objects: lists are taken apart, and what is no object, or a template that is not rendered yet, is said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from hybrid_pools.lint.composing import Broken, Document, documents, has_marks
from hybrid_pools.lint.rule import Law
from hybrid_pools.lint.understanding import OBJECT, PLAIN, RENDERED
from hybrid_pools.lint.values import value_of
from hybrid_pools.workload.kinds import Kind, kind_of
from hybrid_pools.workload.reading import UNKNOWN

_OWN_BRACES = ("args", "command", "env", "podSpecPatch")
"""Keys of what a container runs, where braces are the program's own business, and of a text in which a workload rule looks for them."""

_NAMES = ("name", "namespace", "generateName")
_INGREDIENTS = {("kustomize.config.k8s.io", "Kustomization"), ("kustomize.config.k8s.io", "Component")}
_OF_A_LIST = {"apiVersion", "kind", "metadata", "items"}
_LATER = ("argoproj.io",)
"""Groups whose templates are filled in by their controller in the cluster: they are as rendered as they get."""


@dataclass(frozen=True)
class KubernetesObject:
    """One object of a text.

    Attributes:
        content: As Kubernetes reads it; `UNKNOWN` stands for what is not rendered.
        kind: None for kinds that make no pods.
        node: Its root, to find places in it.
        line: Lines of the file before its document.
    """

    api_version: str
    kind_name: str
    name: str
    content: dict[str, Any]
    kind: Kind | None
    node: yaml.Node
    line: int


@dataclass(frozen=True)
class NotUnderstood:
    """A place that was not understood, and the law that it breaks. Line and column count from 1."""

    law: Law
    line: int
    column: int
    detail: str


def objects(text: str) -> Iterator[KubernetesObject | NotUnderstood]:
    """Every object of a text, in order, and everything that is none."""
    for document in documents(text):
        if isinstance(document, Broken):
            yield _broken(document)
            continue
        content, troubles = value_of(document)
        if troubles:
            yield from (_broken(Broken(trouble.line, trouble.column, trouble.detail, document.text)) for trouble in troubles)
        else:
            yield from _objects(content, document.node, document)


def _broken(document: Broken) -> NotUnderstood:
    # In plain YAML braces like these are an error or a key that is a mapping.
    law = RENDERED if re.search(r"\{\{|\{%|<%", document.text) else PLAIN
    return NotUnderstood(law, document.line, document.column, document.detail)


def _objects(content: Any, node: yaml.Node, document: Document) -> Iterator[KubernetesObject | NotUnderstood]:
    if content is None and node is document.node:
        return

    def refused(law: Law, detail: str) -> NotUnderstood:
        return NotUnderstood(law, document.line + node.start_mark.line + 1, node.start_mark.column + 1, detail)

    if not isinstance(content, dict):
        yield refused(OBJECT, "is no mapping with apiVersion and kind")
        return
    api_version, kind_name = content.get("apiVersion"), content.get("kind")
    if not (isinstance(api_version, str) and api_version and isinstance(kind_name, str) and kind_name):
        yield refused(OBJECT, f"has no {'apiVersion' if not (isinstance(api_version, str) and api_version) else 'kind'} that is text")
    elif kind_name.endswith("List") and content.get("items") is not None:
        more = sorted(content.keys() - _OF_A_LIST)
        if more:
            yield refused(OBJECT, f"is a list that has {more[0]} beside its items")
        yield from _items(content["items"], node, document, refused)
    elif (api_version.partition("/")[0], kind_name) in _INGREDIENTS:
        yield refused(RENDERED, f"is a {kind_name}, from which kustomize makes objects")
    else:
        yield from _object(content, api_version, kind_name, node, document)


def _items(items: Any, node: yaml.Node, document: Document, refused: Any) -> Iterator[KubernetesObject | NotUnderstood]:
    if not isinstance(items, list):
        yield refused(OBJECT, "is a list whose items are no list")
        return
    inner = next((value for key, value in node.value if key.value == "items"), node)
    nodes = inner.value if isinstance(inner, yaml.SequenceNode) else [node] * len(items)
    for item, item_node in zip(items, nodes, strict=True):
        yield from _objects(item, item_node, document)


def _object(
    content: dict[str, Any], api_version: str, kind_name: str, node: yaml.Node, document: Document
) -> Iterator[KubernetesObject | NotUnderstood]:
    kind = kind_of(api_version, kind_name)
    metadata = content.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    if document.has_marks:
        marked = {"apiVersion": api_version, "kind": kind_name, **{key: named.get(key) for key in _NAMES}}
        if open_key := next((key for key, value in marked.items() if isinstance(value, str) and has_marks(value)), None):
            yield _unrendered(node, document, open_key, marked[open_key])
            return
        if kind is not None:
            content = _with_gaps(content)
            open_keys, open_values = _open_nodes(node)
            yield from (_unrendered(each, document, "a key", each.value) for each in open_keys)
            if kind.group not in _LATER:
                yield from (_unrendered(each, document, "a value", each.value) for each in open_values)
    name = named.get("name") or named.get("generateName")
    yield KubernetesObject(api_version, kind_name, name if isinstance(name, str) else "", content, kind, node, document.line)


def _unrendered(node: yaml.Node, document: Document, what: str, text: object) -> NotUnderstood:
    line, column = document.line + node.start_mark.line + 1, node.start_mark.column + 1
    return NotUnderstood(RENDERED, line, column, f"{what} is not rendered yet: {text!s:.60}")


def _with_gaps(value: Any) -> Any:
    """The value with `UNKNOWN` for every text in it that is filled in later."""
    if isinstance(value, str):
        return UNKNOWN if has_marks(value) else value
    if isinstance(value, list):
        return [_with_gaps(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key in _OWN_BRACES else _with_gaps(each) for key, each in value.items()}
    return value


def _open_nodes(node: yaml.Node) -> tuple[list[yaml.Node], list[yaml.Node]]:
    """The keys and the other texts that are filled in later."""
    keys: list[yaml.Node] = []
    values: list[yaml.Node] = []

    def search(inner: yaml.Node) -> None:
        if isinstance(inner, yaml.ScalarNode):
            if has_marks(inner.value):
                values.append(inner)
        elif isinstance(inner, yaml.SequenceNode):
            for each in inner.value:
                search(each)
        else:
            for key, each in inner.value:
                if has_marks(key.value):
                    keys.append(key)
                if key.value not in _OWN_BRACES:
                    search(each)

    search(node)
    return keys, values
