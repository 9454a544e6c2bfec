"""What the tests of the lint start from: prod's contract, and manifests of one of its teams with which nothing is wrong."""

import copy
from typing import Any

import yaml

from hybrid_pools.blueprint.vocabulary import (
    ACCELERATOR_LABEL,
    CHECKPOINT_INTERVAL_ANNOTATION,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
)
from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.linting import lint
from hybrid_pools.lint.surroundings import Surroundings, surroundings
from tests.cluster.admission.corpus import patched
from tests.environments import blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.workloads import (
    Manifest,
    honest_cron_job,
    honest_deployment,
    honest_job,
    honest_job_set,
    honest_pytorch_job,
    honest_ray_job,
    named,
)

CONTRACT = contract_of(blueprint_of("prod"))
PROD: Surroundings = surroundings(CONTRACT)
TEAM = "team-vision"
IMAGE = f"example.com/trainer@sha256:{'0f' * 32}"
URI = f"{PROD.admission.teams[1].checkpoint_prefix}tone-7"


def at_prod(manifest: Manifest) -> Manifest:
    """An honest manifest of the small environment as a team of prod writes it."""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: moved(each) for key, each in value.items()}
        if isinstance(value, list):
            return [moved(each) for each in value]
        return (
            {
                "team-audio": TEAM,
                "gs://acme-checkpoints/runs/audio/tone-7": URI,
                "example.com/trainer": IMAGE,
                "example.com/web": IMAGE,
            }.get(value, value)
            if isinstance(value, str)
            else value
        )

    result: Manifest = moved(copy.deepcopy(manifest))
    return result


JOB = at_prod(honest_job())
"""A Job of the class training, which may get spot, buffer and stable nodes."""

JOB_SET = at_prod(honest_job_set())
BUFFER_JOB = patched(JOB, {"spec": {"template": {"spec": {"nodeSelector": {"hybrid-pools.io/role": "buffer"}}}}})
"""The same kept off spot nodes, so that the workload rules on spot are not asked of it."""

SERVICE = at_prod(honest_deployment())
CLEAN = {
    "cron job": at_prod(honest_cron_job()),
    "deployment": SERVICE,
    "job": JOB,
    "job on the buffer": BUFFER_JOB,
    "job on one kind of GPU": patched(JOB, {"spec": {"template": {"spec": {"nodeSelector": {ACCELERATOR_LABEL: "nvidia-l4"}}}}}),
    "job set": JOB_SET,
    "Ray job": at_prod(honest_ray_job()),
    "config map": named("v1", "ConfigMap", None) | {"data": {"a": "{{ .Values.x }}"}},
    "local queue": named("kueue.x-k8s.io/v1beta2", "LocalQueue", {"clusterQueue": "vision-training"}, namespace=TEAM),
}
PYTORCH_JOB = at_prod(honest_pytorch_job())

ANNOTATIONS = "spec.template.metadata.annotations"
SAVE, ADDRESS, INTERVAL = CHECKPOINT_SAVE_ANNOTATION, CHECKPOINT_URI_ANNOTATION, CHECKPOINT_INTERVAL_ANNOTATION


def lint_text(text: str | bytes) -> list[Finding]:
    """What the lint finds in a file of this text."""
    return lint("job.yaml", text.encode() if isinstance(text, str) else text, PROD)


def lint_manifest(manifest: Manifest) -> list[Finding]:
    """What the lint finds in an object."""
    return lint_text(yaml.safe_dump(manifest))


def ids(findings: list[Finding]) -> set[str]:
    """Ids of the rules that are broken."""
    return {finding.law.id for finding in findings}


def changed(manifest: Manifest, at: str, value: Any) -> Manifest:
    """The manifest with one place changed; None takes it away. Keys with dots come last."""
    path, _, key = at.partition("!")
    return patched(manifest, {key: value}, path)
