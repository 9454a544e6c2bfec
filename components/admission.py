"""Admission: what the API server refuses.

Owns the policies, their bindings and the parameters that they read. Leaves alone policies of others and those of GKE.
"""

from dataclasses import dataclass

import pulumi

from components.kubernetes_object import declare
from components.token import token
from hybrid_pools.blueprint.model.queues import Admission as AdmissionModel
from hybrid_pools.manifests.admission import admission

_ORDER = ("ConfigMap", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


@dataclass(frozen=True)
class AdmissionArgs:
    """Attributes:
    admission: What the policies decide by.
    """

    admission: AdmissionModel


class Admission(pulumi.ComponentResource):
    """The policies. Parameters come before them and bindings after: bound to parameters that are not there, one refuses everything."""

    def __init__(self, name: str, args: AdmissionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Admission"), name, {}, opts)
        declare(name, sorted(admission(args.admission), key=lambda one: _ORDER.index(one["kind"])), self, opts)
        self.register_outputs({"mode": args.admission.mode.value})
