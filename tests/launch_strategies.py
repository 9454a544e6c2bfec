"""Generators of descriptions for a given environment: most of them find a place in it, some do not."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.contract import Contract, PoolContract
from hybrid_pools.blueprint.contract.queues import FlavorContract, TeamQueueContract
from hybrid_pools.blueprint.contract.teams import TeamContract
from hybrid_pools.blueprint.vocabulary import SPOT_CLASSES, BucketKind, Role
from hybrid_pools.training.description import Job
from hybrid_pools.training.launch.room import most_by_quota, node_room, nodes_for_queues, pools_of

IMAGE = f"us-docker.pkg.dev/acme/train/resnet@sha256:{'0f' * 32}"

_Chance = tuple[TeamContract, TeamQueueContract, FlavorContract, PoolContract]

_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@st.composite
def jobs_for(draw: st.DrawFn, contract: Contract, nodes: int | None = None) -> Job:
    """A description for an environment that has queues.

    Args:
        nodes: Most nodes of a pool that its workers are made for; all there may be where left out.
    """
    team, queue, meant, pool = draw(st.sampled_from(_chances(contract)))
    order = [flavor for quota in queue.quotas for flavor in contract.flavors if flavor.name == quota.flavor]
    limit = next(one.runtime_limit_seconds for one in contract.classes if one.name is queue.workload_class) or 86_400
    content: dict[str, Any] = {
        "version": 1,
        "name": draw(st.from_regex(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?", fullmatch=True)),
        "team": team.name,
        "class": queue.workload_class,
        "image": IMAGE,
        "command": draw(st.lists(_WORDS, min_size=1, max_size=3)),
        "workers": draw(_workers(contract, queue, meant, pool, nodes)),
        "boundHours": draw(st.floats(0.5, limit / 3600)),
        "variables": draw(st.dictionaries(st.from_regex(r"[A-Z][A-Z_]{0,8}X", fullmatch=True), _WORDS, max_size=2)),
    }
    if draw(st.booleans()):
        content["environment"] = contract.environment
    if queue.workload_class in SPOT_CLASSES or (BucketKind.CHECKPOINTS in team.prefixes and draw(st.booleans())):
        content["checkpoint"] = draw(_checkpoints(order, contract))
    if _has_stable(order, queue) and draw(st.integers(0, 2)) == 0:
        content["coordinator"] = {"command": ["meet"], "cpu": 0.5, "memoryGib": 0.5}
    return Job.model_validate_json(json.dumps(content), by_alias=True, by_name=False)


def _chances(contract: Contract) -> list[_Chance]:
    """Where a run has a place: nodes that can come up, quota of them, and somewhere to save. Anywhere, where there is no such place."""
    flavors = {flavor.name: flavor for flavor in contract.flavors}
    every = [
        (team, queue, flavors[quota.flavor], pool)
        for team in contract.teams
        for queue in team.queues
        for quota in queue.quotas
        for pool in pools_of(contract, flavors[quota.flavor])
    ]
    return [one for one in every if _is_good(contract, *one)] or every


def _is_good(contract: Contract, team: TeamContract, queue: TeamQueueContract, flavor: FlavorContract, pool: PoolContract) -> bool:
    most = most_by_quota(contract, queue, flavor)
    has_quota = most.cpu > 0 and (most.gpus > 0 or not node_room(pool).gpus)
    return (
        has_quota
        and nodes_for_queues(contract, pool) > 0
        and (BucketKind.CHECKPOINTS in team.prefixes or queue.workload_class not in SPOT_CLASSES)
    )


@st.composite
def _workers(
    draw: st.DrawFn, contract: Contract, queue: TeamQueueContract, flavor: FlavorContract, pool: PoolContract, nodes: int | None
) -> dict[str, Any]:
    room, most = node_room(pool), most_by_quota(contract, queue, flavor)
    parts = draw(st.integers(1, 3))
    gpus = draw(st.sampled_from([max(1, room.gpus // parts), 1])) if room.gpus else 0
    # What goes with the GPUs, as quotas are counted; without GPUs a part of the node.
    share = gpus / room.gpus if gpus else 1 / parts
    cpu = max(1, int(room.cpu * share * draw(st.sampled_from([0.1, 0.5, 1]))))
    memory = max(11, int(room.memory * share * draw(st.sampled_from([0.1, 0.5, 1]))))
    there = min(
        nodes or 1000, nodes_for_queues(contract, pool), most.cpu // cpu, most.memory // memory, *([most.gpus // gpus] if gpus else [])
    )
    workers: dict[str, Any] = {
        "count": draw(st.integers(1, max(1, there) + draw(st.integers(0, 1)))),
        "gpus": gpus,
        "cpu": cpu / 1000,
        "memoryGib": memory / 1024,
    }
    if workers["count"] > 1 and draw(st.integers(0, 3)) == 0:
        workers["spreadOverZones"] = True
    if gpus and pool.accelerator and draw(st.integers(0, 3)) == 0:
        workers["accelerator"] = pool.accelerator.type
    if flavor.topology or draw(st.integers(0, 3)) == 0:
        workers["flavor"] = flavor.name
    return workers


@st.composite
def _checkpoints(draw: st.DrawFn, order: Sequence[FlavorContract], contract: Contract) -> dict[str, Any]:
    longest = max(flavor.usable_grace_seconds for flavor in order)
    margin = contract.admission.save_margin_seconds if contract.admission else 0
    save = draw(st.one_of(st.integers(1, 10), st.integers(1, max(1, longest - margin))))
    needs: dict[str, Any] = {
        "sizeGib": draw(st.sampled_from([0.1, 1, 7.5])),
        "stepSeconds": draw(st.sampled_from([0.1, 1.5, 30])),
        "saveSeconds": save,
    }
    if draw(st.booleans()):
        needs["intervalSeconds"] = save + draw(st.integers(1, 3600))
    return needs


def _has_stable(order: Sequence[FlavorContract], queue: TeamQueueContract) -> bool:
    own = {quota.flavor for quota in queue.quotas if quota.nominal.cpu_millicores >= 500}
    return any(flavor.role is Role.STABLE and flavor.name in own for flavor in order)
