"""Becomes a program that the lab builds: `python -m lab.cluster.program NAME [ARGUMENT...]`."""

import os
import sys

from lab.build import build
from lab.cluster.programs import kubectl, kubernetes_provider
from lab.errors import LabError
from lab.parent import end_program_with_parent
from lab.paths import cache_folder
from lab.progress import Progress

_PROVIDER = "pulumi-resource-kubernetes"


def main(name: str, *arguments: str) -> None:
    """Builds the program if it must be, and goes on as it. A provider ends with the engine that started it.

    Raises:
        LabError: The program cannot be built.
    """
    binary = build(kubernetes_provider() if name == _PROVIDER else kubectl(), cache_folder(), Progress())
    if name == _PROVIDER:
        end_program_with_parent()
    os.execv(binary, [str(binary), *arguments])  # noqa: S606


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LabError as error:
        sys.exit(f"error: {error}")
