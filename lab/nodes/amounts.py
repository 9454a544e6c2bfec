"""Amounts of resources as Kubernetes counts them: millicores of CPU, bytes, and pieces of everything else, by resource name."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

from kubernetes.utils import parse_quantity

CPU, PODS = "cpu", "pods"

Amounts = Mapping[str, int]


def amounts(quantities: Mapping[str, Any] | None) -> dict[str, int]:
    """Amounts of a `requests`, `capacity` or `allocatable` object."""
    return {name: _whole(name, str(quantity)) for name, quantity in (quantities or {}).items()}


def total(parts: Iterable[Amounts]) -> dict[str, int]:
    """The sum of amounts."""
    summed: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            summed[name] = summed.get(name, 0) + amount
    return summed


def largest(parts: Iterable[Amounts]) -> dict[str, int]:
    """The largest amount of each resource."""
    most: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            most[name] = max(most.get(name, 0), amount)
    return most


def rest(whole: Amounts, taken: Amounts) -> dict[str, int]:
    """What is left of a whole; below zero where more was taken than there is."""
    return {name: amount - taken.get(name, 0) for name, amount in whole.items()}


def holds(free: Amounts, wanted: Amounts) -> bool:
    """Whether free amounts suffice. What nobody wants is not asked about."""
    return all(amount <= free.get(name, 0) for name, amount in wanted.items() if amount > 0)


@lru_cache(maxsize=4096)
def _whole(name: str, quantity: str) -> int:
    exact: Decimal = parse_quantity(quantity) * (1000 if name == CPU else 1)  # type: ignore[no-untyped-call]
    return int(exact.to_integral_value(rounding=ROUND_CEILING))
