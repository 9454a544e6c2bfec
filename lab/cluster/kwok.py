"""KWOK, which plays the kubelet of simulated nodes: it makes them ready, and their pods run without a process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from lab.cluster.apply import apply
from lab.cluster.kubernetes import API_SERVER
from lab.cluster.parts import Part, Surroundings, binary, folder
from lab.cluster.probe import answers
from lab.cluster.programs import control_plane
from lab.cluster.upstream import Manifest, documents, module_directory, resources

KWOK: Final = "kwok"
USER: Final = "system:serviceaccount:kube-system:kwok-controller"

SIMULATED: Final = ("kwok.x-k8s.io/node", "fake")
"""Annotation of the nodes that KWOK plays; it leaves all others alone."""

DURATION_ANNOTATION: Final = "pod-complete.stage.kwok.x-k8s.io/delay"
"""Annotation of a job's pod: how long it runs on a simulated node until it succeeds, such as `3s`; without it, until it is deleted."""

_MODULE: Final = "sigs.k8s.io/kwok"
_TERMINATED: Final = 143  # exit code of a process that SIGTERM has ended

# A kubelet reports the end of a pod's containers before the pod goes. A job with a failure policy waits for exactly that
# (onlyReplaceFailedPods in the job controller), and KWOK's own stages delete the pod without it.
_TERMINATE: Final[Manifest] = {
    "apiVersion": "kwok.x-k8s.io/v1alpha1",
    "kind": "Stage",
    "metadata": {"name": "pod-terminate"},
    "spec": {
        "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
        "selector": {
            "matchExpressions": [
                {"key": ".metadata.deletionTimestamp", "operator": "Exists"},
                {"key": ".status.phase", "operator": "NotIn", "values": ["Succeeded", "Failed"]},
            ]
        },
        "next": {
            "statusTemplate": f"""
{{{{ $now := Now }}}}
conditions:
- lastTransitionTime: {{{{ $now | Quote }}}}
  status: "False"
  reason: PodFailed
  type: Ready
- lastTransitionTime: {{{{ $now | Quote }}}}
  status: "False"
  reason: PodFailed
  type: ContainersReady
containerStatuses:
{{{{ range .spec.containers }}}}
- image: {{{{ .image | Quote }}}}
  name: {{{{ .name | Quote }}}}
  ready: false
  restartCount: 0
  started: false
  state:
    terminated:
      exitCode: {_TERMINATED}
      finishedAt: {{{{ $now | Quote }}}}
      reason: Error
      startedAt: {{{{ $now | Quote }}}}
{{{{ end }}}}
phase: Failed
"""
        },
    },
}


def stages(source: Path) -> list[Manifest]:
    """What becomes of nodes and pods, and when: KWOK's own stages from its module, with the end of a pod as a kubelet does it.

    Args:
        source: Folder of KWOK's module.
    """
    given = source / "kustomize" / "stage"
    (complete,) = documents(given / "pod" / "general" / "pod-complete.yaml")
    (delete,) = documents(given / "pod" / "fast" / "pod-delete.yaml")
    return [
        *resources(given / "node" / "fast"),
        *resources(given / "node" / "heartbeat-with-lease"),
        *documents(given / "pod" / "fast" / "pod-ready.yaml"),
        # Of themselves, pods of jobs succeed after some seconds: no queue would ever be full.
        _only_if(_at_once(complete), f'.metadata.annotations["{DURATION_ANNOTATION}"]', "Exists"),
        _TERMINATE,
        _only_if(delete, ".status.phase", "In", ["Succeeded", "Failed"]),
    ]


def _only_if(stage: Manifest, key: str, operator: str, values: Sequence[str] = ()) -> Manifest:
    condition = {"key": key, "operator": operator, **({"values": list(values)} if values else {})}
    stage["spec"]["selector"]["matchExpressions"].append(condition)
    return stage


def _at_once(stage: Manifest) -> Manifest:
    """Without the seconds of chance that are added to a delay."""
    stage["spec"]["delay"].pop("jitterDurationMilliseconds")
    return stage


def _prepare(surroundings: Surroundings) -> None:
    source = module_directory(control_plane()[KWOK], _MODULE)
    rights = [one for one in resources(source / "kustomize" / "rbac") if one["kind"] != "FlowSchema"]
    apply(surroundings.access.client(), rights)
    (settings,) = documents(source / "kustomize" / "kwok" / "kwok.yaml")
    key, value = SIMULATED
    settings["options"] |= {
        "manageNodesWithAnnotationSelector": f"{key}={value}",
        "serverAddress": f"127.0.0.1:{surroundings.ports[KWOK]}",
        "nodeIP": "127.0.0.1",
        "podPlayStageParallelism": 16,  # a flood of pods must not wait for the nodes
        # A thousand nodes: with 40 seconds, KWOK's own, leases alone are a hundred writes a second. A quarter of it is between renewals,
        # and Kubernetes gives a node up after 50 seconds.
        "nodeLeaseDurationSeconds": 120,
        "nodeLeaseParallelism": 16,
        "nodePlayStageParallelism": 16,
        "enableCRDs": [],  # stages are in this very file
    }
    text = yaml.safe_dump_all([settings, *stages(source)], sort_keys=False)
    (folder(surroundings, KWOK) / "kwok.yaml").write_text(text)


def _command(surroundings: Surroundings) -> Sequence[str]:
    return (
        binary(KWOK),
        f"--config={folder(surroundings, KWOK) / 'kwok.yaml'}",
        f"--kubeconfig={surroundings.access.kubeconfig(USER)}",
    )


PART: Final = Part(
    KWOK,
    _command,
    ready=lambda surroundings: answers(surroundings.ports[KWOK], "/healthz"),
    after=(API_SERVER,),
    ports=(KWOK,),
    prepare=_prepare,
)
