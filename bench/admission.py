"""What the admission policies cost: how many pods of a Job are made a second with them and without."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
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
from lab.cluster.apply import apply, create
from lab.cluster.control_plane import ControlPlane
from lab.cluster.kubernetes import API_SERVER, CONTROLLER_MANAGER, ETCD
from lab.cluster.registry import KUBERNETES

_ROUNDS = 12
_PODS = 450  # fewer than the Job controller makes in one go (500), so that no wait of its own is measured
_PATIENCE = 300.0  # seconds for one round
_LEAST = 0.9  # share of the pods a second that is left
_PARTS = tuple(part for part in KUBERNETES if part.name in (ETCD, API_SERVER, CONTROLLER_MANAGER))


def measure(stacks: Path) -> Iterator[Measurement]:
    """A Job of many pods on a cluster with the policies and on one without, in turn, so that a slow moment of the machine hits both."""
    blueprint = derive(check_stack_file(stacks / "Pulumi.prod.yaml"))
    if blueprint.kubernetes is None:
        raise RuntimeError("prod declares nothing inside its cluster")
    admission = replace(blueprint.kubernetes.admission, mode=AdmissionMode.DENY)
    team = next(team for team in admission.teams if team.spot)
    with ExitStack() as stack:
        planes = [ControlPlane(Path(stack.enter_context(TemporaryDirectory())), _PARTS) for _ in range(2)]
        for plane in planes:
            stack.callback(plane.stop)
            plane.start()
            apply(plane.client(), _surroundings(team))
        bare, guarded = planes
        apply(guarded.client(), admission_manifests(admission))
        _until_guarded(guarded, team)
        rounds = [_round(bare, guarded, admission, team, number) for number in range(_ROUNDS + 1)]
    counted = rounds[1:]
    yield Measurement(
        "make pods with the admission policies / without", median(with_ / without for without, with_ in counted), "times", 1 / _LEAST
    )
    yield Measurement("make pods with the admission policies", _PODS / median(with_ for _, with_ in counted), "pods/s", None)


def _round(bare: ControlPlane, guarded: ControlPlane, admission: Admission, team: TeamAdmission, number: int) -> tuple[float, float]:
    """Seconds without the policies and with them; every other round begins with the other, because the first leaves work behind."""
    if number % 2:
        with_ = _make(guarded, admission, team, number)
        return _make(bare, admission, team, number), with_
    return _make(bare, admission, team, number), _make(guarded, admission, team, number)


def _make(plane: ControlPlane, admission: Admission, team: TeamAdmission, number: int) -> float:
    """Seconds from the creation of a Job until all its pods are there."""
    client, before = plane.client(), _count(plane, team)

    def make() -> None:
        create(client, _job(admission, team, f"round-{number}"))
        give_up = monotonic() + _PATIENCE
        while _count(plane, team) < before + _PODS:
            if monotonic() > give_up:
                raise RuntimeError(f"{_PODS} pods were not made in {_PATIENCE:.0f} seconds")
            sleep(0.05)

    return seconds(make)


def _count(plane: ControlPlane, team: TeamAdmission) -> int:
    from kubernetes.client import CoreV1Api  # noqa: PLC0415 - slow to import, and only this figure needs it

    listed = CoreV1Api(plane.client()).list_namespaced_pod(team.namespace, limit=1)
    assert listed.metadata is not None  # noqa: S101 - every list has it
    return len(listed.items) + (listed.metadata.remaining_item_count or 0)


def _until_guarded(plane: ControlPlane, team: TeamAdmission) -> None:
    """Wait until the policies hold, which a job without a bound tells."""
    from kubernetes.client.exceptions import ApiException  # noqa: PLC0415 - as above

    template = {"spec": {"restartPolicy": "Never", "nodeName": "one", "containers": [{"name": "one", "image": "one"}]}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "probe", "namespace": team.namespace},
        "spec": {"template": template},
    }
    give_up = monotonic() + _PATIENCE
    while monotonic() < give_up:
        try:
            create(plane.client(), job, dry_run=True)
        except ApiException:
            return
        sleep(0.1)
    raise RuntimeError("the admission policies do not hold")


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
