"""The pod templates of a run.

What Kueue writes is not written here: selector and tolerations of a flavor come when the run is admitted to it. Written before, they would
open spot nodes to a pod that no queue has sent there, and bind it to one flavor. A selector is written only for what Kueue does not know:
flavors on whose nodes the pods have no room or no time to save, and that the coordinator belongs on stable nodes.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hybrid_pools.blueprint.model.queues import Resources
from hybrid_pools.blueprint.quantity import mebibytes, thousandths, whole
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_ENABLED,
    CHECKPOINT_INTERVAL_ANNOTATION,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LABEL,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CHECKPOINT_URI_VARIABLE,
    CLASS_LABEL,
    FLAVOR_LABEL,
    GPU_KEY,
    JOB_ID_LABEL,
    JOBSET_LABEL,
    MEETING_ADDRESS_VARIABLE,
    MEETING_PORT_VARIABLE,
    NODE_POOL_LABEL,
    NOT_READY_KEY,
    RANK_LABEL,
    RANK_VARIABLE,
    REPLICATED_JOB_LABEL,
    ROLE_LABEL,
    SPOT_CLASSES,
    TOPOLOGY_ANNOTATION,
    UNREACHABLE_KEY,
    WORKERS_VARIABLE,
    ZONE_LABEL,
    Effect,
    Role,
)
from hybrid_pools.training.launch.plan import CheckpointPlan, Part, Plan

Template = dict[str, Any]

WORKERS = "workers"
"""The job of a set that its workers are."""

MEETING_PORT = 29500
"""What torchrun listens on by default."""

_DEAD_NODE_SECONDS = 30
"""How long a pod stays bound to a node that nobody hears of. Kubernetes' own 300 s are a pause of the whole gang."""

_LOCAL_FOLDER = "/var/lib/hybrid-pools/checkpoints"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where programs look for it


def worker_template(plan: Plan, meeting_address: str | None) -> Template:
    """The template of the workers.

    Args:
        meeting_address: Where they meet; None for a single one.
    """
    checkpoint = plan.checkpoint
    variables = [
        *_variables(plan.job.variables),
        *(_checkpoint_variables(checkpoint) if checkpoint else ()),
        *(_gang_variables(plan.job.workers.count, meeting_address) if meeting_address else ()),
    ]
    volumes = {_SHARED_MEMORY: {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}}
    if checkpoint:
        volumes[_LOCAL_FOLDER] = {"name": "checkpoints", "emptyDir": {"sizeLimit": f"{checkpoint.disk_gib}Gi"}}
    container = _container(plan, plan.workers, "trainer", variables)
    container["volumeMounts"] = [{"name": volume["name"], "mountPath": path} for path, volume in volumes.items()]
    template = _template(plan, plan.workers, container)
    template["spec"]["volumes"] = list(volumes.values())
    if plan.job.workers.spread_over_zones:
        template["spec"]["topologySpreadConstraints"] = [_spread(plan)]
    if checkpoint:
        template["metadata"]["labels"][CHECKPOINT_LABEL] = CHECKPOINT_ENABLED
        template["metadata"]["annotations"] |= _checkpoint_annotations(checkpoint)
        template["spec"] = {"terminationGracePeriodSeconds": plan.grace_seconds, **template["spec"]}
    return _tidied(template)


def coordinator_template(plan: Plan, coordinator: Part, meeting_address: str) -> Template:
    """The template of the coordinator. It saves nothing, so nothing of it is asked about checkpoints."""
    variables = [*_variables(plan.job.variables), *_meeting_variables(plan.job.workers.count, meeting_address)]
    return _tidied(_template(plan, coordinator, _container(plan, coordinator, "coordinator", variables)))


def _template(plan: Plan, part: Part, container: Template) -> Template:
    return {
        "metadata": {"labels": {CLASS_LABEL: plan.workload_class.name.value}, "annotations": _topology(part)},
        "spec": {
            "serviceAccountName": plan.team.service_account,
            "restartPolicy": "Never",
            "priorityClassName": plan.workload_class.priority_class,
            **_selection(plan, part),
            "tolerations": [
                {"key": key, "operator": "Exists", "effect": Effect.NO_EXECUTE.value, "tolerationSeconds": _DEAD_NODE_SECONDS}
                for key in (NOT_READY_KEY, UNREACHABLE_KEY)
            ],
            "containers": [container],
        },
    }


def _tidied(template: Template) -> Template:
    """Without empty annotations."""
    return {**template, "metadata": {key: value for key, value in template["metadata"].items() if value}}


def _container(plan: Plan, part: Part, name: str, variables: list[Template]) -> Template:
    return {
        "name": name,
        "image": plan.job.image,
        "command": list(part.command),
        **({"env": variables} if variables else {}),
        "resources": _requests(part.pods.each, part.pods.disk_gib),
    }


def _literal(text: str) -> str:
    """A value as the container is to get it: Kubernetes replaces `$(NAME)` by another variable, and `$$` by one `$`."""
    return re.sub(r"\$(?=[$(])", "$$", text)


def _requests(each: Resources, disk_gib: int) -> Template:
    memory, gpus = mebibytes(each.memory), {GPU_KEY: whole(each.gpus)} if each.gpus else {}
    disk = {"ephemeral-storage": f"{disk_gib}Gi"} if disk_gib else {}
    return {
        "requests": {"cpu": thousandths(each.cpu), "memory": memory, **disk, **gpus},
        # No limit of CPU: what others leave idle may be used. Memory is what it is.
        "limits": {"memory": memory, **gpus},
    }


def _selection(plan: Plan, part: Part) -> Template:
    """Keeps pods off what can never be; what only quota forbids is left to Kueue, since quotas change.

    A run that cannot be on spot says so, because the queues of its class lead there.
    """
    role = part.pods.role
    selector = {ROLE_LABEL: role.value} if role else {}
    possible = tuple(place.flavor for place in part.possible)
    everywhere = tuple(place.flavor for place in part.order if place.role is role) if role else plan.workload_class.flavors
    leads_to_spot = role is None and plan.workload_class.name in SPOT_CLASSES
    if possible == everywhere and (not leads_to_spot or any(place.role is Role.SPOT for place in part.possible)):
        return {"nodeSelector": selector} if selector else {}
    if len(possible) == 1:
        return {"nodeSelector": {**selector, FLAVOR_LABEL: possible[0]}}
    term = {"matchExpressions": [{"key": FLAVOR_LABEL, "operator": "In", "values": list(possible)}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    return {**({"nodeSelector": selector} if selector else {}), "affinity": affinity}


def _topology(part: Part) -> dict[str, str]:
    """Nodes close together: those of one pool, which such a pool keeps so."""
    return {TOPOLOGY_ANNOTATION: NODE_POOL_LABEL} if any(place.compact for place in part.possible) else {}


def _spread(plan: Plan) -> Template:
    """Evenly over zones. As a wish alone it would not decide where new nodes come up."""
    return {
        "maxSkew": 1,
        "topologyKey": ZONE_LABEL,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {JOBSET_LABEL: plan.job.name, REPLICATED_JOB_LABEL: WORKERS}},
    }


def _checkpoint_annotations(checkpoint: CheckpointPlan) -> dict[str, str]:
    return {
        CHECKPOINT_URI_ANNOTATION: checkpoint.uri,
        CHECKPOINT_SAVE_ANNOTATION: str(checkpoint.save_seconds),
        CHECKPOINT_INTERVAL_ANNOTATION: str(checkpoint.interval_seconds),
    }


def _variables(variables: Mapping[str, str]) -> Iterable[Template]:
    return [{"name": name, "value": _literal(value)} for name, value in variables.items()]


def _checkpoint_variables(checkpoint: CheckpointPlan) -> Iterable[Template]:
    return [
        {"name": CHECKPOINT_URI_VARIABLE, "value": checkpoint.uri},
        {"name": CHECKPOINT_INTERVAL_VARIABLE, "value": str(checkpoint.interval_seconds)},
        {"name": CHECKPOINT_LOCAL_VARIABLE, "value": _LOCAL_FOLDER},
    ]


def _gang_variables(workers: int, address: str) -> Iterable[Template]:
    return [
        # Each start of the set makes its jobs anew, so the job's id is that of the start.
        _of_label(CHECKPOINT_ATTEMPT_VARIABLE, JOB_ID_LABEL),
        _of_label(RANK_VARIABLE, RANK_LABEL),
        *_meeting_variables(workers, address),
    ]


def _meeting_variables(workers: int, address: str) -> Iterable[Template]:
    return [
        {"name": WORKERS_VARIABLE, "value": str(workers)},
        {"name": MEETING_ADDRESS_VARIABLE, "value": address},
        {"name": MEETING_PORT_VARIABLE, "value": str(MEETING_PORT)},
    ]


def _of_label(variable: str, label: str) -> Template:
    return {"name": variable, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{label}']"}}}
