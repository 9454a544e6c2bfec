"""Descriptions and contracts for the tests of Vertex AI."""

from typing import Any

from hybrid_pools.blueprint.contract import Contract, contract
from hybrid_pools.training.description import Job
from tests.environments import blueprint_of

ACCOUNT = "trainer@acme-prod.iam.gserviceaccount.com"
IMAGE = f"us-docker.pkg.dev/acme/train/resnet@sha256:{'0f' * 32}"
EXECUTOR = "us-docker.pkg.dev/vertex-ai/training/pytorch-gpu.2-4.py310:latest"
DESCRIBED: dict[str, Any] = {
    "version": 1,
    "name": "resnet-7",
    "team": "vision",
    "class": "training",
    "image": IMAGE,
    "command": ["python", "-m", "trainer", "--epochs", "90"],
    "workers": {"count": 3, "gpus": 2, "cpu": 20, "memoryGib": 80},
    "checkpoint": {"sizeGib": 4, "stepSeconds": 2, "saveSeconds": 30},
    "boundHours": 72,
}


def job(**changes: Any) -> Job:
    """A description with some keys changed; None takes a key away."""
    said = {key: value for key, value in (DESCRIBED | changes).items() if value is not None}
    return Job.model_validate(said, strict=False)


def contract_of(environment: str) -> Contract:
    """The contract of a checked-in environment."""
    blueprint = blueprint_of(environment)
    return contract(
        blueprint,
        "main",
        "main.example",
        {pool.name: f"{pool.name}-1234567" for pool in blueprint.pools},
        buckets={bucket.kind: f"acme-{bucket.kind}" for bucket in blueprint.buckets},
    )
