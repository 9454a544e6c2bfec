"""Cloud Storage as a part of the lab's control plane."""

from collections.abc import Sequence
from typing import Final

from lab.cluster.parts import Part, Surroundings, folder
from lab.cluster.probe import answers
from lab.storage.buckets import make_buckets, objects_folder
from lab.storage.emulator import program

PORT: Final = "storage"
"""Name of its port."""


def _prepare(surroundings: Surroundings) -> None:
    objects_folder(surroundings.files.lab).mkdir(exist_ok=True)
    make_buckets(surroundings.files.lab)


def _command(surroundings: Surroundings) -> Sequence[str]:
    where = ["-backend", "filesystem", "-filesystem-root", str(objects_folder(surroundings.files.lab))]
    return [*program(folder(surroundings, PORT), surroundings.ports[PORT]), *where]


STORAGE: Final = Part(
    "storage",
    _command,
    ready=lambda surroundings: answers(surroundings.ports[PORT], "/_internal/healthcheck"),
    ports=(PORT,),
    prepare=_prepare,
)
"""Holds the objects of the stand-in's buckets, also while it does not run. Who may do what is not looked at."""
