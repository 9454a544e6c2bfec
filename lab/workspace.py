"""The project as the engine sees it: a folder of the lab with its own `Pulumi.yaml` and copies of the stack files.

The engine writes into the stack file it works with: the salt of its secrets, and the provider that keeps them. In the checkout that would
change files under review and put the lab's secrets settings beside production's, so the engine gets copies. Not `--config-file`, which
some commands lack, `stack init` among them.

The copy of `Pulumi.yaml` also names the lab's plugins, so that only a lab uses the stand-in and the checkout itself stays as it is for a
real deployment. Program, pack and virtual environment stay where they are.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from lab.paths import Lab
from lab.plugins import plugin_settings
from lab.pulumi_cli import PulumiCli
from lab.stacks import load_project, stack_text

_STACKS = "stacks"
_SALT = re.compile(r"^encryptionsalt:.*\n?", re.MULTILINE)


def prepare_workspace(project: Path, lab: Lab, pulumi: PulumiCli) -> None:
    """Writes the project file and links the pack, so that `--policy-pack policies` means the same as in the checkout.

    Raises:
        LabError: The project's `Pulumi.yaml` cannot be read.
    """
    settings = load_project(project)
    (lab.workspace / _STACKS).mkdir(parents=True, exist_ok=True)
    _write(lab.workspace / "Pulumi.yaml", yaml.safe_dump(_settings(settings, project, lab, pulumi), sort_keys=False))
    pack, link = project / "policies", lab.workspace / "policies"
    if pack.exists() and not link.exists():
        link.symlink_to(pack)


def copy_stack_file(project: Path, lab: Lab, stack: str) -> None:
    """Brings the copy of a stack file up to date and keeps the salt that the engine wrote into it.

    Raises:
        LabError: The stack file cannot be read.
    """
    copy = lab.workspace / _STACKS / f"Pulumi.{stack}.yaml"
    salt = _SALT.search(copy.read_text()) if copy.exists() else None
    text = stack_text(project, stack)
    _write(copy, f"{text.rstrip()}\n{salt[0]}" if salt else text)


def _settings(settings: dict[str, Any], project: Path, lab: Lab, pulumi: PulumiCli) -> dict[str, Any]:
    runtime = settings.get("runtime", "python")
    return settings | {
        "main": str((project / settings.get("main", ".")).resolve()),
        "stackConfigDir": _STACKS,
        "runtime": {
            "name": runtime if isinstance(runtime, str) else runtime["name"],
            "options": {"toolchain": "pip", "virtualenv": sys.prefix},
        },
        "plugins": plugin_settings(lab.plugins, pulumi),
    }


def _write(file: Path, text: str) -> None:
    """Replaces the file at once, and only if it changes: another engine may be reading it."""
    if file.exists() and file.read_text() == text:
        return
    descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
    Path(part).replace(file)
