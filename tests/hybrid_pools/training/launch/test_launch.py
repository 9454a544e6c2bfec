"""Every run that is rendered, for any description in any environment."""

from dataclasses import dataclass
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.reading import parse_contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.lint.linting import lint
from hybrid_pools.lint.surroundings import surroundings
from hybrid_pools.training.launch import LaunchError, Plan, manifest, plan, text
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.rule import Verdict
from tests.environments import ENVIRONMENTS, blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.launch_strategies import jobs_for
from tests.strategies import queued_blueprints

KNOWN = [blueprint_of(name) for name in ENVIRONMENTS]


@dataclass(frozen=True)
class Launched:
    blueprint: Blueprint
    contract: Contract
    planned: Plan
    made: dict[str, Any]


@st.composite
def launched(draw: st.DrawFn) -> list[Launched]:
    """What is rendered of some descriptions for one environment, which takes much longer to make up than they do."""
    blueprint = draw(st.one_of(st.sampled_from(KNOWN), queued_blueprints()))
    # As a team gets it, through the text that a stack writes.
    contract = parse_contract(contract_of(blueprint).model_dump_json(exclude_none=True).encode())
    found = []
    for job in draw(st.lists(jobs_for(contract), min_size=5, max_size=5)):
        try:
            planned = plan(job, contract)
        except LaunchError as refused:
            assert refused.problems
            assert all(problem.message and problem.allowed and problem.fix for problem in refused.problems)
        else:
            found.append(Launched(blueprint, contract, planned, manifest(planned)))
    return found


class TestEveryRun:
    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(launched())
    def test_passes_every_rule_of_the_cluster_and_the_whole_lint(self, found: list[Launched]):
        for one in found:
            kubernetes = one.blueprint.kubernetes
            assert kubernetes is not None
            findings = judge(one.made, kubernetes.admission)
            assert [finding.message for finding in findings if finding.verdict is not Verdict.PASSED] == []
            assert lint("job.yaml", text(one.made).encode(), surroundings(one.contract)) == []
            assert yaml.safe_load(text(one.made)) == one.made

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(launched())
    def test_has_time_to_save_wherever_it_may_be(self, found: list[Launched]):
        for one in found:
            planned = one.planned
            assert any(place.fits for place in planned.workers.order)
            for place in planned.workers.possible:
                assert planned.grace_seconds is None or planned.workers.pods.stop_seconds <= planned.grace_seconds <= place.grace_seconds
            for place in planned.workers.order:
                assert place.pools or not place.fits
                assert bool(place.pools) == (place.pods_per_node > 0)
