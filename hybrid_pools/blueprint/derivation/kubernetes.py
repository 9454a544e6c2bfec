"""The Kubernetes side as a whole."""

from collections.abc import Sequence

from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.kubernetes import Component
from hybrid_pools.blueprint.configuration.queues import QueuesConfiguration
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration
from hybrid_pools.blueprint.derivation.access import account_email
from hybrid_pools.blueprint.derivation.admission import derive_admission
from hybrid_pools.blueprint.derivation.flavors import derive_flavors
from hybrid_pools.blueprint.derivation.queues import class_orders, derive_classes, derive_queues
from hybrid_pools.blueprint.model import Access, Pool, Schedule, Team
from hybrid_pools.blueprint.model.queues import Charts, Kubernetes


def derive_kubernetes(
    configuration: StackConfiguration, pools: Sequence[Pool], teams: Sequence[Team], schedule: Schedule | None, access: Access
) -> Kubernetes | None:
    """What is declared inside the cluster; None where nothing is."""
    said = configuration.kubernetes
    if said is None:
        return None
    queues = configuration.queues or QueuesConfiguration()
    flavors = derive_flavors(pools, training_nodes(configuration.schedule))
    orders = class_orders(queues, flavors, buffer_is_shared=schedule is not None)
    told = derive_queues(queues, flavors, orders, teams, schedule, said.kubectl_image)
    return Kubernetes(
        classes=derive_classes(queues, flavors, orders),
        queues=told,
        admission=derive_admission(
            said,
            configuration.cluster,
            configuration.access or AccessConfiguration(),
            told.flavors,
            teams,
            _deployers(configuration, access),
        ),
        charts=Charts(kueue=_chart(said.kueue), jobset=_chart(said.job_set)),
    )


def training_nodes(schedule: ScheduleConfiguration | None) -> dict[str, int]:
    """Nodes at the most of each buffer pool while training has it."""
    return {name: pool.training.maximum for name, pool in schedule.pools.items()} if schedule else {}


def _deployers(configuration: StackConfiguration, access: Access) -> tuple[str, ...]:
    accounts = access.ci.accounts if access.ci else ()
    return tuple(account_email(account.account_id, configuration.environment.project) for account in accounts if account.name == "deploy")


def _chart(component: Component) -> str | None:
    return component.version if component.install else None
