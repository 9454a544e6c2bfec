"""The executables that the engine starts as plugins, and the `pulumi` of the lab for people.

They are generated because they name this environment's Python.
"""

import shlex
import sys
from pathlib import Path
from typing import Any

from lab.pulumi_cli import PulumiCli


def plugin_settings(directory: Path, pulumi: PulumiCli) -> dict[str, Any]:
    """The `plugins` section of a lab's `Pulumi.yaml`. Plugins named there win over PATH and are used without a warning.

    An official Pulumi has a language host of its own, so the lab's is left out.
    """
    settings: dict[str, Any] = {"providers": [{"name": "gcp", "path": str(directory)}]}
    return settings if pulumi.official else settings | {"languages": [{"name": "python", "path": str(directory)}]}


def prepare_launchers(plugins: Path, commands: Path) -> None:
    """Writes the plugins' launchers into one folder, and a `pulumi` that works in the lab into another, which may go on PATH."""
    _write(plugins / "pulumi-resource-gcp", "lab.parent lab.google")
    _write(plugins / "pulumi-language-python", "lab.parent lab.language_host")
    _write(commands / "pulumi", "lab pulumi")


def _write(file: Path, module: str) -> None:
    text = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -u -m {module} "$@"\n'
    if file.exists() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(text)
    part.chmod(0o755)
    part.replace(file)
