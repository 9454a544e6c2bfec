"""A small environment with four teams inside a real cluster: everything that `manifests` gives for it, on simulated nodes of its pools."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kubernetes.client import ApiClient
from kubernetes.client.exceptions import ApiException

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint, Pool
from hybrid_pools.blueprint.model.queues import Kubernetes
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.whole import manifests
from lab.cluster import jobset, kueue, kwok
from lab.cluster.apply import apply, read
from lab.cluster.calling import MERGE, call
from lab.cluster.control_plane import ControlPlane
from lab.cluster.registry import KUBERNETES
from lab.google.computed import NODE_POOL
from lab.google.store import Record
from lab.nodes import manifests as node_manifests
from lab.nodes.pools import node_pool
from tests.cluster.admission.api import Api, at_once
from tests.cluster.conftest import running
from tests.cluster.waiting import eventually
from tests.environments import sections_of
from tests.workload_strategies import patched_spec
from tests.workloads import PERSON, TEAM, honest_deployment

WEIGHTS = {"audio": 1, "speech": 2, "vision": 3}
"""Of the teams that may use spot. The fourth, `web`, may not."""

QUEUES_ALONE = (*KUBERNETES, kwok.PART, jobset.PART, kueue.PART)
"""A cluster whose nodes only a test makes."""


def engineers(team: str) -> str:
    """Group of a team's training engineers."""
    return f"{team}-engineers@acme.example"


def sections() -> dict[str, Any]:
    """The stack file: the lab's own with more teams and pools.

    Of `spot-l4` nobody owns anything; `spot-t4`, `stable-l4` and `stable-cpu` are owned by teams.
    """
    found = sections_of("local")
    pools = found["pools"]
    pools["train-l4"]["limits"] = {"total": {"maximum": 30}}
    pools["train-t4"] = {
        "role": "spot",
        "machineType": "n1-standard-8",
        "accelerator": {"type": "nvidia-tesla-t4", "count": 1},
        "zones": ["us-central1-a", "us-central1-b"],
        "limits": {"total": {"maximum": 8}},
    }
    pools["reserve-l4"] = {
        "role": "stable",
        "machineType": "g2-standard-8",
        "zones": ["us-central1-a"],
        "limits": {"total": {"maximum": 4}},
    }
    found["environment"]["maxGpus"] = 256
    found["teams"] = {team: {"trainingEngineers": [engineers(team)]} for team in (*WEIGHTS, "web")}
    found["teams"]["web"]["spot"] = False
    own = {
        "training": {"spot-t4": {"nominal": 2}, "stable-cpu": {"nominal": 4}, "stable-l4": {"nominal": 1}},
        "interactive": {"stable-cpu": {"nominal": 2}},
    }
    found["queues"] = {
        "classes": {"training": {"order": ["spot-l4", "spot-t4", "buffer", "stable"]}},
        "teams": {team: {"weight": weight, "quotas": own} for team, weight in WEIGHTS.items()} | {"web": {}},
    }
    return found


@dataclass(frozen=True)
class Stack:
    """The environment in its cluster.

    Attributes:
        admin: The official client of the administrator, with connections that are kept.
        pools: What the stand-in would have of its pools.
    """

    control_plane: ControlPlane
    admin: ApiClient
    blueprint: Blueprint
    kubernetes: Kubernetes
    pools: Mapping[str, Record]

    def nodes_of(self, pool: str, count: int) -> list[Manifest]:
        """The first nodes of a pool, spread over its zones."""
        described = node_pool(self.pools[pool])
        zones = described.zones
        return [node_manifests.node(described, zones[index % len(zones)], index // len(zones), process=False) for index in range(count)]

    def make_nodes(self, counts: Mapping[str, int]) -> None:
        """Make nodes and wait until they are ready."""
        api = Api(self.control_plane)
        made = [node for pool, count in counts.items() for node in self.nodes_of(pool, count)]
        answers = at_once(lambda node: api.create(node, keep=True), made)
        assert all(answer.admitted for answer in answers), [answer.body for answer in answers if not answer.admitted]
        wanted = {node["metadata"]["name"] for node in made}
        eventually(lambda: wanted <= {node["metadata"]["name"] for node in listed(self.admin, "/api/v1/nodes") if _is_ready(node)}, 60)


def blueprint() -> Blueprint:
    """The environment as derived."""
    return derived(sections())


def derived(found: dict[str, Any]) -> Blueprint:
    """The blueprint of a stack file's sections."""
    return derive(check("stacks/Pulumi.tested.yaml", found))


@contextmanager
def raised(directory: Path, described: Blueprint, parts: Any = QUEUES_ALONE) -> Iterator[Stack]:
    """The environment's cluster from its start to its end, with all of its objects and with policies that hold; without nodes."""
    kubernetes = described.kubernetes
    assert kubernetes is not None
    with running(ControlPlane(directory, parts)) as control_plane:
        pools = {pool.name: _record(described, pool) for pool in described.pools}
        stack = Stack(control_plane, control_plane.client(), described, kubernetes, pools)
        apply(stack.admin, manifests(described))
        wait_for_policies(stack)
        accounts = [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": team.namespace}}
            for team in described.teams
        ]
        eventually(lambda: all(read(stack.admin, account) for account in accounts))
        eventually(lambda: _quotas_are_known(stack.admin))
        yield stack


def wait_for_policies(stack: Stack, *, hold: bool = True) -> None:
    """Return once the API server refuses what only the policy that was made last refuses; or once it does not."""
    api = Api(stack.control_plane)
    deployment = honest_deployment()
    probe = {**deployment, "spec": {**deployment["spec"], "template": patched_spec(deployment["spec"]["template"], nodeName="one")}}
    grant = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "person-may-all"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": PERSON}],
    }
    # What is refused to this person is refused by admission.
    apply(stack.admin, [grant])
    assert probe["metadata"]["namespace"] == TEAM
    eventually(lambda: bool(api.create(probe, PERSON).refusal) is hold and api.create(deployment, PERSON).admitted, within=60)


def listed(client: ApiClient, path: str, **query: str) -> list[dict[str, Any]]:
    """Objects of a collection as plain data: the client's models cost seconds for a thousand of them."""
    items: list[dict[str, Any]] = call(client, "GET", path, query=query)["items"]
    return items


def clear(client: ApiClient, path: str, namespaces: Iterable[str]) -> None:
    """Delete what namespaces have of a collection, with what its objects have made."""
    base, _, plural = path.rpartition("/")
    paths = [f"{base}/namespaces/{namespace}/{plural}" for namespace in namespaces]
    # The server deletes a collection one by one, so several at once.
    at_once(lambda one: call(client, "DELETE", one, query={"propagationPolicy": "Background"}), paths)


def succeed(client: ApiClient, pod: Mapping[str, Any]) -> bool:
    """Let a pod of a simulated node have succeeded. False if it was gone first."""
    name = pod["metadata"]
    try:
        path = f"/api/v1/namespaces/{name['namespace']}/pods/{name['name']}/status"
        call(client, "PATCH", path, {"status": {"phase": "Succeeded"}}, MERGE)
    except ApiException as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True


def _quotas_are_known(client: ApiClient) -> bool:
    """Whether everything that is counted has been counted: until then the API server refuses it."""
    quotas = listed(client, "/api/v1/resourcequotas")
    return all(quota["status"].get("used", {}).keys() >= quota["spec"]["hard"].keys() for quota in quotas)


def _is_ready(node: Mapping[str, Any]) -> bool:
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", ()))
    return ready and not any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"].get("taints", ()))


def _record(described: Blueprint, pool: Pool) -> Record:
    """A pool as the stand-in keeps it."""
    environment, gpus = described.environment, pool.accelerators
    parent = f"projects/{environment.project}/locations/{environment.region}/clusters/{environment.name}"
    prefix = ("minNodeCount", "maxNodeCount") if pool.limits.per_zone else ("totalMinNodeCount", "totalMaxNodeCount")
    document = {
        "project": environment.project,
        "location": environment.region,
        "cluster": environment.name,
        "name": pool.name,
        "nodeLocations": list(pool.zones),
        "nodeCount": pool.initial_nodes_per_zone or 0,
        "maxPodsPerNode": pool.max_pods_per_node,
        "version": "1.35.1-gke.1000",
        "autoscaling": {
            **dict(zip(prefix, (pool.limits.minimum, pool.limits.maximum), strict=True)),
            "locationPolicy": pool.location_policy.value,
        },
        "nodeConfig": {
            "machineType": pool.machine.name,
            "spot": pool.is_spot_vm,
            "diskSizeGb": pool.boot_disk.size_gib,
            "diskType": pool.boot_disk.type,
            "labels": dict(pool.labels),
            "guestAccelerators": [{"type": gpus.type, "count": gpus.count}] if gpus else [],
            "effectiveTaints": [{"key": taint.key, "value": taint.value, "effect": taint.effect.google} for taint in pool.node_taints],
        },
    }
    return Record(NODE_POOL, f"{parent}/nodePools/{pool.name}", document, created=1.0)
