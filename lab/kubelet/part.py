"""The kubelet as a part of the lab's control plane."""

import sys
from collections.abc import Sequence
from typing import Final

from lab.cluster.kubernetes import API_SERVER
from lab.cluster.parts import Part, Surroundings
from lab.kubelet.shim import held


def _command(surroundings: Surroundings) -> Sequence[str]:
    return (sys.executable, "-m", "lab.kubelet", "--lab", str(surroundings.files.lab))


KUBELET: Final = Part(
    "kubelet",
    _command,
    ready=lambda surroundings: held(surroundings.files.lab / "kubelet" / "lock"),
    after=(API_SERVER,),
)
"""Serves the process nodes. When it is ended, the processes of their pods end with it."""
