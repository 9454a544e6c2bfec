"""Runs the program against Pulumi's mocks and keeps every registration as the engine would receive it, options included.

Mocks prove wiring only: no default, no diff, no refusal of the provider happens here.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks as pulumi_mocks
from pulumi.runtime.stack import wait_for_rpcs

from hybrid_pools.blueprint.model import Blueprint
from infra.program import compose

COMPUTED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "gcp:projects/iAMCustomRole:IAMCustomRole": lambda inputs: {"name": f"projects/example/roles/{inputs['roleId']}"},
    "gcp:serviceaccount/account:Account": lambda inputs: {
        "email": f"{inputs['accountId']}@example.iam.gserviceaccount.com",
        "member": f"serviceAccount:{inputs['accountId']}@example.iam.gserviceaccount.com",
        "uniqueId": "100000000000000000001",
    },
    "gcp:container/cluster:Cluster": lambda _: {
        "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": "gke-1.us-central1.gke.goog"}}
    },
}


@dataclass(frozen=True)
class Registration:
    """One resource as it was registered."""

    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    protect: bool
    retain_on_delete: bool
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    dependencies: tuple[str, ...]


_ANSWERS: dict[str, dict[str, Any]] = {
    "gcp:organizations/getProject:getProject": {"number": "123456789012"},
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": {
        "member": "serviceAccount:service-123456789012@gs-project-accounts.iam.gserviceaccount.com"
    },
}
"""Answers of data sources that most environments ask for."""


class _Mocks(pulumi.runtime.Mocks):
    def __init__(self, calls: dict[str, dict[str, Any]]) -> None:
        self._calls = calls

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        computed = COMPUTED[args.typ](args.inputs) if args.typ in COMPUTED else {}
        return f"{args.name}-id", {"name": args.name, "selfLink": f"link/{args.name}", **args.inputs, **computed}

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        return {**_ANSWERS, **self._calls}[args.token], []


class _Monitor(pulumi_mocks.MockMonitor):
    def __init__(self, mocks: pulumi.runtime.Mocks) -> None:
        super().__init__(mocks)
        self.registrations: list[Registration] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 — gRPC's name
        self.registrations.append(
            Registration(
                type=request.type,
                name=request.name,
                parent=request.parent,
                inputs=json_format.MessageToDict(request.object),
                protect=request.protect,
                retain_on_delete=request.retainOnDelete,
                ignore_changes=tuple(request.ignoreChanges),
                replace_on_changes=tuple(request.replaceOnChanges),
                dependencies=tuple(request.dependencies),
            )
        )
        return super().RegisterResource(request)  # type: ignore[no-untyped-call]


def record(blueprint: Blueprint, calls: dict[str, dict[str, Any]] | None = None) -> list[Registration]:
    """Compose the environment and return every registration.

    Args:
        calls: Answers of data sources by token.
    """
    mocks = _Mocks(calls or {})
    monitor = _Monitor(mocks)

    async def run() -> None:
        pulumi.runtime.set_mocks(mocks, project="hybrid-node-pools", stack=blueprint.environment.name, preview=False, monitor=monitor)
        compose(blueprint)
        await wait_for_rpcs()

    asyncio.run(run())
    return monitor.registrations
