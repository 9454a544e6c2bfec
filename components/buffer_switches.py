"""The jobs inside the cluster that give the buffer's quota to training and take it back.

Owns the jobs, their account and its rights. Leaves alone how many nodes there are: that is `BufferSchedule`.
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.manifests.buffer import buffer


@dataclass(frozen=True)
class BufferSwitchesArgs:
    """Attributes:
    kubernetes: The decided Kubernetes side.
    """

    kubernetes: Kubernetes


class BufferSwitches(pulumi.ComponentResource):
    """Opens and closes the buffer by calendar."""

    def __init__(self, name: str, args: BufferSwitchesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("BufferSwitches"), name, {}, opts)
        declare(name, buffer(args.kubernetes), self, opts)
        self.register_outputs({})
