"""What a part of the control plane is: a process, what it needs before it, and how it is known to be ready."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.build import build
from lab.cluster.access import Access
from lab.cluster.certificates import Authority
from lab.cluster.files import ClusterFiles
from lab.cluster.programs import control_plane
from lab.paths import cache_folder
from lab.progress import Progress


@dataclass(frozen=True)
class Surroundings:
    """What a part is told.

    Attributes:
        files: Of the control plane that it belongs to.
        ports: Port of everything that listens, by name.
        emulated_version: Version of Kubernetes that the cluster behaves as, such as `1.34`; None for its own.
    """

    files: ClusterFiles
    ports: Mapping[str, int]
    emulated_version: str | None

    @property
    def access(self) -> Access:
        """The ways to the API server."""
        return Access(self.files, self.ports["kube-apiserver"])

    @property
    def webhook_authority(self) -> Authority:
        """What vouches for the webhooks of Kueue and JobSet."""
        return Authority(self.files.webhook_certificates)


@dataclass(frozen=True)
class Part:
    """A process of the control plane.

    Attributes:
        name: How people call it; names its log.
        command: Program and arguments. A part whose command has changed is started anew.
        ready: Whether it does its work; None: as soon as it runs.
        after: Names of the parts that must be ready before it is started.
        ports: Names of the ports on which it listens.
        prepare: Writes its files and what it needs in the cluster, before each start.
        environment: Variables beside the inherited ones.
    """

    name: str
    command: Callable[[Surroundings], Sequence[str]]
    ready: Callable[[Surroundings], bool] | None = None
    after: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    prepare: Callable[[Surroundings], None] | None = None
    environment: Callable[[Surroundings], Mapping[str, str]] | None = None


def binary(name: str) -> str:
    """Path of a program of the control plane, built first if the cache does not have it.

    Raises:
        LabError: It cannot be built.
    """
    return str(build(control_plane()[name], cache_folder(), Progress()))


def levels(parts: Sequence[Part]) -> dict[str, int]:
    """How many parts stand before each, one after the other: parts of a higher level end first."""
    found: dict[str, int] = {}
    for part in parts:  # a part stands behind those it needs
        found[part.name] = 1 + max((found[name] for name in part.after if name in found), default=0)
    return found


def folder(surroundings: Surroundings, part: str) -> Path:
    """The folder of a part's files, made if it is missing."""
    made = surroundings.files.configuration(part)
    made.mkdir(parents=True, exist_ok=True)
    return made
