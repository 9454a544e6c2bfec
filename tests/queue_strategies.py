"""Generators of the Kubernetes side, valid by construction: quotas that the generated pools can hold, orders that name them all."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import GkeVersion, catalogue
from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.derivation import derive
from hybrid_pools.blueprint.derivation.flavors import amount, derive_flavors, is_for_all
from hybrid_pools.blueprint.derivation.kubernetes import training_nodes
from hybrid_pools.blueprint.model.queues import Flavor
from hybrid_pools.blueprint.vocabulary import Role

Sections = dict[str, Any]

IMAGE = f"registry.acme.example/kubectl@sha256:{'0f' * 32}"
NEEDED_VERSION = max(release.minimum for release in catalogue().releases.values())


def can_have_queues(version: GkeVersion) -> bool:
    """Whether a cluster of this version can have the Kubernetes side."""
    return version >= NEEDED_VERSION


@st.composite
def with_queues(draw: st.DrawFn, made: Sections, checked: StackConfiguration) -> Sections:
    """The sections with `kubernetes` and `queues` added; unchanged where the stable pools are too small for every team to own a part.

    Args:
        made: Valid sections with at least one team.
        checked: The same, checked.
    """
    flavors = derive_flavors(derive(checked).pools, training_nodes(checked.schedule))
    stable = [flavor for flavor in flavors if flavor.role is Role.STABLE]
    home = max(stable, key=lambda flavor: amount(flavor, flavor.capacity))
    if amount(home, home.capacity) < len(made["teams"]):
        return made
    teams = {name: team | draw(_more_of_a_team(name)) for name, team in made["teams"].items()}
    cluster = made["cluster"] if "existing" in made["cluster"] else made["cluster"] | {"securityGroup": "gke-security-groups@acme.example"}
    orders = draw(_orders(flavors, home, scheduled="schedule" in made))
    classes: Sections = {name: {"order": order} for name, order in orders.items() if order is not None}
    for name in ("interactive", "training", "deferred"):
        if draw(st.booleans()):
            classes.setdefault(name, {})["runtimeLimitHours"] = draw(st.integers(1, 8760))
    return made | {
        "teams": teams,
        "cluster": cluster,
        "kubernetes": draw(_kubernetes("schedule" in made)),
        "queues": {"classes": classes, "teams": draw(_teams(flavors, home, orders, teams))},
    }


def _more_of_a_team(name: str) -> st.SearchStrategy[Sections]:
    return st.fixed_dictionaries({}, optional={"spot": st.booleans(), "namespace": st.just(f"ns-{name}")})


@st.composite
def _orders(draw: st.DrawFn, flavors: Sequence[Flavor], home: Flavor, scheduled: bool) -> dict[str, list[str] | None]:
    """An order for each class or None for its default. Interactive work has `home`, training every spot flavor."""
    by_role = {role: [flavor.name for flavor in flavors if flavor.role is role] for role in Role}
    buffers = by_role[Role.BUFFER] if scheduled else []
    spots = draw(st.permutations(by_role[Role.SPOT]))
    for_all = all(is_for_all(flavor) for flavor in flavors if flavor.role is Role.SPOT)
    explicit = [*spots, *draw(st.permutations([*buffers, *by_role[Role.STABLE]]))]
    by_roles = [Role.SPOT.value] if spots and for_all else explicit
    return {
        "interactive": [home.name, *draw(st.sampled_from([[], buffers]))],
        "training": draw(st.sampled_from([explicit, by_roles] if not for_all else [None, explicit, by_roles])),
        "deferred": draw(st.sampled_from([None, [*spots, *buffers]])) if spots else None,
    }


@st.composite
def _kubernetes(draw: st.DrawFn, scheduled: bool) -> Sections:
    made = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "admission": st.sampled_from(["audit", "warn", "deny"]),
                "kueue": st.fixed_dictionaries({}, optional={"install": st.booleans()}),
                "jobSet": st.fixed_dictionaries({}, optional={"install": st.booleans(), "version": st.just("0.11.1")}),
                "podCreators": st.just(["ray-system/kuberay-operator"]),
                "exemptNamespaces": st.just(["node-agents"]),
            },
        )
    )
    return made | ({"kubectlImage": IMAGE} if scheduled else {})


@st.composite
def _teams(
    draw: st.DrawFn, flavors: Sequence[Flavor], home: Flavor, orders: Mapping[str, list[str] | None], teams: Mapping[str, Sections]
) -> Sections:
    left = {flavor.name: amount(flavor, flavor.capacity) for flavor in flavors}
    for flavor in flavors:
        # A part that nobody owns, so that whoever borrows finds something; and one of `home` for every team.
        if flavor.role is Role.SPOT:
            left[flavor.name] = max(0, left[flavor.name] - 1)
    left[home.name] -= len(teams)
    made: Sections = {}
    for name, team in teams.items():
        quotas: Sections = {"interactive": {home.name: {"nominal": 1}}}
        for workload_class, order in orders.items():
            for flavor in flavors:
                may = flavor.role is not Role.BUFFER and (team.get("spot", True) or flavor.role is not Role.SPOT)
                if order and flavor.name in order and may and flavor is not home and draw(st.booleans()):
                    nominal = draw(st.integers(0, left[flavor.name]))
                    left[flavor.name] -= nominal
                    quotas.setdefault(workload_class, {})[flavor.name] = draw(_quota(flavor, nominal))
        made[name] = {"quotas": quotas} | draw(st.fixed_dictionaries({}, optional={"weight": st.integers(1, 1000)}))
    return made


def _quota(flavor: Flavor, nominal: int) -> st.SearchStrategy[Sections]:
    lends = flavor.role is Role.SPOT and amount(flavor, flavor.capacity) > 0
    return st.fixed_dictionaries(
        {"nominal": st.just(nominal)},
        optional={"lending": st.integers(0, nominal), "borrowing": st.integers(0, 20 if lends else 0)},
    )
