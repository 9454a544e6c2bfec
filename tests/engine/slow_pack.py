"""A policy pack that allows everything and takes its time for it, so that what the engine begins next is begun late."""

from pathlib import Path

import yaml

from lab.paths import CHECKOUT

_PROGRAM = """
import time

from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy


def take_time(args, report):
    if args.resource_type == {type!r}:
        time.sleep({seconds})


PolicyPack("slow", [ResourceValidationPolicy("slow", "Takes its time.", take_time, EnforcementLevel.ADVISORY)])
"""


def slow_pack(folder: Path, type_: str, seconds: float) -> Path:
    """Write a pack that looks at each resource of a type for some seconds; the folder."""
    folder.mkdir()
    options = {"toolchain": "pip", "virtualenv": str(CHECKOUT / ".venv")}
    (folder / "PulumiPolicy.yaml").write_text(yaml.safe_dump({"runtime": {"name": "python", "options": options}}))
    (folder / "__main__.py").write_text(_PROGRAM.format(type=type_, seconds=seconds))
    return folder
