"""Who may use the buffer when: jobs by calendar that give its quota to training, and take it back and drain what runs on it.

Cloud Scheduler says how many nodes there are; these say who may use them. No code of ours runs in the cloud but a short script on kubectl.
"""

import json
from pathlib import Path

from hybrid_pools.blueprint.model.queues import BufferQuota, BufferSwitch, Kubernetes
from hybrid_pools.blueprint.model.schedule import LONGEST_SWITCH_MINUTES
from hybrid_pools.blueprint.vocabulary import DRAINED_ANNOTATION, ROLE_LABEL, SYSTEM_NAMESPACE, Role, WorkloadClass
from hybrid_pools.manifests.kueue_configuration import KUEUE_GROUP
from hybrid_pools.manifests.manifest import Manifest, manifest
from hybrid_pools.manifests.queues import buffer_groups

_ACCOUNT = "buffer-switch"
_DRAIN_ROLE = "hybrid-pools-buffer-drain"
_QUOTA_ROLE = "hybrid-pools-buffer-quota"
_RBAC = "rbac.authorization.k8s.io"
_RETRIES = 6
_MARGIN_SECONDS = 300
"""For what is not draining: finding a node, pulling the image, asking the API server."""

_SCRIPT = Path(__file__).with_name("buffer-switch.sh")


def buffer(kubernetes: Kubernetes) -> tuple[Manifest, ...]:
    """The jobs, the account that they run as and its rights. Nothing where no schedule gives the buffer to training."""
    quota = kubernetes.queues.buffer
    if quota is None:
        return ()
    namespaces = team_namespaces_of(kubernetes)
    return (
        manifest("v1", "ServiceAccount", _ACCOUNT, namespace=SYSTEM_NAMESPACE),
        *_rights(quota, namespaces),
        *(_cron_job(switch, quota, kubernetes) for switch in quota.switches),
    )


def team_namespaces_of(kubernetes: Kubernetes) -> list[str]:
    """Namespaces that have queues."""
    return list(dict.fromkeys(queue.namespace for queue in kubernetes.queues.queues))


def switch_variables(kubernetes: Kubernetes, quota: BufferQuota, *, opens: bool) -> dict[str, str]:
    """What the script reads from its environment."""
    return {
        "OPENS": "true" if opens else "false",
        "COHORT": quota.cohort,
        "QUOTA": json.dumps(buffer_groups(quota, opened=opens), separators=(",", ":")),
        "NAMESPACES": " ".join(team_namespaces_of(kubernetes)),
        "FLAVORS": " ".join(f'"{one.flavor}"' for one in quota.quotas),
        "MARK": DRAINED_ANNOTATION,
        "TIMEOUT": str(quota.drain_seconds),
    }


def switch_script() -> str:
    """The script, for a POSIX shell with kubectl beside it."""
    return _SCRIPT.read_text(encoding="utf-8")


def _rights(quota: BufferQuota, namespaces: list[str]) -> tuple[Manifest, ...]:
    """The quota of one cohort, and workloads of the teams: no jobs, no pods, no other quota."""
    change_quota = {"apiGroups": [KUEUE_GROUP], "resources": ["cohorts"], "resourceNames": [quota.cohort], "verbs": ["get", "patch"]}
    drain = {"apiGroups": [KUEUE_GROUP], "resources": ["workloads"], "verbs": ["get", "list", "patch", "watch"]}
    account = [{"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": SYSTEM_NAMESPACE}]
    return (
        manifest(f"{_RBAC}/v1", "ClusterRole", _QUOTA_ROLE, rules=[change_quota]),
        manifest(f"{_RBAC}/v1", "ClusterRoleBinding", _QUOTA_ROLE, roleRef=_role(_QUOTA_ROLE), subjects=account),
        manifest(f"{_RBAC}/v1", "ClusterRole", _DRAIN_ROLE, rules=[drain]),
        *(
            manifest(f"{_RBAC}/v1", "RoleBinding", _DRAIN_ROLE, namespace=namespace, roleRef=_role(_DRAIN_ROLE), subjects=account)
            for namespace in namespaces
        ),
    )


def _role(name: str) -> Manifest:
    return {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name}


def _cron_job(switch: BufferSwitch, quota: BufferQuota, kubernetes: Kubernetes) -> Manifest:
    return manifest(
        "batch/v1",
        "CronJob",
        switch.name,
        namespace=SYSTEM_NAMESPACE,
        spec={
            "schedule": switch.cron,
            "timeZone": switch.time_zone,
            "suspend": switch.suspended,
            "concurrencyPolicy": "Forbid",
            # A switch that is later than this could come after the next one (rule CFG-849) and undo it.
            "startingDeadlineSeconds": LONGEST_SWITCH_MINUTES * 60,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 3,
            "jobTemplate": {
                "spec": {
                    "backoffLimit": _RETRIES,
                    "activeDeadlineSeconds": quota.drain_seconds * 3 + _MARGIN_SECONDS,
                    "template": {"spec": _pod(switch, quota, kubernetes)},
                }
            },
        },
    )


def _pod(switch: BufferSwitch, quota: BufferQuota, kubernetes: Kubernetes) -> Manifest:
    variables = switch_variables(kubernetes, quota, opens=switch.opens)
    container = {
        "name": "switch",
        "image": quota.image,
        "command": ["/bin/sh", "-c", switch_script()],
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"cpu": "500m", "memory": "256Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    }
    services = next(policy for policy in kubernetes.classes if policy.workload_class is WorkloadClass.SERVICE)
    return {
        "serviceAccountName": _ACCOUNT,
        "priorityClassName": services.priority_class,
        "nodeSelector": {ROLE_LABEL: Role.STABLE.value},
        "restartPolicy": "Never",
        "containers": [container],
        # Numbered, not named: the kubelet cannot tell whether a named user is root.
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
    }
