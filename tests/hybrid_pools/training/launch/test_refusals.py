"""Runs that an environment has no place for are refused with every reason, and with what would fit."""

from typing import Any

import pytest

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.training.description import Job
from hybrid_pools.training.launch import LaunchError, plan
from tests.environments import blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.hybrid_pools.training.description.test_reading import RIGHT

LOCAL, STAGING, PROD = (contract_of(blueprint_of(name)) for name in ("local", "staging", "prod"))
DEFERRED = {"class": "deferred"}
INTERACTIVE: dict[str, Any] = {"class": "interactive", "workers": {"count": 1, "gpus": 0, "cpu": 1, "memoryGib": 2}}
MEET = {"coordinator": {"command": ["meet"]}}


def job(**changes: Any) -> Job:
    """The right description with some of its keys changed; mappings are merged."""
    content = {key: {**RIGHT.get(key, {}), **value} if isinstance(value, dict) else value for key, value in changes.items()}
    return Job.model_validate(RIGHT | content, strict=False)


def changed(contract: Contract, **changes: Any) -> Contract:
    """The contract with some of its fields replaced, as an environment without them would tell it."""
    return Contract.model_validate(contract.model_dump() | changes)


def without_buckets(contract: Contract) -> Contract:
    return changed(contract, buckets=(), teams=[team.model_dump() | {"prefixes": {}} for team in contract.teams])


def without_order(contract: Contract, team: str, workload_class: str) -> Contract:
    """The contract of an environment in which a class has no queue in a team."""
    teams = [one.model_dump() for one in contract.teams]
    for one in teams:
        if one["name"] == team:
            one["queues"] = [queue for queue in one["queues"] if queue["workloadClass"] != workload_class]
    return changed(contract, teams=teams)


def in_one_zone(contract: Contract) -> Contract:
    return changed(contract, pools=[pool.model_dump() | {"zones": pool.zones[:1]} for pool in contract.pools])


def compact(contract: Contract, flavor: str) -> Contract:
    """The contract of an environment that keeps the nodes of a flavor close together."""
    flavors = [one.model_dump() | {"topology": one.name == flavor} for one in contract.flavors]
    return changed(contract, flavors=flavors)


SPREAD = {"spreadOverZones": True}

CASES: list[tuple[str, Job, Contract, dict[str, str]]] = [
    ("another environment", job(environment="staging"), PROD, {"JOB-101 environment": "take the contract of staging"}),
    ("nothing inside the cluster", job(), changed(LOCAL, classes=(), flavors=()), {"JOB-102 environment": "add them to its stack file"}),
    ("a team that there is not", job(team="vison"), LOCAL, {"JOB-103 team": "correct team"}),
    ("two things at once", job(team="vison", environment="dev"), LOCAL, {"JOB-103 team": "", "JOB-101 environment": ""}),
    ("a class without a queue", job(), without_order(LOCAL, "vision", "training"), {"JOB-104 class": "take another class"}),
    ("longer than its class may be", job(boundHours=400), PROD, {"JOB-105 boundHours": "write boundHours: 336"}),
    ("longer than a sitting", job(**INTERACTIVE, boundHours=5), LOCAL, {"JOB-105 boundHours": "4"}),
    ("more GPUs than a node has", job(workers={"gpus": 4}), LOCAL, {"JOB-106 workers": "ask for less"}),
    ("more CPU than a node has", job(workers={"cpu": 24}), LOCAL, {"JOB-106 workers": "ask for less"}),
    ("more memory than a node has", job(workers={"memoryGib": 96}), LOCAL, {"JOB-106 workers": "ask for less"}),
    ("more nodes than there can be", job(workers={"count": 7}), LOCAL, {"JOB-106 workers": "ask for less"}),
    ("more GPUs than the team can get", job(workers={"count": 6}), LOCAL, {"JOB-106 workers": "docs/queues.md"}),
    ("a disk too small for two checkpoints", job(checkpoint={"sizeGib": 200}), LOCAL, {"JOB-106 workers": ""}),
    ("a save that fits nowhere", job(checkpoint={"saveSeconds": 101}), LOCAL, {"JOB-106 workers": "save faster"}),
    ("a save that fits nowhere by its margin", job(checkpoint={"saveSeconds": 596}, workers={"gpus": 0}), LOCAL, {"JOB-106 workers": ""}),
    ("an accelerator that there is not", job(workers={"accelerator": "nvidia-h200"}), PROD, {"JOB-106 workers": "accelerator"}),
    ("a flavor that there is not", job(workers={"flavor": "spot-l5"}), PROD, {"JOB-107 workers.flavor": "leave flavor out"}),
    ("a flavor that its class never gets", job(**DEFERRED, workers={"flavor": "stable-cpu"}), LOCAL, {"JOB-107 workers.flavor": ""}),
    ("a flavor that is too small", job(workers={"flavor": "buffer-l4"}), LOCAL, {"JOB-106 workers": ""}),
    ("a coordinator that would wait for ever", job(**DEFERRED, **MEET), LOCAL, {"JOB-108 coordinator": "take class training"}),
    ("a coordinator without quota", job(**MEET, workers={"gpus": 1, "cpu": 4, "memoryGib": 16}), STAGING, {"JOB-106 coordinator": ""}),
    ("a coordinator larger than a node", job(coordinator={"command": ["meet"], "cpu": 4}), LOCAL, {"JOB-106 coordinator": ""}),
    ("nowhere to save", job(), without_buckets(LOCAL), {"JOB-109 checkpoint": "docs/storage.md"}),
    ("a save longer than the run", job(boundHours=0.005), LOCAL, {"JOB-110 checkpoint": "correct the numbers under checkpoint"}),
    ("zones where there is one", job(workers=SPREAD), in_one_zone(LOCAL), {"JOB-111 workers.spreadOverZones": "docs/pools.md"}),
    (
        "zones where nodes are close together",
        job(workers={**SPREAD, "flavor": "spot-l4"}),
        compact(LOCAL, "spot-l4"),
        {"JOB-111 workers.spreadOverZones": "name another flavor"},
    ),
    (
        "everything wrong at once",
        job(environment="dev", boundHours=1000, workers={"gpus": 99}, coordinator={"command": ["meet"], "cpu": 99}),
        without_buckets(PROD),
        {"JOB-101 environment": "", "JOB-105 boundHours": "", "JOB-106 workers": "", "JOB-106 coordinator": "", "JOB-109 checkpoint": ""},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("run", "contract", "problems"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
class TestARunWithoutAPlace:
    def test_is_refused_with_exactly_its_problems(self, run: Job, contract: Contract, problems: dict[str, str]):
        with pytest.raises(LaunchError) as refused:
            plan(run, contract)
        found = {f"{problem.rule} {problem.path}": problem for problem in refused.value.problems}
        assert found.keys() == problems.keys()
        assert len(refused.value.problems) == len(problems)
        for at, fix in problems.items():
            assert fix in found[at].fix
            assert found[at].message
            assert found[at].allowed


class TestARunWithAPlace:
    @pytest.mark.parametrize("contract", [LOCAL, PROD])
    def test_is_planned(self, contract: Contract):
        planned = plan(job(), contract)
        assert planned.workers.possible[0].flavor == "spot-l4"

    def test_goes_by_the_whole_machine_where_an_older_contract_does_not_say_what_is_left_of_it(self):
        older = changed(LOCAL, pools=[pool.model_dump() | {"forWorkloads": None, "diskGib": None} for pool in LOCAL.pools])
        assert [place.fits for place in plan(job(), older).workers.order] == [True, False, False]
        with pytest.raises(LaunchError, match="a worker needs 25"):
            plan(job(workers={"cpu": 25}), older)

    def test_shares_a_quota_with_its_coordinator(self):
        # Vision's interactive queue has six cores of stable nodes, two of them borrowed.
        six = INTERACTIVE | {"workers": {"count": 2, "gpus": 0, "cpu": 3, "memoryGib": 2}, "boundHours": 2}
        first, _ = plan(job(**six), LOCAL).workers.order
        beside, buffer = plan(job(**six, **MEET), LOCAL).workers.order
        assert (first.fits, beside.fits, buffer.fits) == (True, False, True)
        assert beside.short == "gives this queue at most 5 CPU cores, borrowed ones included, and 6 are asked for"

    def test_keeps_its_checkpoints_below_the_teams_prefix(self):
        planned = plan(job(), LOCAL)
        assert planned.checkpoint is not None
        team = next(team for team in LOCAL.teams if team.name == "vision")
        assert planned.checkpoint.uri == f"{team.prefixes[BucketKind.CHECKPOINTS]}resnet-7"

    def test_saves_as_often_as_wastes_least_or_as_described(self):
        chosen, given = plan(job(), LOCAL).checkpoint, plan(job(checkpoint={"intervalSeconds": 900}), LOCAL).checkpoint
        assert chosen is not None
        assert given is not None
        assert (chosen.chosen, given.chosen, given.interval_seconds) == (True, False, 900)
        assert chosen.waste.total <= given.waste.total
