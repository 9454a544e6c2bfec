"""What the admission policies decide by, from the same flavors and teams as the queues."""

from collections.abc import Collection, Sequence

from hybrid_pools.blueprint.configuration import ClusterConfiguration, ExistingCluster
from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration
from hybrid_pools.blueprint.model.queues import Admission, Flavor, TeamAdmission
from hybrid_pools.blueprint.model.teams import Team
from hybrid_pools.blueprint.vocabulary import (
    ADMINISTRATORS,
    FLAVOR_LABEL,
    GUARDED_TAINTS,
    JOB_CONTROLLER,
    JOBSET_CONTROLLERS,
    KUEUE_CONTROLLER,
    SCHEDULER,
    SCHEDULER_NAMES,
    SPOT_CLASSES,
    SYSTEM_NAMESPACES,
    AdmissionMode,
    BucketKind,
    local_queue,
    priority_class,
)

SAVE_MARGIN_SECONDS = 5
"""Between the end of a save as declared and the kill: the signal takes a moment to arrive, and a save is not always of the same length."""


def derive_admission(
    kubernetes: KubernetesConfiguration,
    cluster: ClusterConfiguration,
    access: AccessConfiguration,
    flavors: Sequence[Flavor],
    teams: Sequence[Team],
    deployers: Collection[str],
) -> Admission:
    """What admission knows.

    Args:
        deployers: E-mail addresses of accounts that deploy this program.
    """
    operators = [user(account) for account in kubernetes.pod_creators]
    guarded = [flavor for flavor in flavors if set(flavor.node_taints) & set(GUARDED_TAINTS)]
    return Admission(
        mode=kubernetes.admission or (AdmissionMode.AUDIT if isinstance(cluster, ExistingCluster) else AdmissionMode.DENY),
        exempt_namespaces=tuple(sorted({*SYSTEM_NAMESPACES, *kubernetes.exempt_namespaces})),
        pod_creators=tuple(dict.fromkeys((JOB_CONTROLLER, *operators))),
        schedulers=(SCHEDULER,),
        scheduler_names=SCHEDULER_NAMES,
        platform_groups=(ADMINISTRATORS, *access.platform_engineers, *((access.break_glass.group,) if access.break_glass else ())),
        guarded_taints=GUARDED_TAINTS,
        grace_seconds={flavor.name: flavor.usable_grace_seconds for flavor in guarded},
        save_margin_seconds=SAVE_MARGIN_SECONDS,
        spot_queues=tuple(local_queue(workload_class) for workload_class in SPOT_CLASSES),
        spot_priority_classes=tuple(priority_class(workload_class) for workload_class in SPOT_CLASSES),
        teams=tuple(
            TeamAdmission(
                team=team.name,
                namespace=team.namespace,
                service_account=team.service_account,
                checkpoint_prefix=f"gs://*/{BucketKind.CHECKPOINTS.prefix}{team.folder}",
                spot=team.spot,
            )
            for team in teams
        ),
        platform_users=(*deployers, KUEUE_CONTROLLER),
        job_creators=tuple(dict.fromkeys((*JOBSET_CONTROLLERS, *operators))),
        flavor_labels={flavor.name: {key: value for key, value in flavor.node_labels.items() if key != FLAVOR_LABEL} for flavor in guarded},
    )


def user(service_account: str) -> str:
    """User name of a service account that is written as `NAMESPACE/NAME`."""
    namespace, _, name = service_account.partition("/")
    return f"system:serviceaccount:{namespace}:{name}"
