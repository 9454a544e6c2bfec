"""Which Pulumi command line the lab runs: an official one if it will do, otherwise one built from Pulumi's own Go module."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lab.build import Tool, build, required_version
from lab.paths import TOOLS, cache_folder
from lab.progress import Progress

MINIMUM_VERSION = (3, 255)
"""The oldest official version taken: from it on, policy packs load the way the pack here is written (pulumi/pulumi#24052)."""

_MODULE = "github.com/pulumi/pulumi/pkg/v3"


@dataclass(frozen=True)
class PulumiCli:
    """A Pulumi command line.

    Attributes:
        path: The executable.
        official: Whether it is an installation of its own, which brings its own Python language host.
    """

    path: Path
    official: bool


def parse_version(text: str) -> tuple[int, int] | None:
    """Major and minor of what `pulumi version` printed; None if that is no version."""
    found = re.match(r"v?(\d+)\.(\d+)\.\d+", text.strip())
    return (int(found[1]), int(found[2])) if found else None


def find_official(path: str) -> PulumiCli | None:
    """The first installed Pulumi in the folders of `path` that is new enough and has its Python language host beside it.

    A command line without the language host cannot run a Python program, so it is passed over; so is the lab's own `pulumi`.
    """
    for folder in path.split(os.pathsep):
        found = shutil.which("pulumi", path=folder)
        if found is not None and (Path(found).resolve().parent / "pulumi-language-python").exists():
            version = _version(found)
            if version is not None and version >= MINIMUM_VERSION:
                return PulumiCli(Path(found), official=True)
    return None


def _version(executable: str) -> tuple[int, int] | None:
    # Even `version` writes logs into its home, which must not become the user's.
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PULUMI_HOME": home, "PULUMI_SKIP_UPDATE_CHECK": "true"}
        asked = subprocess.run([executable, "version"], capture_output=True, text=True, check=False, env=environment)
    return parse_version(asked.stdout)


def pulumi_tool() -> Tool:
    """How the command line is built: flags as in Pulumi's own release, with the version that `go.mod` pins.

    Without the version stamp the command line calls itself version zero, and what checks versions refuses it.
    """
    tool = Tool("pulumi", TOOLS / "pulumi", f"{_MODULE}/cmd/pulumi", (), "about 6 minutes on two cores")
    stamp = f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={required_version(tool, _MODULE)}"
    return Tool(tool.name, tool.module, tool.package, ("-trimpath", "-tags", "osusergo,grpcnotrace", "-ldflags", stamp), tool.duration)


def obtain_pulumi(progress: Progress | None = None) -> PulumiCli:
    """The command line to run, built first if there is none.

    Raises:
        LabError: It must be built and cannot be.
    """
    official = find_official(os.environ.get("PATH", os.defpath))
    if official is not None:
        return official
    return PulumiCli(build(pulumi_tool(), cache_folder(), progress or Progress()), official=False)
