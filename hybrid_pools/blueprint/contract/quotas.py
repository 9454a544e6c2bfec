"""Quotas as a stack output. Not part of the contract: they are for those who run the environment."""

from typing import Any

from hybrid_pools.blueprint.model.quotas import QuotaNeed


def quota_output(need: QuotaNeed) -> dict[str, Any]:
    """One need as plain data: name (or None), what, unit, location, amount and pools."""
    return {
        "name": need.name,
        "what": need.what,
        "unit": need.unit,
        "location": need.location,
        "amount": need.amount,
        "pools": list(need.pools),
    }
