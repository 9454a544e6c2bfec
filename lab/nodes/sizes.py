"""How many nodes each zone of a pool is to have: GKE's target size of the zone's instance group.

Somebody's `setSize` sets it in every zone, also outside the limits, and the autoscaler moves it within them. Limits alone move nothing:
raising a minimum adds no node, lowering a maximum removes none (facts of GKE node pools, 4, and kubernetes/autoscaler#2288).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lab.nodes.pools import NodePool


@dataclass(frozen=True)
class Sizes:
    """The sizes of one pool.

    Attributes:
        asked: The pool's `asked` at the time.
        zones: Nodes by zone.
    """

    asked: str
    zones: Mapping[str, int]

    @property
    def total(self) -> int:
        """Nodes over all zones."""
        return sum(self.zones.values())

    def moved(self, zone: str, by: int) -> "Sizes":
        """The same with more or fewer nodes in a zone."""
        return replace(self, zones={**self.zones, zone: self.zones[zone] + by})


def followed(pool: NodePool, known: Sizes | None) -> Sizes:
    """The sizes after what was asked of the pool since they were known: a creation, a `setSize`, other zones."""
    if known is None or known.asked != pool.asked:
        return Sizes(pool.asked, dict.fromkeys(pool.zones, pool.size))
    fresh = 0 if pool.limits else pool.size
    return replace(known, zones={zone: known.zones.get(zone, fresh) for zone in pool.zones})


def may_grow(pool: NodePool, sizes: Sizes, zone: str) -> bool:
    """Whether the limits let the autoscaler add a node to a zone."""
    if pool.limits is None:
        return False
    return (sizes.zones[zone] if pool.limits.per_zone else sizes.total) < pool.limits.maximum


def may_shrink(pool: NodePool, sizes: Sizes, zone: str) -> bool:
    """Whether the limits let the autoscaler take a node from a zone."""
    if pool.limits is None or sizes.zones[zone] <= 0:
        return False
    return (sizes.zones[zone] if pool.limits.per_zone else sizes.total) > pool.limits.minimum
