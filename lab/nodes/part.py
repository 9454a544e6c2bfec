"""The maker of nodes as a part of the lab's control plane."""

import sys
from collections.abc import Sequence
from typing import Final

from lab.cluster.kubernetes import API_SERVER
from lab.cluster.parts import Part, Surroundings


def _command(surroundings: Surroundings) -> Sequence[str]:
    return (sys.executable, "-m", "lab.nodes", "--lab", str(surroundings.files.lab))


NODES: Final = Part("nodes", _command, after=(API_SERVER,))
"""Makes nodes of the node pools of the lab's stand-in, as long as it runs. Without it, nodes stay as they are."""
