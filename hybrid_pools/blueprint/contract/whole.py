"""The whole contract of a stack, and its version."""

from collections.abc import Mapping
from typing import Literal

from hybrid_pools.blueprint.contract.admission import AdmissionContract, admission_contract
from hybrid_pools.blueprint.contract.buckets import BucketContract, bucket_contract
from hybrid_pools.blueprint.contract.monitoring import DashboardContract, dashboard_contracts
from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.pools import PoolContract, pool_contract
from hybrid_pools.blueprint.contract.queues import ClassContract, FlavorContract, class_contract, flavor_contract
from hybrid_pools.blueprint.contract.schedule import ScheduleContract, schedule_contract
from hybrid_pools.blueprint.contract.teams import TeamContract, team_contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import BucketKind

CONTRACT_VERSION: Literal[1] = 1


class ClusterContract(Part):
    """Where the cluster is and how to reach it."""

    name: str
    project: str
    location: str
    endpoint: str
    """DNS endpoint of the control plane; access is granted by IAM."""

    credentials_command: str
    """Command that writes a kubeconfig entry for this cluster."""

    workload_pool: str
    """Workload identity pool of the project."""


class Contract(Part):
    """Everything a stack promises."""

    contract_version: Literal[1] = CONTRACT_VERSION
    environment: str
    cluster: ClusterContract
    pools: tuple[PoolContract, ...]
    schedule: ScheduleContract | None = None
    """When buffer pools change hands; None where services keep them."""

    dashboards: tuple[DashboardContract, ...] = ()
    """Where to look at the environment."""

    buckets: tuple[BucketContract, ...] = ()
    """Where datasets, checkpoints and artifacts lie; empty where the stack makes no buckets."""

    teams: tuple[TeamContract, ...] = ()
    """Who trains here, and where."""

    classes: tuple[ClassContract, ...] = ()
    """What each class of work gets; empty where the stack declares nothing inside the cluster."""

    flavors: tuple[FlavorContract, ...] = ()
    """What the classes try, one after the other."""

    admission: AdmissionContract | None = None
    """What jobs are judged by; left out where the stack declares nothing inside the cluster."""


def contract(
    blueprint: Blueprint,
    cluster: str,
    endpoint: str,
    node_pools: dict[str, str],
    dashboards: Mapping[str, str] | None = None,
    buckets: Mapping[BucketKind, str] | None = None,
) -> Contract:
    """The contract of a stack.

    Args:
        blueprint: What was declared.
        cluster: Physical name of the cluster.
        endpoint: DNS endpoint of its control plane.
        node_pools: Physical name of each node pool by the pool's name.
        dashboards: Identifier of each dashboard by its name.
        buckets: Physical name of each bucket by its kind; needed for a blueprint with buckets.
    """
    bucket_names = buckets or {}
    environment, kubernetes = blueprint.environment, blueprint.kubernetes
    queues = kubernetes.queues if kubernetes else None
    return Contract(
        environment=environment.name,
        cluster=ClusterContract(
            name=cluster,
            project=environment.project,
            location=environment.region,
            endpoint=endpoint,
            credentials_command=(
                f"gcloud container clusters get-credentials {cluster} --dns-endpoint"
                f" --location {environment.region} --project {environment.project}"
            ),
            workload_pool=f"{environment.project}.svc.id.goog",
        ),
        pools=tuple(pool_contract(pool, node_pools[pool.name]) for pool in blueprint.pools),
        schedule=schedule_contract(blueprint.schedule, queues.buffer if queues else None) if blueprint.schedule else None,
        dashboards=dashboard_contracts(environment.project, dashboards or {}),
        buckets=tuple(bucket_contract(bucket, bucket_names[bucket.kind]) for bucket in blueprint.buckets),
        teams=tuple(team_contract(team, blueprint.buckets, bucket_names, queues.queues if queues else ()) for team in blueprint.teams),
        classes=tuple(class_contract(policy) for policy in kubernetes.classes) if kubernetes else (),
        flavors=tuple(flavor_contract(flavor) for flavor in queues.flavors) if queues else (),
        admission=admission_contract(kubernetes.admission) if kubernetes else None,
    )
