"""A stack file from disk: parsed as the engine parses it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from hybrid_pools.blueprint.configuration.explaining import shown
from hybrid_pools.blueprint.configuration.plain_yaml import (
    WHOLE_FILE,
    FileKind,
    PlainFile,
    line_of,
    no_mapping,
    read_plain,
    twice,
)
from hybrid_pools.blueprint.configuration.stack import SECTIONS, StackConfiguration
from hybrid_pools.blueprint.derivation import check
from hybrid_pools.blueprint.problems import ConfigurationError, Problem
from hybrid_pools.blueprint.vocabulary import PROJECT

TOP_LEVEL_KEYS = ("config", "secretsprovider", "encryptedkey", "encryptionsalt", "environment")
"""What Pulumi knows in a stack file. Source: ProjectStack in pulumi/sdk/go/common/workspace/project.go."""


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
        problems += [replace(problem, line=line_of(problem.path, stack.lines)) for problem in error.problems]
    if problems:
        raise ConfigurationError(str(path), problems)
    return configuration


def _parsed(path: Path) -> tuple[StackFile | None, list[Problem]]:
    plain = read_plain(path, _KIND)
    if not isinstance(plain, PlainFile):
        return None, list(plain)
    problems = [*plain.problems, *_unknown_keys(plain.content, plain.lines)]
    config = plain.content.get("config")
    if config is None or config == {}:
        message = "has no config: section, so it describes no environment" if config is None else "configures nothing"
        return None, [*problems, _says_nothing(message)]
    if not isinstance(config, dict):
        return None, [*problems, no_mapping("config", config, plain.lines["config"])]
    return _stack_file(config, plain, problems), problems


def _says_nothing(message: str) -> Problem:
    return Problem(
        "CFG-013",
        WHOLE_FILE,
        "",
        message,
        f"a config: section with {', '.join(f'{PROJECT}:{name}' for name, info in SECTIONS.items() if info.is_required())}",
        "copy a file of stacks/ to start from",
    )


def _unknown_keys(content: Mapping[str, object], lines: Mapping[str, int]) -> Iterator[Problem]:
    for key, value in content.items():
        if key not in TOP_LEVEL_KEYS:
            ours = key.removeprefix(f"{PROJECT}:") in SECTIONS
            close = get_close_matches(key, TOP_LEVEL_KEYS, n=1)
            fix = "indent it under config:" if ours else f"did you mean {close[0]}? Rename it" if close else "remove it"
            message = "stands outside config: and would be ignored" if ours else "is not a key that Pulumi knows and would be ignored"
            yield Problem("CFG-016", key, shown(value), message, ", ".join(TOP_LEVEL_KEYS), fix, lines[key])


def _stack_file(config: Mapping[str, object], plain: PlainFile, problems: list[Problem]) -> StackFile | None:
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
            problems.append(_misspelt_namespace(key, name, value, plain.lines[f"config.{key}"]))
        if name in sections:
            problems.append(twice(f"{PROJECT}:{name}", plain.lines[f"config.{names[name]}"], plain.lines[f"config.{key}"]))
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

    lines = {f"{PROJECT}:{below}": line for path, line in plain.lines.items() if (below := below_sections(path))}
    secrets = frozenset(below for path in plain.secrets if (below := below_sections(path)))
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


def _as_told(path: str) -> str:
    """A path of the file as problems spell it: without `config.` in front."""
    return path.removeprefix("config.")


_KIND = FileKind(
    "stack file",
    "stacks/Pulumi.dev.yaml",
    "name a stack whose file is in stacks/, or copy one of those files to start a new environment",
    _says_nothing("is empty"),
    _as_told,
)
