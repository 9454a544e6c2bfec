"""Plain YAML from disk, with the line of everything in it, and refused where a parser would quietly make something else of it.

The engine's YAML is closer to version 1.2 than PyYAML's: `8:00`, `yes` and an unquoted time are text in both places here. Files that the
engine never sees are read in the same way, so that a value means the same in all of them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.configuration.explaining import shown
from hybrid_pools.blueprint.problems import Problem

WHOLE_FILE = "(the whole file)"


@dataclass(frozen=True)
class FileKind:
    """What a file is, for what is said of one that cannot be read.

    Attributes:
        noun: What people call it, without an article.
        example: The path of one.
        fix: How to get to one.
        empty: What is said of one with nothing in it.
        told: Spells a path of the file as problems do.
    """

    noun: str
    example: str
    fix: str
    empty: Problem
    told: Callable[[str], str] = str


@dataclass(frozen=True)
class PlainFile:
    """What a file says.

    Attributes:
        content: Its keys and values.
        lines: Line of each path, from 1.
        secrets: Paths of values that are encrypted as Pulumi writes them.
        problems: What is wrong with it as YAML; the content is then not all there is.
    """

    content: dict[str, Any]
    lines: Mapping[str, int]
    secrets: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_plain(path: Path, kind: FileKind) -> PlainFile | tuple[Problem, ...]:
    """What a file says; only problems where it is no mapping that could be read."""
    text = _text(path, kind)
    if isinstance(text, Problem):
        return (text,)
    root = _composed(text, kind)
    if isinstance(root, Problem):
        return (root,)
    values = _Values(kind.told)
    try:
        content = values.of(root, "")
    except RecursionError:
        return (_not_yaml("is nested too deeply or contains itself", WHOLE_FILE, None),)
    if not isinstance(content, dict):
        return (*values.problems, no_mapping(WHOLE_FILE, content, root.start_mark.line + 1))
    return PlainFile(content, values.lines, tuple(values.secrets), tuple(values.problems))


def line_of(path: str, lines: Mapping[str, int]) -> int | None:
    """The line of a path, or of the nearest thing above it that the file has."""
    above = [known for known in lines if path == known or path.startswith((f"{known}.", f"{known}[", f"{known} "))]
    return lines[max(above, key=len)] if above else None


def _text(path: Path, kind: FileKind) -> str | Problem:
    try:
        # The engine skips a byte order mark as well.
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return Problem("CFG-010", WHOLE_FILE, "", "does not exist", f"an existing {kind.noun}", kind.fix)
    except IsADirectoryError:
        return Problem("CFG-010", WHOLE_FILE, "", "is a folder", f"a {kind.noun}, for example {kind.example}", kind.fix)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Problem("CFG-010", WHOLE_FILE, "", f"cannot be read: {reason}", "a file that you may read", "correct its permissions")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        value = f"byte 0x{error.object[error.start]:02x}"
        return Problem("CFG-011", WHOLE_FILE, value, "is not UTF-8 text", "UTF-8", "save the file as UTF-8", line)


def _composed(text: str, kind: FileKind) -> yaml.Node | Problem:
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}" if mark else WHOLE_FILE
        reason = ", ".join(part for part in (error.context, error.problem) if part) or "cannot be parsed"
        return _not_yaml(reason, at, mark.line + 1 if mark else None)
    except yaml.reader.ReaderError as error:
        return _not_yaml(f"holds a character that YAML does not allow ({error.reason})", WHOLE_FILE, None)
    except RecursionError:
        return _not_yaml("is nested too deeply", WHOLE_FILE, None)
    return root if root is not None else kind.empty


def _not_yaml(reason: str, at: str, line: int | None) -> Problem:
    return Problem(
        "CFG-012",
        at,
        "",
        f"is not YAML: {reason}",
        "one YAML document, indented with spaces",
        "correct the indentation, quotes and brackets there and on the line above",
        line,
    )


def _not_plain(reason: str, at: str, line: int) -> Problem:
    return Problem(
        "CFG-012", at, "", f"is not plain YAML: {reason}", "keys, values, lists and mappings, without tags", "write it plainly", line
    )


def no_mapping(at: str, value: object, line: int) -> Problem:
    """What is said of a value that should be a mapping."""
    return Problem("CFG-014", at, shown(value), "is not a mapping", "keys with values, as in `key: value`", "write keys with values", line)


def twice(at: str, first: int, second: int) -> Problem:
    """What is said of a key that comes on two lines."""
    return Problem(
        "CFG-015",
        at,
        "",
        f"comes twice, on line {first} and on line {second}, and one of the two would be lost without a word",
        "each key once",
        "rename one of them, or merge them into one",
        second,
    )


_INFINITE = r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
_SCALARS = (
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("tag:yaml.org,2002:int", r"[-+]?(0|[1-9][0-9]{0,99})|0x[0-9a-fA-F]{1,99}|0o[0-7]{1,99}", list("-+0123456789")),
    (
        "tag:yaml.org,2002:float",
        rf"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+|{_INFINITE}",
        list("-+.0123456789"),
    ),
    ("tag:yaml.org,2002:merge", r"<<", ["<"]),
)
"""Tag, form and first letters of what is not plain text. An integer of more than 100 digits is text: nothing here takes one."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the compiled parser, where PyYAML has it
    """Resolves plain scalars as YAML 1.2 does."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 — PyYAML's own form


for _tag, _form, _letters in _SCALARS:
    _Loader.add_implicit_resolver(_tag, re.compile(rf"(?:{_form})\Z"), _letters)


_CONVERSIONS: dict[str, Callable[[str], object]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:null": lambda _: None,
    "tag:yaml.org,2002:bool": lambda text: text.lower() == "true",
    "tag:yaml.org,2002:int": lambda text: int(text, 0),
    "tag:yaml.org,2002:float": lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan")),
}


@dataclass
class _Values:
    """Turns nodes into plain values and notes on the way where each path stands, what is encrypted and what is wrong."""

    told: Callable[[str], str]
    lines: dict[str, int] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def of(self, node: yaml.Node, path: str) -> Any:
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node, path)
            # The engine takes exactly this form for an encrypted value.
            if len(value) == 1 and isinstance(value.get("secure"), str):
                self.secrets.append(path)
            return value
        if isinstance(node, yaml.SequenceNode):
            return [self._at(inner, f"{path}[{index}]", inner.start_mark.line + 1) for index, inner in enumerate(node.value)]
        return self._scalar(node, path)

    def _at(self, node: yaml.Node, path: str, line: int) -> Any:
        self.lines.setdefault(path, line)
        return self.of(node, path)

    def _mapping(self, node: yaml.MappingNode, path: str) -> dict[str, Any]:
        content: dict[str, Any] = {}
        own: dict[str, int] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == "tag:yaml.org,2002:merge":
                merged += value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
            elif not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(_not_plain("a list or a mapping stands where a key should", f"line {line}", line))
            else:
                key = key_node.value
                below = f"{path}.{key}" if path else key
                if key in own:
                    self.problems.append(twice(self.told(below), own[key], line))
                    continue
                own[key] = line
                content[key] = self._at(value_node, below, line)
        for other in merged:
            inherited = self._mapping(other, path) if isinstance(other, yaml.MappingNode) else {}
            content = inherited | content
        return content

    def _scalar(self, node: yaml.Node, path: str) -> Any:
        text, line = str(node.value), node.start_mark.line + 1
        convert = _CONVERSIONS.get(node.tag)
        try:
            if convert is not None:
                return convert(text)
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self.problems.append(_not_plain(f"the tag {tag} is not known", self.told(path), line))
        except ValueError:
            self.problems.append(_not_plain(f"{shown(text)} is not of the type that its tag names", self.told(path), line))
        return text
