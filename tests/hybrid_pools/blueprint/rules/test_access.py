"""What ends is compared with the clock when a configuration is checked, and at no other time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.problems import ConfigurationError
from tests.environments import sections_of

LAST_DAY = "2030-06-30"
MIDNIGHT = datetime(2030, 7, 1, tzinfo=UTC)


def people_of_the_lab() -> dict[str, Any]:
    """The lab's configuration without what would have to agree with its teams."""
    return {name: section for name, section in sections_of("local").items() if name not in ("kubernetes", "queues")}


def with_contractor(until: str = LAST_DAY) -> dict[str, Any]:
    contractors = {"partner@acme.example": {"team": "vision", "until": until}}
    return people_of_the_lab() | {"teams": {"vision": {}}, "access": {"contractors": contractors}}


def with_glass(until: datetime) -> dict[str, Any]:
    glass = {"group": "glass@acme.example", "until": until.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return people_of_the_lab() | {"teams": {}, "access": {"breakGlass": glass}}


def rules_broken(sections: dict[str, Any], now: datetime) -> set[str]:
    try:
        check("stack", sections, now=now)
    except ConfigurationError as error:
        return {problem.rule for problem in error.problems}
    return set()


class TestAContractor:
    @pytest.mark.parametrize(
        ("now", "broken"),
        [
            (MIDNIGHT - timedelta(days=400), set()),
            (MIDNIGHT - timedelta(seconds=1), set()),
            (MIDNIGHT, {"CFG-822"}),
            (MIDNIGHT + timedelta(days=400), {"CFG-822"}),
        ],
    )
    def test_is_accepted_to_the_end_of_the_last_day_and_refused_from_then_on(self, now: datetime, broken: set[str]):
        assert rules_broken(with_contractor(), now) == broken

    def test_means_the_same_on_whatever_day_it_is_checked(self):
        sections = with_contractor()
        early = derive(check("stack", sections, now=MIDNIGHT - timedelta(days=400)))
        assert early == derive(check("stack", sections, now=MIDNIGHT - timedelta(days=1)))


class TestAnEmergency:
    @pytest.mark.parametrize(
        ("ahead", "broken"),
        [
            (timedelta(seconds=0), {"CFG-823"}),
            (timedelta(seconds=1), set()),
            (timedelta(hours=72), set()),
            (timedelta(hours=72, seconds=1), {"CFG-823"}),
        ],
    )
    def test_lies_ahead_and_lasts_no_longer_than_72_hours(self, ahead: timedelta, broken: set[str]):
        assert rules_broken(with_glass(MIDNIGHT + ahead), MIDNIGHT) == broken


class TestOneGroup:
    @pytest.mark.parametrize(
        "access",
        [
            {"onCall": ["ops@acme.example", "second@acme.example"]},
            {"onCall": ["r@acme.example"]},
        ],
    )
    def test_may_be_in_personas_that_only_look(self, access: dict[str, Any]):
        teams = {
            "vision": {"researchers": ["r@acme.example"], "trainingEngineers": ["r@acme.example"]},
            "audio": {"researchers": ["r@acme.example"]},
        }
        assert rules_broken(people_of_the_lab() | {"teams": teams, "access": access}, MIDNIGHT) == set()

    def test_that_is_named_twice_for_one_persona_is_no_second_persona(self):
        access = {"platformEngineers": ["p@acme.example", "p@acme.example"]}
        assert rules_broken(people_of_the_lab() | {"teams": {}, "access": access}, MIDNIGHT) == set()
