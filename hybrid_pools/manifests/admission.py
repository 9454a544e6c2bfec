"""What keeps spot nodes for checkpoint-capable work inside the cluster: ValidatingAdmissionPolicies, their bindings, and the ConfigMap of
parameters that they read.

Rolling out goes by mode: `audit` only notes what breaks a rule, `warn` also tells who made it, `deny` refuses it.
"""

from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import ADMISSION_PARAMETERS, SYSTEM_NAMESPACE
from hybrid_pools.manifests.admission_protection import protection_policies
from hybrid_pools.manifests.admission_workloads import workload_policies
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.workload.parameters import parameters


def admission(admission: Admission) -> tuple[Manifest, ...]:
    """Parameters, policies and bindings, in order of creation: a binding without parameters would refuse everything.

    The namespace of the parameters must be there.
    """
    policies = [*protection_policies(admission), *workload_policies(admission.exempt_namespaces)]
    pairs = [policy.manifests(admission.mode) for policy in policies]
    return (_config_map(admission), *(policy for policy, _ in pairs), *(binding for _, binding in pairs))


def _config_map(admission: Admission) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": ADMISSION_PARAMETERS, "namespace": SYSTEM_NAMESPACE},
        "data": parameters(admission),
    }
