"""Quotas that an environment needs at its largest."""

from dataclasses import dataclass


@dataclass(frozen=True)
class QuotaNeed:
    """What the pools count against one Google quota when every pool is at its maximum.

    Attributes:
        name: Name of the quota in the Compute Engine API; None where the family's name is not known and must be looked up.
        what: What is counted, in words; for a quota without a known name also what to look for in the console.
        unit: What one unit is: GPUs, vCPUs, GB or VMs.
        location: Region, or `global` for a quota of the whole project.
        amount: Units at the most.
        pools: Pools that need it.
        instead: Quotas that the same use counts against while the limit of this one is 0, each with its part of it; the name is None
            where it is not known. Empty where there is no such rule.
    """

    name: str | None
    what: str
    unit: str
    location: str
    amount: int
    pools: tuple[str, ...]
    instead: tuple[tuple[str | None, int], ...] = ()
