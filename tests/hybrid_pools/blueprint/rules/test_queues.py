"""The rules on queues refuse from exactly the first GPU, vCPU and minute that is too much."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.derivation import check
from hybrid_pools.blueprint.problems import ConfigurationError
from tests.environments import sections_of
from tests.schedules import NOW
from tests.strategies import FILE, Sections, sections


def rules_broken(made: Sections) -> list[str]:
    """Ids of the rules that a configuration breaks."""
    try:
        check(FILE, made, now=NOW)
    except ConfigurationError as error:
        return [problem.rule for problem in error.problems]
    return []


def local(**queues: Any) -> Sections:
    """The lab's configuration with other queues of the two teams."""
    return sections_of("local") | {"queues": {"teams": {"speech": {}, "vision": {}} | queues}}


def owning(flavor: str, **quota: int) -> Sections:
    """A team's queues with one quota for training."""
    return {"quotas": {"training": {flavor: quota}}}


class TestTheQuotasOfAllTeams:
    @pytest.mark.parametrize(("flavor", "whole"), [("spot-l4", 12), ("stable-cpu", 42)])
    def test_may_take_all_that_the_pools_hold_and_not_one_more(self, flavor: str, whole: int):
        for own in (0, 1, whole // 2, whole):
            rest = owning(flavor, nominal=whole - own)
            assert rules_broken(local(speech=owning(flavor, nominal=own), vision=rest)) == []
            above = owning(flavor, nominal=whole - own + 1)
            assert rules_broken(local(speech=owning(flavor, nominal=own), vision=above)) == ["CFG-902"]

    @given(sections(queued=True), st.data())
    def test_are_refused_wherever_one_is_raised_above_the_pools(self, made: Sections, data: st.DataObject):
        if "queues" not in made:
            return
        team = data.draw(st.sampled_from(sorted(made["queues"]["teams"])))
        quotas = made["queues"]["teams"][team]["quotas"]
        workload_class = data.draw(st.sampled_from(sorted(quotas)))
        flavor = data.draw(st.sampled_from(sorted(quotas[workload_class])))
        quotas[workload_class][flavor]["nominal"] = 1_000_000
        assert "CFG-902" in rules_broken(made)

    @given(sections(queued=True), st.data())
    def test_are_of_every_team(self, made: Sections, data: st.DataObject):
        if "queues" not in made:
            return
        del made["queues"]["teams"][data.draw(st.sampled_from(sorted(made["queues"]["teams"])))]
        assert "CFG-901" in rules_broken(made)


class TestBorrowing:
    def test_is_possible_as_long_as_one_gpu_is_nobodys_or_lent(self):
        borrower = owning("spot-l4", borrowing=1)
        assert rules_broken(local(speech=borrower, vision=owning("spot-l4", nominal=11, lending=0))) == []
        assert rules_broken(local(speech=borrower, vision=owning("spot-l4", nominal=12, lending=1))) == []
        assert rules_broken(local(speech=borrower, vision=owning("spot-l4", nominal=12, lending=0))) == ["CFG-906"]

    def test_from_another_class_of_the_same_team_is_possible(self):
        team = {"quotas": {"training": {"stable-cpu": {"borrowing": 2}}, "interactive": {"stable-cpu": {"nominal": 2}}}}
        assert rules_broken(local(vision=team)) == []

    def test_of_nothing_is_no_borrowing(self):
        assert rules_broken(local(vision=owning("stable-cpu", nominal=1, borrowing=0))) == []


class TestAWindow:
    @pytest.mark.parametrize(("end", "broken"), [("10:58", ["CFG-914"]), ("10:59", [])])
    def test_is_longer_than_lead_drain_and_calls_together(self, end: str, broken: list[str]):
        made = sections_of("local")
        # 35 and 22 minutes and one of the calls: a window of 58 minutes leaves training nothing.
        made["schedule"] |= {
            "windows": {"noon": {"days": ["mon"], "start": "10:00", "end": end}},
            "leadMinutes": 35,
            "drainMinutes": 22,
            "bootMinutes": 11,
        }
        assert rules_broken(made) == broken
