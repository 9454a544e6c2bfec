"""Rendered runs on the real cluster: admitted by its policies, by Kueue, and bound where `explain` said."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hybrid_pools.blueprint.contract import Contract, contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import FLAVOR_LABEL, NODE_POOL_LABEL, ZONE_LABEL, Role
from hybrid_pools.training.description import Job
from hybrid_pools.training.launch import LaunchError, Plan, manifest, plan
from hybrid_pools.training.launch.explanation import Explanation, PartExplained, PlaceExplained, explanation
from lab.cluster.apply import read
from tests.cluster.queues.play import Play
from tests.cluster.stack import listed
from tests.cluster.waiting import eventually
from tests.launch_strategies import IMAGE, jobs_for

pytestmark = pytest.mark.cluster

RUNS = 14
_NODES = 2
"""Most nodes that a generated run is made for: not all that the pools may have are there."""

_SOME_DAY = datetime(2026, 6, 1, tzinfo=UTC)


def contract_of(blueprint: Blueprint) -> Contract:
    """The contract of the environment in the lab, whose node pools are called as its pools."""
    names = {pool.name: pool.name for pool in blueprint.pools}
    return contract(blueprint, "cluster", "endpoint", names, buckets={bucket.kind: bucket.name_stem for bucket in blueprint.buckets})


def planned(found: Contract) -> list[Plan]:
    """Runs that have a place, the same in every test run: of each kind that comes up the first ones."""
    made: dict[tuple[object, ...], Plan] = {}

    @settings(max_examples=300, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(jobs_for(found, _NODES))
    def draw(job: Job) -> None:
        try:
            one = plan(job.model_copy(update={"name": f"run-{len(made)}"}), found)
        except LaunchError:
            return
        kind = (job.workload_class, job.coordinator is None, job.workers.count > 1, job.workers.flavor, _first(one).flavor)
        made.setdefault(kind, one)

    draw()
    return list(made.values())


def _first(one: Plan) -> Any:
    return next(place for place in one.workers.order if place.fits)


def expected(told: PartExplained, *, opened: bool) -> PlaceExplained | None:
    """The first place of the order that has quota while nobody else is there."""
    return next((place for place in told.order if place.fits and (opened or place.role is not Role.BUFFER)), None)


class TestRenderedRuns:
    def test_are_admitted_and_bound_where_explain_said(self, play: Play):
        found = contract_of(play.stack.blueprint)
        runs = planned(found)[:RUNS]
        assert len(runs) == RUNS
        seen: Counter[str] = Counter()
        for index, one in enumerate(runs):
            opened = index % 2 == 1
            if opened:
                play.open_buffer(opens=True)
            seen.update(_arrives(play, one, explanation(one, found, _SOME_DAY), opened=opened))
            play.clear()
        # Otherwise that all went well would say little.
        assert min(seen[each] for each in ("Job", "JobSet", "training", "deferred", "interactive", "spot", "stable", "coordinator")) > 0, (
            seen
        )


class TestWorkersThatAreSpread:
    def test_stand_evenly_in_zones(self, play: Play):
        content = {
            "version": 1,
            "name": "spread",
            "team": "vision",
            "class": "training",
            "image": IMAGE,
            "command": ["train"],
            "workers": {"count": 6, "gpus": 1, "cpu": 1, "memoryGib": 1, "flavor": "spot-l4", "spreadOverZones": True},
            "checkpoint": {"sizeGib": 1, "stepSeconds": 1, "saveSeconds": 5},
            "boundHours": 1,
        }
        one = plan(Job.model_validate(content, strict=False), contract_of(play.stack.blueprint))
        play.give(one.team.name, manifest(one))
        zones = eventually(lambda: _zones(play, one, 6))
        assert len(zones) == 3
        assert set(zones.values()) == {2}


def _zones(play: Play, one: Plan, count: int) -> Counter[str]:
    """Zones of the nodes of a run's pods, once all of them have one."""
    zones = Counter(node["metadata"]["labels"][ZONE_LABEL] for node in _nodes(play, one))
    assert zones.total() == count, zones
    return zones


def _arrives(play: Play, one: Plan, told: Explanation, *, opened: bool) -> Iterator[str]:
    """Start a run and return once all of it is where it should be; what kind of case it was."""
    made = manifest(one)
    play.give(one.team.name, made)
    places = [(part, expected(part, opened=opened)) for part in (told.workers, told.coordinator) if part is not None]
    yield from (told.kind, told.workload_class)
    if any(place is None for _, place in places):
        play.waits(made)
        yield "waits"
        return
    wanted = Counter({place.flavor: 0 for _, place in places if place})
    pools: set[str] = set()
    for part, place in places:
        assert place is not None
        wanted[place.flavor] += part.count
        pools |= {*place.node_pools}
        yield place.role
    assert eventually(lambda: _bound(play, one, wanted.total())) == wanted, (told, made)
    assert {node["metadata"]["labels"][NODE_POOL_LABEL] for node in _nodes(play, one)} <= pools
    if told.coordinator is not None:
        yield "coordinator"


def _bound(play: Play, one: Plan, count: int) -> Counter[str]:
    """Flavors of the nodes of a run's pods, once all of them have one."""
    nodes = list(_nodes(play, one))
    assert len(nodes) == count, (len(nodes), count)
    return Counter(node["metadata"]["labels"][FLAVOR_LABEL] for node in nodes)


def _nodes(play: Play, one: Plan) -> Iterator[dict[str, Any]]:
    for pod in listed(play.stack.admin, f"/api/v1/namespaces/{one.team.namespace}/pods"):
        if pod["spec"].get("nodeName"):
            node = read(play.stack.admin, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": pod["spec"]["nodeName"]}})
            assert node is not None
            yield node
