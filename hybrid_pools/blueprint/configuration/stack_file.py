"""A stack file from disk: parsed as the engine parses it, and refused where a parser would quietly make something else of it.

The engine's YAML is closer to version 1.2 than PyYAML's: `8:00`, `yes` and an unquoted time are text in both places here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.configuration.explaining import shown
from hybrid_pools.blueprint.configuration.stack import SECTIONS, StackConfiguration
from hybrid_pools.blueprint.derivation import check
from hybrid_pools.blueprint.problems import ConfigurationError, Problem
from hybrid_pools.blueprint.vocabulary import PROJECT

TOP_LEVEL_KEYS = ("config", "secretsprovider", "encryptedkey", "encryptionsalt", "environment")
"""What Pulumi knows in a stack file. Source: ProjectStack in pulumi/sdk/go/common/workspace/project.go."""

_WHOLE_FILE = "(the whole file)"


@dataclass(frozen=True)
class StackFile:
    """What a stack file says.

    Attributes:
        sections: By configuration key of this project, without its namespace.
        secrets: Paths of encrypted values in them, for example `environment.team`.
        other: Configuration keys of other namespaces, such as `gcp:project`; not ours to judge.
        lines: Line of each path, from 1, as problems spell paths.
    """

    sections: dict[str, object]
    secrets: frozenset[str]
    other: tuple[str, ...]
    lines: Mapping[str, int]


def read_stack_file(path: Path) -> StackFile:
    """Parse a stack file without judging what its sections say.

    Raises:
        ConfigurationError: It cannot be read, is not YAML, is empty, holds a key twice or one that Pulumi does not know.
    """
    stack, problems = _parsed(path)
    if stack is None or problems:
        raise ConfigurationError(str(path), problems)
    return stack


def check_stack_file(path: Path) -> StackConfiguration:
    """Parse and judge a stack file, as a run of the program would judge it.

    Raises:
        ConfigurationError: With every problem at once, those of the file first.
    """
    stack, problems = _parsed(path)
    if stack is None:
        raise ConfigurationError(str(path), problems)
    try:
        configuration = check(str(path), stack.sections, stack.secrets)
    except ConfigurationError as error:
        problems += [replace(problem, line=_line(problem.path, stack.lines)) for problem in error.problems]
    if problems:
        raise ConfigurationError(str(path), problems)
    return configuration


def _line(path: str, lines: Mapping[str, int]) -> int | None:
    """The line of a path, or of the nearest thing above it that the file has."""
    above = [known for known in lines if path == known or path.startswith((f"{known}.", f"{known}[", f"{known} "))]
    return lines[max(above, key=len)] if above else None


def _parsed(path: Path) -> tuple[StackFile | None, list[Problem]]:
    text = _text(path)
    if isinstance(text, Problem):
        return None, [text]
    root = _composed(text)
    if isinstance(root, Problem):
        return None, [root]
    values = _Values()
    try:
        content = values.of(root, "")
    except RecursionError:
        return None, [_not_yaml("is nested too deeply or contains itself", _WHOLE_FILE, None)]
    if not isinstance(content, dict):
        return None, [*values.problems, _no_mapping(_WHOLE_FILE, content, root.start_mark.line + 1)]
    problems = [*values.problems, *_unknown_keys(content, values.lines)]
    config = content.get("config")
    if config is None or config == {}:
        message = "has no config: section, so it describes no environment" if config is None else "configures nothing"
        return None, [*problems, _says_nothing(message)]
    if not isinstance(config, dict):
        return None, [*problems, _no_mapping("config", config, values.lines["config"])]
    return _stack_file(config, values, problems), problems


def _text(path: Path) -> str | Problem:
    fix = "name a stack whose file is in stacks/, or copy one of those files to start a new environment"
    try:
        # The engine skips a byte order mark as well.
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return Problem("CFG-010", _WHOLE_FILE, "", "does not exist", "an existing stack file", fix)
    except IsADirectoryError:
        return Problem("CFG-010", _WHOLE_FILE, "", "is a folder", "a stack file, for example stacks/Pulumi.dev.yaml", fix)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Problem("CFG-010", _WHOLE_FILE, "", f"cannot be read: {reason}", "a file that you may read", "correct its permissions")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        value = f"byte 0x{error.object[error.start]:02x}"
        return Problem("CFG-011", _WHOLE_FILE, value, "is not UTF-8 text", "UTF-8", "save the file as UTF-8", line)


def _composed(text: str) -> yaml.Node | Problem:
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}" if mark else _WHOLE_FILE
        reason = ", ".join(part for part in (error.context, error.problem) if part) or "cannot be parsed"
        return _not_yaml(reason, at, mark.line + 1 if mark else None)
    except yaml.reader.ReaderError as error:
        return _not_yaml(f"holds a character that YAML does not allow ({error.reason})", _WHOLE_FILE, None)
    except RecursionError:
        return _not_yaml("is nested too deeply", _WHOLE_FILE, None)
    return root if root is not None else _says_nothing("is empty")


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


def _says_nothing(message: str) -> Problem:
    return Problem(
        "CFG-013",
        _WHOLE_FILE,
        "",
        message,
        f"a config: section with {', '.join(f'{PROJECT}:{name}' for name, info in SECTIONS.items() if info.is_required())}",
        "copy a file of stacks/ to start from",
    )


def _no_mapping(at: str, value: object, line: int) -> Problem:
    return Problem("CFG-014", at, shown(value), "is not a mapping", "keys with values, as in `key: value`", "write keys with values", line)


def _unknown_keys(content: Mapping[str, object], lines: Mapping[str, int]) -> Iterator[Problem]:
    for key, value in content.items():
        if key not in TOP_LEVEL_KEYS:
            ours = key.removeprefix(f"{PROJECT}:") in SECTIONS
            close = get_close_matches(key, TOP_LEVEL_KEYS, n=1)
            fix = "indent it under config:" if ours else f"did you mean {close[0]}? Rename it" if close else "remove it"
            message = "stands outside config: and would be ignored" if ours else "is not a key that Pulumi knows and would be ignored"
            yield Problem("CFG-016", key, shown(value), message, ", ".join(TOP_LEVEL_KEYS), fix, lines[key])


def _stack_file(config: Mapping[str, object], values: "_Values", problems: list[Problem]) -> StackFile | None:
    sections: dict[str, object] = {}
    names: dict[str, str] = {}
    other = []
    for key, value in config.items():
        namespace, separator, name = key.rpartition(":")
        # Pulumi takes keys without a namespace for the project's own.
        if separator and namespace != PROJECT:
            if not get_close_matches(namespace, [PROJECT], cutoff=0.8):
                other.append(key)
                continue
            problems.append(_misspelt_namespace(key, name, value, values.lines[f"config.{key}"]))
        if name in sections:
            problems.append(_twice(f"{PROJECT}:{name}", values.lines[f"config.{names[name]}"], values.lines[f"config.{key}"]))
            continue
        sections[name], names[name] = value, key
    if not sections:
        problems.append(_says_nothing(f"configures nothing of {PROJECT}"))
        return None

    def below_sections(path: str) -> str | None:
        for name, key in names.items():
            start = f"config.{key}"
            if path == start or path.startswith((f"{start}.", f"{start}[")):
                return name + path[len(start) :]
        return None

    lines = {f"{PROJECT}:{below}": line for path, line in values.lines.items() if (below := below_sections(path))}
    secrets = frozenset(below for path in values.secrets if (below := below_sections(path)))
    return StackFile(sections, secrets, tuple(other), lines)


def _misspelt_namespace(key: str, name: str, value: object, line: int) -> Problem:
    return Problem(
        "CFG-002",
        key,
        shown(value),
        f"is not of this project, whose keys begin with {PROJECT}:, and would be ignored",
        ", ".join(f"{PROJECT}:{section}" for section in SECTIONS),
        f"did you mean {PROJECT}:{name}? Rename it",
        line,
    )


def _twice(at: str, first: int, second: int) -> Problem:
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
                    self.problems.append(_twice(_as_told(below), own[key], line))
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
            self.problems.append(_not_plain(f"the tag {tag} is not known", _as_told(path), line))
        except ValueError:
            self.problems.append(_not_plain(f"{shown(text)} is not of the type that its tag names", _as_told(path), line))
        return text


def _as_told(path: str) -> str:
    """A path of the file as problems spell it: without `config.` in front."""
    return path.removeprefix("config.")
