"""How nodes are upgraded must fit what they are."""

from collections.abc import Iterator

from hybrid_pools.blueprint.configuration import SpotPoolConfiguration
from hybrid_pools.blueprint.configuration.pools import SpotCapacity
from hybrid_pools.blueprint.rules.hardware import gate
from hybrid_pools.blueprint.rules.rule import Finding, PoolView, pool_rule


@pool_rule("CFG-301", "GPU pools are not upgraded blue-green", "google/skills gke-upgrades")
def blue_green_is_not_for_gpus(view: PoolView) -> Iterator[Finding]:
    """Blue-green needs the whole capacity twice, and GPUs are not to be had twice."""
    upgrade = view.pool.upgrade
    if upgrade is None or upgrade.blue_green is None:
        return
    if view.has_gpus:
        yield Finding(
            "upgrade.blueGreen",
            upgrade.blue_green,
            "doubles the pool for a while, and GPUs are rarely in stock twice",
            "surge",
            "write upgrade.surge with maxSurge: 0 and maxUnavailable: 1, or remove upgrade for the same",
        )
    if upgrade.blue_green.autoscaled:
        yield from gate(view, "autoscaled-blue-green", "upgrade.blueGreen.autoscaled", "true")


@pool_rule("CFG-302", "Flex-start and queued pools leave the upgrade to GKE", "terraform-google-kubernetes-engine#2352")
def short_lived_upgrades_are_googles(view: PoolView) -> Iterator[Finding]:
    """GKE sets a short-lived strategy that the API does not accept back, so any declared one differs for ever."""
    pool = view.pool
    if isinstance(pool, SpotPoolConfiguration) and pool.capacity is not SpotCapacity.SPOT and pool.upgrade is not None:
        yield Finding(
            "upgrade", pool.upgrade, f"GKE upgrades {pool.capacity} pools in its own way", "no upgrade on such pools", "remove upgrade"
        )
