"""What roles allow, as far as it matters here."""

from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import Field

from hybrid_pools.blueprint.catalogue.facts import Fact, Frozen


class Right(StrEnum):
    """Something a holder can do. The words stand in the documents."""

    READ_OBJECTS = "read objects"
    LIST_OBJECTS = "list objects"
    CREATE_OBJECTS = "create objects"
    DELETE_OBJECTS = "delete and overwrite objects"
    READ_LOGS = "read logs"
    READ_METRICS = "read metrics"
    MUTE_ALERTS = "mute alerts"
    CONNECT = "reach the control plane"
    SEE_WORKLOADS = "see workloads"
    START_PODS = "start pods in any namespace"
    EXEC = "run commands in pods"
    READ_SECRETS = "read secrets"
    CHANGE_CLUSTER = "change cluster and pools"
    CHANGE_NETWORK = "change the network"
    CHANGE_BUCKETS = "change bucket settings"
    CHANGE_MONITORING = "change alerts and dashboards"
    CHANGE_LOGGING = "change where logs go"
    CHANGE_SCHEDULE = "change schedules"
    CHANGE_IAM = "grant rights, and with them all others"
    RUN_AS = "start machines and jobs that run as"
    IMPERSONATE = "act as"
    MAKE_KEYS = "make keys of accounts"


PERMISSIONS: Final[dict[Right, frozenset[str]]] = {
    Right.READ_OBJECTS: frozenset({"storage.objects.get"}),
    Right.LIST_OBJECTS: frozenset({"storage.objects.list"}),
    Right.CREATE_OBJECTS: frozenset({"storage.objects.create"}),
    Right.DELETE_OBJECTS: frozenset({"storage.objects.delete"}),
    Right.READ_LOGS: frozenset({"logging.views.access", "logging.logEntries.list", "container.pods.getLogs"}),
    Right.READ_METRICS: frozenset({"monitoring.timeSeries.list"}),
    Right.MUTE_ALERTS: frozenset({"monitoring.snoozes.create"}),
    Right.CONNECT: frozenset({"container.clusters.connect"}),
    Right.SEE_WORKLOADS: frozenset({"container.pods.list"}),
    Right.START_PODS: frozenset({"container.pods.create"}),
    Right.EXEC: frozenset({"container.pods.exec"}),
    Right.READ_SECRETS: frozenset({"container.secrets.get"}),
    Right.CHANGE_CLUSTER: frozenset({"container.clusters.update"}),
    Right.CHANGE_NETWORK: frozenset({"compute.networks.updatePolicy", "compute.firewalls.update"}),
    Right.CHANGE_BUCKETS: frozenset({"storage.buckets.update"}),
    Right.CHANGE_MONITORING: frozenset({"monitoring.alertPolicies.update"}),
    Right.CHANGE_LOGGING: frozenset({"logging.sinks.update"}),
    Right.CHANGE_SCHEDULE: frozenset({"cloudscheduler.jobs.update"}),
    Right.CHANGE_IAM: frozenset({"resourcemanager.projects.setIamPolicy", "iam.serviceAccounts.setIamPolicy"}),
    Right.RUN_AS: frozenset({"iam.serviceAccounts.actAs"}),
    Right.IMPERSONATE: frozenset({"iam.serviceAccounts.getAccessToken"}),
    Right.MAKE_KEYS: frozenset({"iam.serviceAccountKeys.create"}),
}
"""Permissions of which any one gives the right."""


class UnknownRole(LookupError):  # noqa: N818 — the name says what is unknown
    """A role of which nothing is known, so that it must not count as harmless. Its permissions belong into `roles.json`."""


class RoleEntry(Fact):
    """A predefined role: those of its permissions that give or refuse a right here, not all of them."""

    name: str
    permissions: tuple[str, ...]
    lacks: tuple[str, ...] = Field((), description="Permissions that people expect in it and that it has not.")


class RolesFile(Frozen):
    """`roles.json`."""

    roles: tuple[RoleEntry, ...]


@cache
def known_roles() -> dict[str, RoleEntry]:
    """The roles of the data file by name; read once a process."""
    text = (files(__package__) / "roles.json").read_bytes()
    return {role.name: role for role in RolesFile.model_validate_json(text).roles}


def rights_of(permissions: frozenset[str]) -> frozenset[Right]:
    """The rights that permissions give."""
    return frozenset(right for right, needed in PERMISSIONS.items() if needed & permissions)
