"""Faults on demand: what goes wrong at Google, made to happen when a test or a person asks for it.

A fault is matched by resource type, physical name and method, and happens a number of times or for ever. It is kept in the store, so it
reaches every provider process, also one that already runs.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from lab.google.refusal import Refusal
from lab.google.store import Fault, Store

_ATTEMPTS = 8  # calls that the provider makes while somebody else's operation runs on a cluster
_FIRST_PAUSE = 0.05  # seconds, doubled after each refused call; the real provider waits longer


class Kind(StrEnum):
    """What can go wrong."""

    STOCK_OUT = "stock-out"
    """No machines: the node pool exists in the state ERROR, and an update mends it when machines are there again."""

    QUOTA = "quota"
    """A quota of the project is used up; the metric names it. Nothing is made."""

    PERMISSION = "permission"
    """The caller may not do this. Nothing is done."""

    SLOW = "slow"
    """The answer takes some seconds; the work is done at once."""

    LOST_ANSWER = "lost-answer"
    """The work is done, but the answer never comes."""

    UNSEEN_ACCOUNT = "unseen-account"
    """The node account exists, but GKE does not see it yet, as in the first minute of its life. Nothing is made."""

    LOST_CALL = "lost-call"
    """A call of Cloud Scheduler never arrives. Nothing is done, and the scheduler tries again."""

    DOUBLED_CALL = "doubled-call"
    """Cloud Scheduler calls twice, as it may: it promises at least one call, not exactly one."""

    BUSY = "busy"
    """Somebody else's operation runs on the cluster. The provider tries again, a limited number of times."""


@dataclass(frozen=True)
class Call:
    """One call to the cloud, as faults see it."""

    method: str
    type: str
    name: str

    def hit_by(self, fault: Fault) -> bool:
        types = (self.type, self.type.rpartition(":")[2])
        return (
            any(fnmatchcase(type_, fault.type) for type_ in types)
            and fnmatchcase(self.name, fault.name)
            and fault.method in ("*", self.method)
        )


def stock_out(name: str = "*", times: int | None = None) -> Fault:
    """No machines for node pools whose physical name matches, at create and at each try to mend them.

    Args:
        name: Pattern of physical names, for example `spot-*`.
        times: How often; None until the faults are cleared.
    """
    return Fault(Kind.STOCK_OUT, "NodePool", name, "*", times)


def quota_exceeded(metric: str, type_: str = "NodePool", name: str = "*", times: int | None = None) -> Fault:
    """A quota such as `NVIDIA_L4_GPUS` is used up at create."""
    return Fault(Kind.QUOTA, type_, name, "create", times, metric=metric)


def permission_denied(type_: str = "*", name: str = "*", method: str = "*", times: int | None = None) -> Fault:
    """The caller may not use this method on this type."""
    return Fault(Kind.PERMISSION, type_, name, method, times)


def slow(seconds: float, type_: str = "*", name: str = "*", method: str = "*", times: int | None = None) -> Fault:
    """Answers come late, by so many seconds."""
    return Fault(Kind.SLOW, type_, name, method, times, seconds=seconds)


def lost_answer(type_: str = "*", name: str = "*", method: str = "create", times: int | None = 1) -> Fault:
    """The work is done and the answer to the call is lost."""
    return Fault(Kind.LOST_ANSWER, type_, name, method, times)


def account_unseen(type_: str = "NodePool", name: str = "*", times: int = 1) -> Fault:
    """The node account is not visible to GKE yet, for a number of creations."""
    return Fault(Kind.UNSEEN_ACCOUNT, type_, name, "create", times)


def lost_call(name: str = "*", method: str = "*", times: int = 1) -> Fault:
    """Calls of Cloud Scheduler for node pools never arrive, for a number of tries."""
    return Fault(Kind.LOST_CALL, "NodePool", name, method, times)


def doubled_call(name: str = "*", method: str = "*", times: int = 1) -> Fault:
    """Calls of Cloud Scheduler for node pools come twice."""
    return Fault(Kind.DOUBLED_CALL, "NodePool", name, method, times)


def busy(times: int = 1, name: str = "*") -> Fault:
    """So many calls for node pools or clusters meet somebody else's operation."""
    return Fault(Kind.BUSY, "gcp:container/*", name, "*", times)


def meets(store: Store, call: Call, kind: Kind) -> Fault | None:
    """The fault of a kind that this call meets, counted as having happened."""
    with store.transaction():
        for fault in store.faults():
            if fault.kind == kind and call.hit_by(fault):
                store.use_fault(fault)
                return fault
    return None


def refuse(store: Store, call: Call) -> None:
    """Refuses the call if a fault says so.

    Raises:
        Refusal: Quota, permission, or an account that is not visible yet.
    """
    if meets(store, call, Kind.PERMISSION):
        what = f"{call.type.rpartition(':')[2]} {call.name!r}"
        raise Refusal(403, f"Permission denied on {what}: the caller may not {call.method} it (or it may not exist)", "forbidden")
    if meets(store, call, Kind.UNSEEN_ACCOUNT):
        raise Refusal(400, f"Service account of {call.name!r} does not exist.", "badRequest")
    fault = meets(store, call, Kind.QUOTA)
    if fault:
        raise Refusal(
            403,
            f'Insufficient regional quota to satisfy request for {call.name!r}: resource "{fault.metric}": request requires more than '
            "is available. View and manage quotas in the project's quota page",
            "forbidden",
        )


def wait_for_cluster(store: Store, call: Call, pause: Callable[[float], None] = time.sleep) -> None:
    """Waits while somebody else's operation runs on the cluster, as the real provider does.

    Raises:
        Refusal: It still runs after the last try.
    """
    wait = _FIRST_PAUSE
    for attempt in range(_ATTEMPTS):
        if not meets(store, call, Kind.BUSY):
            return
        refusal = Refusal(400, f"Cluster is running incompatible operation, so {call.name!r} cannot be changed now", "failedPrecondition")
        store.log(call.method, call.type, call.name, "", str(refusal))
        if attempt == _ATTEMPTS - 1:
            raise refusal
        pause(wait)
        wait *= 2


def stock_out_message(name: str, zones: list[str]) -> str:
    """What the provider and Google say of a pool without machines."""
    where = ", ".join(zones) or "its zones"
    return (
        f'NodePool {name} was created in the error state "ERROR": [ZONE_RESOURCE_POOL_EXHAUSTED] [GCE_STOCKOUT] there are no machines of '
        f"this shape in {where} now. "
        "The pool is kept: run the update again when there are, or give the pool more zones or another machine type"
    )
