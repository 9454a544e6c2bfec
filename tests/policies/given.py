"""Resources to judge: one of each kind that every rule accepts, and ways to spoil it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from hybrid_pools.blueprint.vocabulary import (
    BUFFER_TAINT,
    COST_CENTER_LABEL,
    ENVIRONMENT_LABEL,
    POOL_ROLE_LABEL,
    ROLE_LABEL,
    SPOT_ROLE_TAINT,
    SPOT_TAINT,
    TEAM_LABEL,
    Role,
    Taint,
)

UNKNOWN = UNKNOWN_STRING_VALUE
"""How the engine writes a value that is not known yet; its type makes no difference to a reader."""

ABSENT = object()
"""Marks a key that is to be taken away."""

Path = tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """One resource as the engine would hand it to the pack. `sources` names resources that a property's value comes from."""

    type: str
    inputs: Mapping[str, Any]
    name: str = "given"
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def urn(self) -> str:
        return f"urn:pulumi:test::hybrid-node-pools::{self.type}::{self.name}"

    def but(self, changes: Mapping[Any, Any]) -> "Given":
        """The same resource with other values; keys are paths with dots, or tuples where a key has dots itself."""
        inputs = deepcopy(dict(self.inputs))
        for path, value in changes.items():
            *above, last = path if isinstance(path, tuple) else tuple(path.split("."))
            place = inputs
            for key in above:
                place = place.setdefault(key, {})
            if value is ABSENT:
                place.pop(last, None)
            else:
                place[last] = value
        return replace(self, inputs=inputs)


def taint(one: Taint) -> dict[str, str]:
    return {"key": one.key, "value": one.value, "effect": one.effect.google}


def labels(role: Role) -> dict[str, str]:
    return {TEAM_LABEL: "ml", COST_CENTER_LABEL: "cc-1", ENVIRONMENT_LABEL: "prod", POOL_ROLE_LABEL: role.value}


def _pool(role: Role, ignore_changes: tuple[str, ...] = (), protect: bool = False, **node: Any) -> Given:
    return Given(
        "gcp:container/nodePool:NodePool",
        {
            "cluster": "prod",
            "location": "us-central1",
            "nodeLocations": ["us-central1-a", "us-central1-b"],
            "autoscaling": {"locationPolicy": "ANY", "totalMinNodeCount": 0, "totalMaxNodeCount": 8},
            "deletionPolicy": "PREVENT" if role is Role.STABLE else "DELETE",
            "management": {"autoRepair": True, "autoUpgrade": True},
            "networkConfig": {"enablePrivateNodes": True},
            "nodeConfig": {
                "diskType": "pd-balanced",
                "gcfsConfig": {"enabled": True},
                "labels": {ROLE_LABEL: role.value},
                "metadata": {"disable-legacy-endpoints": "true"},
                "resourceLabels": labels(role),
                "serviceAccount": f"prod-{role}-nodes@acme.iam.gserviceaccount.com",
                "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
                "workloadMetadataConfig": {"mode": "GKE_METADATA"},
                **node,
            },
        },
        name=f"{role}-pool",
        protect=protect,
        ignore_changes=("initialNodeCount", "nodeCount", *ignore_changes),
    )


def _l4(count: int) -> list[dict[str, Any]]:
    return [{"type": "nvidia-l4", "count": count, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}]


SPOT_POOL = _pool(
    Role.SPOT,
    spot=True,
    machineType="g2-standard-48",
    guestAccelerators=_l4(4),
    ephemeralStorageLocalSsdConfig={"localSsdCount": 4},
    kubeletConfig={"shutdownGracePeriodSeconds": 120, "shutdownGracePeriodCriticalPodsSeconds": 15},
    taints=[taint(SPOT_TAINT)],
)
FLEX_POOL = _pool(Role.SPOT, flexStart=True, machineType="g2-standard-24", guestAccelerators=_l4(2), taints=[taint(SPOT_ROLE_TAINT)]).but(
    {"management.autoRepair": False}
)
STABLE_POOL = _pool(Role.STABLE, protect=True, machineType="e2-standard-8").but(
    {"autoscaling": {"locationPolicy": "BALANCED", "minNodeCount": 1, "maxNodeCount": 6}}
)
BUFFER_POOL = _pool(Role.BUFFER, ("autoscaling",), machineType="g2-standard-24", guestAccelerators=_l4(2), taints=[taint(BUFFER_TAINT)])

CLUSTER = Given(
    "gcp:container/cluster:Cluster",
    {
        "name": "prod",
        "location": "us-central1",
        "controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": False}},
        "datapathProvider": "ADVANCED_DATAPATH",
        "deletionProtection": True,
        "enableShieldedNodes": True,
        "maintenancePolicy": {
            "recurringWindow": {
                "startTime": "2026-01-03T02:00:00Z",
                "endTime": "2026-01-03T10:00:00Z",
                "recurrence": "FREQ=WEEKLY;BYDAY=SA",
            }
        },
        "privateClusterConfig": {"enablePrivateNodes": True},
        "releaseChannel": {"channel": "REGULAR"},
        "removeDefaultNodePool": True,
        "resourceLabels": {TEAM_LABEL: "ml", COST_CENTER_LABEL: "cc-1", ENVIRONMENT_LABEL: "prod"},
        "workloadIdentityConfig": {"workloadPool": "acme.svc.id.goog"},
    },
    name="cluster",
    protect=True,
)
PROJECT_GRANT = Given(
    "gcp:projects/iAMMember:IAMMember",
    {"project": "acme", "role": "roles/artifactregistry.reader", "member": "serviceAccount:prod-spot-nodes@acme.iam.gserviceaccount.com"},
    name="grant",
)
BUCKET_GRANT = Given(
    "gcp:storage/bucketIAMMember:BucketIAMMember",
    {"bucket": "checkpoints", "role": "roles/storage.objectUser", "member": "serviceAccount:train@acme.iam.gserviceaccount.com"},
    name="bucket-grant",
)
ACCOUNT = Given("gcp:serviceaccount/account:Account", {"accountId": "prod-spot-nodes", "email": UNKNOWN, "member": UNKNOWN}, name="account")
KEY = Given("gcp:serviceaccount/key:Key", {"serviceAccountId": "prod-spot-nodes"}, name="key")
FIREWALL = Given(
    "gcp:compute/firewall:Firewall",
    {"direction": "INGRESS", "allows": [{"protocol": "tcp", "ports": ["443"]}], "sourceRanges": ["10.0.0.0/8"]},
    name="firewall",
)
SUBNETWORK = Given(
    "gcp:compute/subnetwork:Subnetwork",
    {"ipCidrRange": "10.0.0.0/20", "privateIpGoogleAccess": True, "logConfig": {"flowSampling": 0.5}},
    name="subnetwork",
)

COMPLIANT = (SPOT_POOL, FLEX_POOL, STABLE_POOL, BUFFER_POOL, CLUSTER, PROJECT_GRANT, BUCKET_GRANT, ACCOUNT, FIREWALL, SUBNETWORK)
