"""What the contract says of admission: what a job's file is judged by before it reaches the cluster.

Teams, flavors and their grace stand elsewhere in the contract and are not said again. Who may edit what the platform keeps is no business
of those who write jobs, and is left out.
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.contract.part import Part
from hybrid_pools.blueprint.contract.queues import FlavorContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.model.queues import Admission, TeamAdmission
from hybrid_pools.blueprint.vocabulary import FLAVOR_LABEL, AdmissionMode, BucketKind, Effect, Taint, team_folder


class TaintContract(Part):
    """A taint of nodes."""

    key: str
    value: str
    effect: Effect


class AdmissionContract(Part):
    """What the cluster decides by when a job or a pod is made (docs/admission.md)."""

    mode: AdmissionMode
    """What becomes of what breaks a rule."""

    exempt_namespaces: tuple[str, ...]
    """Namespaces in which nothing is judged."""

    guarded_taints: tuple[TaintContract, ...]
    """Taints of nodes that may end under the workload: only checkpoint-capable work may tolerate them."""

    spot_queues: tuple[str, ...]
    """Local queues whose order has a flavor with a guarded taint."""

    spot_priority_classes: tuple[str, ...]
    """Priority classes of what may run there."""

    scheduler_names: tuple[str, ...]
    """Values of schedulerName that respect taints."""

    pod_creators: tuple[str, ...]
    """Users, service accounts of controllers, whose pods may run there."""

    job_creators: tuple[str, ...] = ()
    """Users whose jobs are parts of something that was judged as a whole."""

    save_margin_seconds: Annotated[int, Field(ge=0)]
    """Added to the declared time of a save before it is compared with the time that a pod has."""


def admission_contract(admission: Admission) -> AdmissionContract:
    """The contract of admission."""
    return AdmissionContract(
        mode=admission.mode,
        exempt_namespaces=admission.exempt_namespaces,
        guarded_taints=tuple(TaintContract(key=taint.key, value=taint.value, effect=taint.effect) for taint in admission.guarded_taints),
        spot_queues=admission.spot_queues,
        spot_priority_classes=admission.spot_priority_classes,
        scheduler_names=admission.scheduler_names,
        pod_creators=admission.pod_creators,
        job_creators=admission.job_creators,
        save_margin_seconds=admission.save_margin_seconds,
    )


def admission_of(told: AdmissionContract, teams: Iterable[TeamContract], flavors: Iterable[FlavorContract]) -> Admission:
    """Admission as a job's file is judged by it: that of the blueprint, with the physical names of buckets, and without those who may edit
    what the platform keeps.

    Args:
        teams: Of the same contract.
        flavors: Of the same contract.
    """
    taints = tuple(Taint(taint.key, taint.value, taint.effect) for taint in told.guarded_taints)
    guarded = [flavor for flavor in flavors if any(Taint(each.key, each.value, each.effect) in taints for each in flavor.tolerations)]
    return Admission(
        mode=told.mode,
        exempt_namespaces=told.exempt_namespaces,
        pod_creators=told.pod_creators,
        schedulers=(),
        scheduler_names=told.scheduler_names,
        platform_groups=(),
        guarded_taints=taints,
        grace_seconds={flavor.name: flavor.usable_grace_seconds for flavor in guarded},
        save_margin_seconds=told.save_margin_seconds,
        spot_queues=told.spot_queues,
        spot_priority_classes=told.spot_priority_classes,
        teams=tuple(
            TeamAdmission(team.name, team.namespace, team.service_account, _checkpoint_prefix(team), spot=team.spot) for team in teams
        ),
        job_creators=told.job_creators,
        flavor_labels={flavor.name: {key: value for key, value in flavor.selector.items() if key != FLAVOR_LABEL} for flavor in guarded},
    )


def _checkpoint_prefix(team: TeamContract) -> str:
    # Where the stack has no buckets, any bucket will do, as in the cluster.
    return team.prefixes.get(BucketKind.CHECKPOINTS) or f"gs://*/{BucketKind.CHECKPOINTS.prefix}{team_folder(team.name)}"
