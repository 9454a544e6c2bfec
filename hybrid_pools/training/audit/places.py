"""What segments are judged by: how much time the roles leave to save, and how long an interactive run may be."""

from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.configuration.queues import InteractiveConfiguration
from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.derivation.admission import SAVE_MARGIN_SECONDS
from hybrid_pools.blueprint.vocabulary import Role, WorkloadClass

_BUFFER_GRACE_SECONDS = 600
"""What a node that is not taken by surprise leaves a pod: the autoscaler's ten minutes (GKE documentation, "Extended run time pods")."""

_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True)
class Places:
    """An environment, or what holds where none is named. Unit: seconds.

    Attributes:
        save_on_spot: In which a save must be done once a spot node is taken, the margin taken off. 0: there is no spot.
        save_on_buffer: The same when services take the buffer back. 0: training never has it.
        interactive_run: Longest run of class interactive. None: no limit.
    """

    save_on_spot: int
    save_on_buffer: int
    interactive_run: int | None


def places_of(contract: Contract | None) -> Places:
    """What an environment promises, by its tightest pool of each role. Without one: pools of all roles that set nothing."""
    if contract is None:
        grace = catalogue().shutdown_grace
        return Places(
            save_on_spot=grace.default_seconds - grace.default_critical_pods_seconds - SAVE_MARGIN_SECONDS,
            save_on_buffer=_BUFFER_GRACE_SECONDS - SAVE_MARGIN_SECONDS,
            interactive_run=InteractiveConfiguration().runtime_limit_hours * _SECONDS_AN_HOUR,
        )
    margin = contract.admission.save_margin_seconds if contract.admission else SAVE_MARGIN_SECONDS
    limits = [found.runtime_limit_seconds for found in contract.classes if found.name is WorkloadClass.INTERACTIVE]
    return Places(
        save_on_spot=_least(contract, Role.SPOT, margin),
        save_on_buffer=_least(contract, Role.BUFFER, margin) if contract.schedule else 0,
        interactive_run=limits[0] if limits else None,
    )


def _least(contract: Contract, role: Role, margin: int) -> int:
    return max(0, min((pool.usable_grace_seconds for pool in contract.pools if pool.role is role), default=0) - margin)
