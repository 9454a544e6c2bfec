"""Queues: quotas that nodes can hold, and orders that lead somewhere."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.derivation.flavors import amount, unit
from hybrid_pools.blueprint.derivation.queues import DEFAULT_ORDERS, class_configuration, flavors_meant
from hybrid_pools.blueprint.model.queues import Flavor
from hybrid_pools.blueprint.rules.queue_plan import QueuePlan, queue_plan
from hybrid_pools.blueprint.rules.rule import Finding, section_rule
from hybrid_pools.blueprint.vocabulary import QUEUED_CLASSES, SPOT_CLASSES, Role, WorkloadClass

_KUEUE = "Kueue documentation, Cluster Queue and Cohort"
_CLASSES = "Job classes of the design; requirement B2"


@section_rule("CFG-901", "Every team has a queue, and every queue a team", "requirement B1", needs_all=True)
def teams_have_queues(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """What a team without a queue submits waits for ever; a queue without a team keeps quota from those who are there."""
    if reading.kubernetes is None:
        return
    said = reading.queues.teams if reading.queues else {}
    for team in reading.teams:
        if team not in said:
            yield Finding(
                "queues.teams" if reading.queues else "queues",
                list(said) if reading.queues else None,
                f"has no queue for {team}, whose work would wait for ever" if reading.queues else f"is missing: {team} has no queue",
                "every team of this file, {} for one that only shares",
                f"add {team}: {{}} under queues.teams",
            )
    for team in said:
        if team not in reading.teams:
            yield Finding(
                f"queues.teams.{team}",
                said[team],
                "is no team of this file",
                ", ".join(reading.teams) or "teams of this file; it has none",
                "respell it, remove it, or add the team",
            )
    plan = queue_plan(reading, catalogue)
    for team in plan.queues.teams if plan else ():
        if plan and team in plan.teams and not plan.has_work_for(team):
            yield Finding(
                f"queues.teams.{team}",
                said[team],
                "owns nothing and finds nothing to borrow: whatever the team submits would wait for ever",
                "a quota on a stable pool, or spot pools or a scheduled buffer to share",
                "give it a quota, or let it use spot pools",
            )


@section_rule("CFG-902", "What teams own fits into the pools", _KUEUE, needs_all=True)
def quotas_fit(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Kueue does not know the nodes: what it admits above their number waits as pods, and holds quota that others could use."""
    plan = queue_plan(reading, catalogue)
    for flavor in plan.flavors.values() if plan else ():
        owned, whole = plan.owned(flavor.name) if plan else 0, amount(flavor, flavor.capacity)
        if plan and owned > whole and flavor.role is not Role.BUFFER:
            owners = dict.fromkeys(quota.team for quota in plan.quotas() if quota.flavor == flavor.name and quota.said.nominal)
            yield Finding(
                "queues.teams",
                f"{owned} {unit(flavor)} of {flavor.name}",
                f"owned by {', '.join(owners)}; {', '.join(flavor.pools)} cannot hold that, so jobs would be admitted that find no node",
                f"at most {whole} {unit(flavor)} of {flavor.name}, all teams and classes together",
                f"lower nominal quotas of {flavor.name}, or raise the limits of {', '.join(flavor.pools)}",
            )


@section_rule("CFG-903", "An order names pools that there are, each once", _CLASSES, needs_all=True)
def orders_lead_somewhere(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """A misspelt flavor would silently be skipped, and the class would run elsewhere or nowhere."""
    plan = queue_plan(reading, catalogue)
    if plan is None:
        return
    flavors = tuple(plan.flavors.values())
    for workload_class in WorkloadClass:
        seen: set[str] = set()
        for index, entry in enumerate(class_configuration(plan.queues, workload_class).order or ()):
            at, meant = f"queues.classes.{workload_class}.order[{index}]", flavors_meant(entry, flavors)
            if not meant:
                yield Finding(
                    at,
                    entry,
                    "stands for no pool of this file",
                    _flavors_and_roles(flavors),
                    "respell it, remove it, or add the pool",
                )
            elif seen & set(meant):
                twice = ", ".join(sorted(seen & set(meant)))
                yield Finding(at, entry, f"names {twice} a second time", "each flavor once", "remove one of the two")
            elif not plan.buffer_is_shared and workload_class in QUEUED_CLASSES and plan.flavors[meant[0]].role is Role.BUFFER:
                yield Finding(
                    at,
                    entry,
                    "names the buffer, which services keep all the time while there is no schedule",
                    "spot and stable pools",
                    "add a schedule with windows for training, or remove the buffer here",
                )
            seen.update(meant)


@section_rule("CFG-904", "A class runs only where its work may run", _CLASSES, needs_all=True)
def classes_run_where_they_may(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Services die with a spot node; deferred work on stable pools would take what services need; training off spot pays for nothing."""
    plan = queue_plan(reading, catalogue)
    if plan is None:
        return
    has_spot = any(flavor.role is Role.SPOT for flavor in plan.flavors.values())
    for workload_class in WorkloadClass:
        order = class_configuration(plan.queues, workload_class).order
        roles = DEFAULT_ORDERS[workload_class]
        for index, entry in enumerate(order or ()):
            found = {plan.flavors[name].role for name in flavors_meant(entry, tuple(plan.flavors.values()))}
            if not found <= set(roles):
                yield Finding(
                    f"queues.classes.{workload_class}.order[{index}]",
                    entry,
                    _harm(workload_class, *found),
                    f"flavors of the roles {', '.join(roles)}",
                    "remove it, or run the work as another class",
                )
        names = plan.orders[workload_class]
        if order and has_spot and workload_class in SPOT_CLASSES and not any(plan.flavors[name].role is Role.SPOT for name in names):
            yield Finding(
                f"queues.classes.{workload_class}.order",
                list(order),
                f"has no spot pool, so {workload_class} work would run on what services need while spot nodes stand unused",
                "an order with spot or a flavor of it",
                "put spot first",
            )


def _harm(workload_class: WorkloadClass, role: Role) -> str:
    if role is Role.SPOT:
        return f"is a spot pool, whose nodes end at any time, and {workload_class} work cannot be resumed"
    return f"is a {role} pool, which {workload_class} work must leave to services"


@section_rule("CFG-905", "Every quota is of a flavor that its class tries, and every spot pool is tried", _KUEUE, needs_all=True)
def flavors_are_used(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Quota on a flavor that the class never tries is lost to everybody; a spot pool in no order never gets a node."""
    plan = queue_plan(reading, catalogue)
    if plan is None:
        return
    for quota in plan.quotas():
        flavor = plan.flavors.get(quota.flavor)
        if quota.flavor not in plan.orders[quota.workload_class] and (flavor is None or not _is_refused_elsewhere(plan, flavor)):
            order = ", ".join(plan.orders[quota.workload_class]) or "none; the class has no pools"
            yield Finding(
                quota.at,
                quota.said,
                "is no flavor of this file" if flavor is None else f"is never tried by {quota.workload_class} work",
                f"flavors of the class's order: {order}",
                "respell it, remove it, or put the flavor into the order",
            )
    used = {name for order in plan.orders.values() for name in order}
    for flavor in plan.flavors.values():
        if flavor.role is Role.SPOT and flavor.name not in used:
            yield Finding(
                "queues.classes",
                flavor.name,
                f"no class has it in its order: {', '.join(flavor.pools)} would never get a node",
                "every spot flavor in the order of training or deferred; a role does not stand for Arm or tainted pools",
                f"name {flavor.name} in an order, or remove the pool",
            )


def _is_refused_elsewhere(plan: QueuePlan, flavor: Flavor) -> bool:
    """Quotas of a buffer that nobody shares are refused by the rule on the buffer."""
    return flavor.role is Role.BUFFER and not plan.buffer_is_shared


@section_rule("CFG-906", "Who borrows finds something to borrow", _KUEUE, needs_all=True)
def borrowers_find_something(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """A limit on borrowing where nobody lends looks like capacity that is not there."""
    plan = queue_plan(reading, catalogue)
    for quota in plan.quotas() if plan else ():
        flavor = plan.flavors.get(quota.flavor) if plan else None
        if plan and flavor and quota.said.borrowing and not plan.lent(flavor, (quota.team, quota.workload_class)):
            yield Finding(
                f"{quota.at}.borrowing",
                quota.said.borrowing,
                f"no other queue lends {quota.flavor}, and no part of it is nobody's: there is nothing to borrow",
                "borrowing where another queue lends, or where a part of a spot pool or of the buffer is nobody's",
                "remove borrowing, or let another queue lend",
            )


@section_rule("CFG-907", "Nobody owns a part of the buffer", "requirement F1: the buffer changes hands by schedule", needs_all=True)
def nobody_owns_the_buffer(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """It comes and goes: what a team owned of it would be gone in the morning."""
    plan = queue_plan(reading, catalogue)
    for quota in plan.quotas() if plan else ():
        flavor = plan.flavors.get(quota.flavor) if plan else None
        if plan and flavor and flavor.role is Role.BUFFER and (quota.said.nominal or not plan.buffer_is_shared):
            yield Finding(
                f"{quota.at}.nominal" if quota.said.nominal else quota.at,
                quota.said.nominal or quota.said,
                "is of a buffer pool, which belongs to training in its windows only, and to all teams by weight",
                "nominal: 0 on buffer pools, with borrowing as a limit where there is a schedule",
                "remove it, and raise the team's weight for a larger share",
            )


@section_rule("CFG-908", "A team that may not use spot has no quota there", "requirement B1", needs_all=True)
def spot_quotas_are_of_spot_teams(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """The quota would be kept from others, and no pod of the team would be let in."""
    plan = queue_plan(reading, catalogue)
    for quota in plan.quotas() if plan else ():
        flavor, team = (plan.flavors.get(quota.flavor), plan.teams.get(quota.team)) if plan else (None, None)
        if flavor and team and flavor.role is Role.SPOT and not team.spot:
            yield Finding(
                quota.at,
                quota.said,
                f"is of a spot pool, and {quota.team} may not use spot",
                "quotas on stable pools for a team with spot: false",
                f"remove it, or remove spot: false from teams.{quota.team}",
            )


def _flavors_and_roles(flavors: tuple[Flavor, ...]) -> str:
    roles = dict.fromkeys(flavor.role.value for flavor in flavors)
    return ", ".join([*roles, *(flavor.name for flavor in flavors)])
