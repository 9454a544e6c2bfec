"""Where the lab keeps its things.

Everything lives in one lab directory, `.lab/` of the checkout unless a test gives another. The only exception is the binaries built
from the tool modules: they take minutes to build, so all clones of one user share them in the user's cache folder.
"""

import os
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
"""The project: the directory of `Pulumi.yaml`, `stacks/` and this package."""

TOOLS = CHECKOUT / "lab" / "tools"
"""Tool modules: one folder with `go.mod` and `go.sum` for each program that the lab builds."""

STORE_VARIABLE = "HYBRID_POOLS_LAB_STORE"
"""Environment variable that tells the stand-in for Google's API which SQLite file is its store."""


@dataclass(frozen=True)
class Lab:
    """One lab: the files of its engine and of its stand-in.

    Attributes:
        directory: Absolute path under which all of them live. Removing it removes the lab and nothing else.
    """

    directory: Path

    @property
    def state(self) -> Path:
        """The engine's backend: stacks, their history and their locks."""
        return self.directory / "state"

    @property
    def home(self) -> Path:
        """What would be `~/.pulumi`, so that the user's own is never touched."""
        return self.directory / "home"

    @property
    def bin(self) -> Path:
        """`pulumi` and `kubectl` that work in this lab, for people to put on their PATH."""
        return self.directory / "bin"

    @property
    def plugins(self) -> Path:
        """Launchers of the plugins that the engine starts."""
        return self.directory / "plugins"

    @property
    def workspace(self) -> Path:
        """The project as the engine sees it: its own `Pulumi.yaml` and copies of the stack files."""
        return self.directory / "workspace"

    @property
    def store(self) -> Path:
        """The resources of the stand-in."""
        return self.directory / "google.sqlite"

    @property
    def nodes(self) -> Path:
        """Settings of the nodes."""
        return self.directory / "nodes.json"


def default_lab() -> Lab:
    """The lab of this checkout."""
    return Lab(CHECKOUT / ".lab")


def cache_folder() -> Path:
    """The user's cache folder for built binaries, after the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hybrid-pools"
