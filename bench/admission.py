"""What the admission policies cost: how many pods of a Job are made a second with them and without."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

from bench.measurement import Measurement, seconds
from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.derivation import derive
from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
    SYSTEM_NAMESPACE,
    AdmissionMode,
    WorkloadClass,
    priority_class,
)
from hybrid_pools.manifests.admission import admission as admission_manifests
from lab.cluster.apply import apply, create, delete
from lab.cluster.control_plane import ControlPlane
from lab.cluster.kubernetes import API_SERVER, CONTROLLER_MANAGER, ETCD
from lab.cluster.registry import KUBERNETES

_ROUNDS = 40  # of each kind; a round differs from the next by more than the policies cost
_PODS = 450  # fewer than the Job controller makes in one go (500), so that no wait of its own is measured
_PATIENCE = 300.0  # seconds for one round
_LEAST = 0.9  # share of the pods a second that is left
_PARTS = tuple(part for part in KUBERNETES if part.name in (ETCD, API_SERVER, CONTROLLER_MANAGER))


def measure(stacks: Path) -> Iterator[Measurement]:
    """Jobs of many pods with the policies and without, in turn on one cluster, since two clusters alone differ by as much."""
    blueprint = derive(check_stack_file(stacks / "Pulumi.prod.yaml"))
    if blueprint.kubernetes is None:
        raise RuntimeError("prod declares nothing inside its cluster")
    admission = replace(blueprint.kubernetes.admission, mode=AdmissionMode.DENY)
    team = next(team for team in admission.teams if team.spot)
    with TemporaryDirectory() as directory:
        plane = ControlPlane(Path(directory), _PARTS)
        try:
            plane.start()
            apply(plane.client(), [*_surroundings(team), *admission_manifests(admission)])
            # The first of each finds nothing warm.
            rounds = [_round(plane, admission, team, number) for number in range(_ROUNDS + 1)][1:]
        finally:
            plane.stop()
    without, with_ = (sum(times) for times in zip(*rounds, strict=True))
    yield Measurement("make pods with the admission policies / without", with_ / without, "times", 1 / _LEAST)
    yield Measurement("make pods with the admission policies", _ROUNDS * _PODS / with_, "pods/s", None)


def _round(plane: ControlPlane, admission: Admission, team: TeamAdmission, number: int) -> tuple[float, float]:
    """Seconds without the policies and with them; every other round begins with the other, because the first leaves work behind."""
    seconds_by_kind: dict[bool, float] = {}
    for guarded in (True, False) if number % 2 else (False, True):
        _switch(plane, admission, team, guarded=guarded)
        seconds_by_kind[guarded] = _make(plane, admission, team, f"round-{number}-{'with' if guarded else 'without'}")
    return seconds_by_kind[False], seconds_by_kind[True]


def _switch(plane: ControlPlane, admission: Admission, team: TeamAdmission, *, guarded: bool) -> None:
    """Let the policies hold, or not, and return once they do."""
    bindings = [one for one in admission_manifests(admission) if one["kind"] == "ValidatingAdmissionPolicyBinding"]
    (apply if guarded else delete)(plane.client(), bindings)
    give_up = monotonic() + _PATIENCE
    while _holds(plane, team) is not guarded:
        if monotonic() > give_up:
            raise RuntimeError("the admission policies do not begin or cease to hold")
        sleep(0.1)


def _holds(plane: ControlPlane, team: TeamAdmission) -> bool:
    """Whether the policies do, which a pod that names its node tells."""
    from kubernetes.client.exceptions import ApiException  # noqa: PLC0415 - slow to import, and only this figure needs it

    spec = {"serviceAccountName": team.service_account, "nodeName": "one", "containers": [{"name": "one", "image": "one"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe", "namespace": team.namespace}, "spec": spec}
    try:
        create(plane.client(), pod, dry_run=True)
    except ApiException:
        return True
    return False


def _make(plane: ControlPlane, admission: Admission, team: TeamAdmission, name: str) -> float:
    """Seconds from the creation of a Job until all its pods are there."""
    client, before = plane.client(), _count(plane, team)

    def make() -> None:
        create(client, _job(admission, team, name))
        give_up = monotonic() + _PATIENCE
        while _count(plane, team) < before + _PODS:
            if monotonic() > give_up:
                raise RuntimeError(f"{_PODS} pods were not made in {_PATIENCE:.0f} seconds")
            sleep(0.05)

    return seconds(make)


def _count(plane: ControlPlane, team: TeamAdmission) -> int:
    from kubernetes.client import CoreV1Api  # noqa: PLC0415 - as above

    listed = CoreV1Api(plane.client()).list_namespaced_pod(team.namespace, limit=1)
    assert listed.metadata is not None  # noqa: S101 - every list has it
    return len(listed.items) + (listed.metadata.remaining_item_count or 0)


def _surroundings(team: TeamAdmission) -> list[dict[str, Any]]:
    name = priority_class(WorkloadClass.TRAINING)
    account = {"name": team.service_account, "namespace": team.namespace}
    return [
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}} for namespace in (SYSTEM_NAMESPACE, team.namespace)),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1000},
    ]


def _job(admission: Admission, team: TeamAdmission, name: str) -> dict[str, Any]:
    """A Job for spot nodes that keeps every rule, so that every rule is worked out."""
    address = f"{team.checkpoint_prefix.replace('*', 'acme-checkpoints')}{name}"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": team.namespace},
        "spec": {
            "parallelism": _PODS,
            "completions": _PODS,
            "activeDeadlineSeconds": 3600,
            "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
            "template": {
                "metadata": {
                    "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: WorkloadClass.TRAINING.value},
                    "annotations": {CHECKPOINT_URI_ANNOTATION: address, CHECKPOINT_SAVE_ANNOTATION: "5"},
                },
                "spec": {
                    "serviceAccountName": team.service_account,
                    "restartPolicy": "Never",
                    "priorityClassName": priority_class(WorkloadClass.TRAINING),
                    "terminationGracePeriodSeconds": 60,
                    "tolerations": [
                        {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect.value}
                        for taint in admission.guarded_taints
                    ],
                    "containers": [{"name": "trainer", "image": "example.com/trainer"}],
                },
            },
        },
    }
