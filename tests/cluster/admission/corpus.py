"""The hostile corpus: what is written in `hostile/`, put together to whole objects. Each case says which rule must refuse it."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.vocabulary import JOB_CONTROLLER
from tests.workloads import (
    PERSON,
    TEAM,
    Manifest,
    honest_cron_job,
    honest_deployment,
    honest_job,
    honest_job_set,
    honest_pod,
    honest_pytorch_job,
    honest_ray_job,
    honest_template,
    named,
    placed,
    silent_job_set,
)

HOSTILE = Path(__file__).parent / "hostile"

_CONTROLLERS = "system:serviceaccount:kube-system:"
USERS = {
    "person": PERSON,
    "jobs": JOB_CONTROLLER,
    "replicaSets": f"{_CONTROLLERS}replicaset-controller",
    "statefulSets": f"{_CONTROLLERS}statefulset-controller",
    "daemonSets": f"{_CONTROLLERS}daemon-set-controller",
    "training": f"system:serviceaccount:{TEAM}:training",
}
"""Who makes it, by the word in the data."""


@dataclass(frozen=True)
class Case:
    """An object that must not be admitted.

    Attributes:
        user: Who makes it.
        rule: Id of what refuses it.
    """

    name: str
    manifest: Manifest
    user: str
    rule: str


def read(file: str) -> list[dict[str, Any]]:
    """One file of the corpus."""
    entries: list[dict[str, Any]] = yaml.safe_load((HOSTILE / file).read_text())
    return entries


@cache
def cases() -> tuple[Case, ...]:
    """Every object of the corpus that is made anew."""
    return (*_pods(), *_templates(), *_claims())


def _pods() -> Iterator[Case]:
    for way in read("asks.yaml"):
        yield Case(f"pod: {way['name']}", {"apiVersion": "v1", "kind": "Pod", **_harmless(way, named=True)}, PERSON, way["rule"])


def _harmless(way: dict[str, Any], *, named: bool = False) -> Manifest:
    """A pod, or a template, that does nothing but ask in that way."""
    metadata = {"labels": {"app": "web", **way.get("labels", {})}, **({"name": "hostile", "namespace": TEAM} if named else {})}
    return {"metadata": metadata, "spec": {"containers": [{"name": "one", "image": "example.com/one"}], **way.get("spec", {})}}


def _templates() -> Iterator[Case]:
    for way in (way for way in read("asks.yaml") if way.get("everywhere")):
        for shape in read("kinds.yaml"):
            if "labels" in way and "POD" not in repr(shape):
                continue  # a pod's spec alone has no labels
            template = _harmless(way)
            if shape["kind"] in ("Job", "CronJob"):
                template["spec"]["restartPolicy"] = "Never"
            # What is batch may ask, and is refused for what it lacks.
            rule = way["rule"] if way["rule"] != "WORK-001" or not shape.get("batch") else "WORK-002"
            user = PERSON
            if shape.get("partial") and rule == "WORK-002":
                continue  # what completes it is judged; see the kinds that need a namespace of a team below
            yield Case(f"{shape['kind']} of {shape['apiVersion']}: {way['name']}", shaped(shape, template), user, rule)


def shaped(shape: dict[str, Any], template: Manifest) -> Manifest:
    """An object of a kind of `kinds.yaml` around a template."""
    metadata = {"name": "hostile", **({} if shape.get("clusterWide") else {"namespace": TEAM})}
    content = {key: shape[key] for key in ("spec", "template") if key in shape}
    return {"apiVersion": shape["apiVersion"], "kind": shape["kind"], "metadata": metadata, **_filled(content, template)}


def _filled(content: Any, template: Manifest) -> Any:
    if isinstance(content, dict):
        return {key: _filled(value, template) for key, value in content.items()}
    if isinstance(content, list):
        return [_filled(value, template) for value in content]
    return {"POD": template, "SPEC": template["spec"], "PATCH": ""}.get(content, content) if isinstance(content, str) else content


def _claims() -> Iterator[Case]:
    for entry in read("claims.yaml"):
        user = USERS[entry.get("by", "jobs" if entry["of"] == "pod" else "person")]
        yield Case(f"{entry['of']}: {entry['name']}", patched(honest(entry["of"]), entry["patch"], entry["at"]), user, entry["rule"])


def honest(name: str) -> Manifest:
    """The honest object that a claim or an update starts from."""
    return copy.deepcopy(_HONEST[name]())


def patched(manifest: Manifest, patch: Manifest, at: str = "") -> Manifest:
    """The manifest with a patch merged in at a place; null takes a key away."""
    result = copy.deepcopy(manifest)
    place = result
    for key in at.split(".") if at else ():
        place = place[key]
    _merge(place, patch)
    return result


def _merge(place: Manifest, patch: Manifest) -> None:
    for key, value in patch.items():
        if value is None:
            place.pop(key, None)
        elif isinstance(value, dict) and isinstance(place.get(key), dict):
            _merge(place[key], value)
        else:
            place[key] = copy.deepcopy(value)


def _labelled_deployment() -> Manifest:
    template = placed(honest_template())
    template["metadata"]["labels"]["app"] = "web"
    del template["spec"]["restartPolicy"]
    return patched(honest_deployment(), {"spec": {"template": template}})


def _workflow() -> Manifest:
    return named("argoproj.io/v1alpha1", "Workflow", {"entrypoint": "main", "templates": [{"name": "main"}]})


_HONEST = {
    "cronJob": honest_cron_job,
    "deployment": _labelled_deployment,
    "job": honest_job,
    "jobSet": honest_job_set,
    "placedJob": lambda: honest_job(placed(honest_template())),
    "pod": honest_pod,
    "pyTorchJob": honest_pytorch_job,
    "rayJob": honest_ray_job,
    "silentJobSet": silent_job_set,
    "workflow": _workflow,
}
