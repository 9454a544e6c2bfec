"""The cluster: a new regional one, or an existing one by name."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import Cidr, Form, GkeVersionText, KeyName, Model, ResourceName

UtcTime = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"),
    Form("A time in UTC with Z, for example 2026-01-03T02:00:00Z, because any other form never settles in a preview"),
]


_EVERY, _DAY = "(;INTERVAL=[1-9][0-9]?)?", "(MO|TU|WE|TH|FR|SA|SU)"


class ReleaseChannel(StrEnum):
    """How fast GKE brings new versions."""

    RAPID = "RAPID"
    REGULAR = "REGULAR"
    STABLE = "STABLE"
    EXTENDED = "EXTENDED"


class ExclusionScope(StrEnum):
    """What a maintenance exclusion holds back."""

    NO_UPGRADES = "NO_UPGRADES"
    NO_MINOR_UPGRADES = "NO_MINOR_UPGRADES"
    NO_MINOR_OR_NODE_UPGRADES = "NO_MINOR_OR_NODE_UPGRADES"


class MaintenanceWindow(Model):
    """When GKE may upgrade by itself."""

    start: UtcTime
    """First window's start."""

    end: UtcTime
    """First window's end. GKE needs at least 48 h of windows in 32 days."""

    recurrence: Annotated[str, Field(pattern=rf"^FREQ=(DAILY{_EVERY}|WEEKLY{_EVERY}(;BYDAY={_DAY}(,{_DAY})*)?)$")]
    """RFC 5545 rule of FREQ, INTERVAL and, by the week, BYDAY; for example FREQ=DAILY or FREQ=WEEKLY;BYDAY=SA,SU."""


class MaintenanceExclusion(Model):
    """A time in which GKE does not upgrade by itself."""

    start: UtcTime
    end: UtcTime
    scope: ExclusionScope


class NewCluster(Model):
    """A regional cluster with private nodes, made by this stack."""

    release_channel: ReleaseChannel = ReleaseChannel.REGULAR
    minimum_version: GkeVersionText
    """Lowest GKE version of the control plane. Features that need a newer one are refused at preview."""

    maintenance_window: MaintenanceWindow
    maintenance_exclusions: dict[ResourceName, MaintenanceExclusion] = Field(default_factory=dict)
    """By name. At most 90 days each for NO_UPGRADES."""

    control_plane_networks: dict[ResourceName, Cidr] = Field(default_factory=dict)
    """Ranges that may reach the IP endpoint. None: the IP endpoint is off and only the DNS endpoint, guarded by IAM, answers."""

    security_group: Annotated[str, Field(pattern=r"^gke-security-groups@[a-z0-9.-]+\.[a-z]{2,}$")] | None = None
    """Google group that nests the groups used in role bindings, for example gke-security-groups@acme.example."""

    secrets_key: KeyName | None = None
    """Cloud KMS key that encrypts Kubernetes secrets in etcd."""

    optimize_utilization: bool = True
    """Remove idle nodes sooner (autoscaling profile OPTIMIZE_UTILIZATION): an idle GPU is the dearest thing here."""


class ExistingClusterReference(Model):
    """A cluster that somebody else owns."""

    name: ResourceName
    """Name of the cluster in the environment's project and region."""

    minimum_version: GkeVersionText
    """GKE version it has at least; checked against the running one at preview."""


class ExistingCluster(Model):
    """An existing cluster is read by name and extended with pools; nothing of it is changed."""

    existing: ExistingClusterReference


ClusterConfiguration = NewCluster | ExistingCluster
