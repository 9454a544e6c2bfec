"""The stack files of a project: which there are, and whether one can be read at all.

What a stack file must contain is the program's business; here only what would keep the engine from reading it is refused.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from lab.errors import LabError

# The engine's own settings on secrets: they belong to where a stack is kept, and the lab keeps it elsewhere than production does.
_SECRETS_SETTINGS = re.compile(r"^(?:encryptionsalt|encryptedkey|secretsprovider):.*\n?", re.MULTILINE)


def load_project(project: Path) -> dict[str, Any]:
    """The project's `Pulumi.yaml`.

    Raises:
        LabError: It is absent or no YAML mapping with a name.
    """
    file = project / "Pulumi.yaml"
    settings = _mapping(file, fix="Run this from a checkout of the project.")
    if "name" not in settings:
        raise LabError(f"{file} has no `name`. Give the project a name.")
    return settings


def stack_folder(project: Path) -> Path:
    """Where the project keeps its stack files."""
    return project / str(load_project(project).get("stackConfigDir", "."))


def known_stacks(project: Path) -> tuple[str, ...]:
    """Names of the stacks that have a file, sorted."""
    return tuple(sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in stack_folder(project).glob("Pulumi.*.yaml")))


def stack_text(project: Path, stack: str) -> str:
    """The text of a stack file without the engine's settings on secrets.

    Text, not parsed content: the engine's YAML differs from Python's in details such as `8:00`, and must see what its author wrote.

    Raises:
        LabError: The file is absent, empty, or no YAML mapping with `config`; the message names the file and the known stacks.
    """
    file = stack_folder(project) / f"Pulumi.{stack}.yaml"
    known = ", ".join(known_stacks(project)) or "none yet"
    settings = _mapping(file, fix=f"Known stacks: {known}. Name one of them, or copy one of their files to start a new environment.")
    if not isinstance(settings.get("config"), dict):
        raise LabError(
            f"{file} has no `config` section, so it describes no environment. Known stacks: {known}. Copy one of their files to start from."
        )
    return _SECRETS_SETTINGS.sub("", file.read_text(encoding="utf-8"))


def _mapping(file: Path, fix: str) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LabError(f"{file} does not exist. {fix}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{file} cannot be read: {error}. {fix}") from None
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise LabError(f"{file} is not YAML: {' '.join(str(error).split())}. {fix}") from None
    if content is None:
        raise LabError(f"{file} is empty. {fix}")
    if not isinstance(content, dict):
        raise LabError(f"{file} holds a {type(content).__name__}, not a mapping of keys to values. {fix}")
    return content
