"""Every segment that can be described has its place, and none that cannot be lost gets to spot."""

import re
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from hybrid_pools.blueprint.contract import contract
from hybrid_pools.blueprint.vocabulary import SPOT_CLASSES, Role, WorkloadClass
from hybrid_pools.documents.schemas import audit_schema
from hybrid_pools.training.audit import EXAMPLE, RULES, AuditError, Places, Segment, judge, places_of, read_workload
from hybrid_pools.training.audit.rules import CHEAP_SECONDS
from tests.environments import ENVIRONMENTS, blueprint_of

seconds = st.integers(1, 86_400)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    keeps_state = draw(st.booleans())
    return Segment(
        serves_users=draw(st.booleans()),
        interactive=draw(st.booleans()),
        coordinates=draw(st.booleans()),
        keeps_state=keeps_state,
        # Short saves are the ones that matter.
        save_seconds=draw(st.none() | st.integers(1, 130) | seconds) if keeps_state else None,
        longest_run_seconds=draw(st.none() | seconds),
        restart_seconds=draw(st.integers(0, 86_400)),
        can_wait=draw(st.booleans()),
    )


places = st.builds(Places, st.integers(0, 115), st.integers(0, 595), st.none() | seconds)


class TestEverySegment:
    @given(segments(), places)
    def test_gets_one_row_the_first_that_fits(self, segment, where):
        rule = judge("one", segment, where).rule
        fitting = [row for row in RULES if row.holds(segment, where)]
        assert fitting[0] is rule

    @given(segments(), places)
    def test_that_cannot_save_in_the_time_spot_leaves_stays_off_spot(self, segment, where):
        if judge("one", segment, where).rule.role is Role.SPOT:
            assert where.save_on_spot > 0
            if segment.keeps_state:
                assert segment.save_seconds is not None
                assert segment.save_seconds <= where.save_on_spot
            else:
                assert segment.longest_run_seconds is not None
                assert segment.longest_run_seconds <= CHEAP_SECONDS
            assert segment.restart_seconds <= CHEAP_SECONDS

    @given(segments(), places)
    def test_that_serves_coordinates_or_is_sat_before_stays_on_stable_nodes(self, segment, where):
        rule = judge("one", segment, where).rule
        if segment.serves_users or segment.coordinates or segment.interactive:
            assert rule.role is Role.STABLE
        if segment.serves_users:
            assert rule.workload_class is WorkloadClass.SERVICE

    @given(segments(), places)
    def test_gets_a_class_that_may_go_to_its_role(self, segment, where):
        rule = judge("one", segment, where).rule
        if rule.role is Role.SPOT:
            assert rule.workload_class in SPOT_CLASSES
        # A deferred job has no way to stable nodes.
        if rule.workload_class is WorkloadClass.DEFERRED:
            assert rule.role is not Role.STABLE

    @given(segments(), places)
    def test_on_the_buffer_saves_before_services_take_it_back(self, segment, where):
        if judge("one", segment, where).rule.role is Role.BUFFER:
            assert segment.save_seconds is not None
            assert segment.save_seconds <= where.save_on_buffer

    @given(segments(), places, st.integers(0, 115))
    def test_never_loses_spot_when_spot_leaves_more_time(self, segment, where, more):
        if judge("one", segment, where).rule.role is Role.SPOT:
            roomier = replace(where, save_on_spot=where.save_on_spot + more)
            assert judge("one", segment, roomier).rule.role is Role.SPOT

    @given(segments(), places)
    def test_is_told_what_would_make_it_safe_where_something_would(self, segment, where):
        verdict = judge("one", segment, where)
        if verdict.to_spot:
            assert verdict.rule.role is not Role.SPOT
            assert not re.search(r"[{}]", verdict.to_spot)
            assert "0 s" not in verdict.to_spot.split()


def test_every_row_is_the_answer_for_some_segment_of_the_example_or_a_change_of_it() -> None:
    kept = {"keepsState": True}
    rows = {
        "AUD-01": {"servesUsers": True, "keepsState": False},
        "AUD-02": {"coordinates": True, "keepsState": False},
        "AUD-03": {"interactive": True, "keepsState": True, "longestRunSeconds": 3600},
        "AUD-04": {"interactive": True, "keepsState": True},
        "AUD-05": {"keepsState": False, "longestRunSeconds": 60, "canWait": True},
        "AUD-06": {"keepsState": False, "longestRunSeconds": 60},
        "AUD-07": {"keepsState": False},
        "AUD-08": kept,
        "AUD-09": kept | {"saveSeconds": 5, "restartSeconds": 3601},
        "AUD-10": kept | {"saveSeconds": 10, "canWait": True},
        "AUD-11": kept | {"saveSeconds": 10},
        "AUD-12": kept | {"saveSeconds": 11, "canWait": True},
        "AUD-13": kept | {"saveSeconds": 11},
    }
    assert {row: judge("one", Segment.model_validate(said), places_of(None)).rule.id for row, said in rows.items()} == {
        row: row for row in (rule.id for rule in RULES)
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_is_judged_by_its_tightest_pools(environment):
    blueprint = blueprint_of(environment)
    told = contract(
        blueprint,
        "main",
        "main.example",
        {pool.name: pool.name for pool in blueprint.pools},
        buckets={b.kind: b.kind for b in blueprint.buckets},
    )
    where = places_of(told)
    spot = [pool.usable_grace_seconds for pool in blueprint.pools_of(Role.SPOT)]
    assert where.save_on_spot == (min(spot) - 5 if spot else 0)
    assert where.save_on_buffer == (595 if blueprint.schedule else 0)


class TestTheExample:
    def test_follows_the_schema_that_editors_use(self):
        Draft202012Validator(audit_schema()).validate(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8")))

    def test_can_be_read_and_sends_something_to_each_role(self):
        found = {judge(name, segment, places_of(None)).rule.role for name, segment in read_workload(EXAMPLE).segments.items()}
        assert found == set(Role)


BAD = {
    "nothing": ("", "is empty, so there is nothing to judge"),
    "no mapping": ("- a\n", "is not a mapping"),
    "no YAML": ("segments: [", "is not YAML"),
    "no version": ("segments: {a: {keepsState: false}}\n", "version"),
    "another version": ("version: 2\nsegments: {a: {keepsState: false}}\n", "is not one of the known values"),
    "no segments": ("version: 1\nsegments: {}\n", "has too few entries"),
    "segments in a list": ("version: 1\nsegments: [a]\n", "is not a mapping"),
    "a name with a space": ("version: 1\nsegments: {A b: {keepsState: false}}\n", "does not have the form that is needed"),
    "no word on state": ("version: 1\nsegments: {a: {}}\n", "keepsState"),
    "a misspelt key": ("version: 1\nsegments: {a: {keepsState: true, saveSecond: 4}}\n", "did you mean saveSeconds? Rename it"),
    "a word for a truth": ("version: 1\nsegments: {a: {keepsState: maybe}}\n", "is not true or false"),
    "a save of no time": ("version: 1\nsegments: {a: {keepsState: true, saveSeconds: 0}}\n", "is too small"),
    "a save of text": ("version: 1\nsegments: {a: {keepsState: true, saveSeconds: 5s}}\n", "is not a whole number"),
    "a restart before the loss": ("version: 1\nsegments: {a: {keepsState: true, restartSeconds: -1}}\n", "is too small"),
    "saving without state": ("version: 1\nsegments: {a: {keepsState: false, saveSeconds: 5}}\n", "saves and has no state to save"),
    "a segment twice": ("version: 1\nsegments:\n  a: {keepsState: true}\n  a: {keepsState: false}\n", "comes twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_description_is_refused_with_where_and_how_to_mend_it(name, tmp_path):
    text, message = BAD[name]
    file = tmp_path / "segments.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AuditError, match=re.escape(message)) as refused:
        read_workload(file)
    assert "nothing was judged" in str(refused.value)
    assert all(problem.fix and problem.allowed for problem in refused.value.problems)


def test_all_problems_are_told_at_once_with_their_lines(tmp_path):
    file = tmp_path / "segments.yaml"
    file.write_text("version: 1\nsegments:\n  a:\n    keepsState: 1\n  b:\n    servesUsers: true\n    canWeit: true\n", encoding="utf-8")
    with pytest.raises(AuditError) as refused:
        read_workload(file)
    assert [(problem.path, problem.line) for problem in refused.value.problems] == [
        ("segments.a.keepsState", 4),
        ("segments.b.keepsState", 5),
        ("segments.b.canWeit", 7),
    ]


def test_a_segment_cannot_be_made_that_a_file_could_not_say() -> None:
    with pytest.raises(ValidationError):
        Segment(keeps_state=False, save_seconds=3)
