"""Lifecycle rules delete only what is both old and outnumbered, whatever happened to the objects."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.configuration.buckets import ColdClass
from hybrid_pools.blueprint.lifecycle import Action, LifecycleRule, State, abort_uploads, keep_recent, move_when_older, rendered
from tests.environments import ENVIRONMENTS, blueprint_of
from tests.hybrid_pools.blueprint.lifecycle_semantics import Bucket, Rule, removed

MARKER = "commit_success.txt"
SHARDS = ("shard-0", "shard-1")


@dataclass(frozen=True)
class Bounds:
    """What a bucket promises to keep."""

    versions: int
    days: int


bounds = st.builds(Bounds, st.integers(1, 5), st.integers(1, 40))
archiving = st.none() | st.tuples(st.integers(1, 60), st.sampled_from(ColdClass))


@st.composite
def kept_buckets(draw: st.DrawFn) -> tuple[Bounds, Bucket]:
    """A bucket with the rules that are rendered for it, and what it promises."""
    promised = draw(bounds)
    rules = [keep_recent(promised.versions, promised.days), abort_uploads(draw(st.integers(1, 30)))]
    moves = draw(archiving)
    if moves:
        rules.insert(1, move_when_older(*moves))
    # The abort of uploads sees no objects.
    return promised, Bucket([rendered(rule) for rule in rules if rule.action is not Action.ABORT_UPLOAD])


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, str, str]]:
    """Writes, deletions and Google's visits by day. Google may come on any day, and may miss many."""
    moves = st.tuples(st.sampled_from(["write", "write", "delete", "sweep"]), st.sampled_from(["latest", "config.json"]))
    days = draw(st.lists(st.tuples(st.integers(0, 15), moves), max_size=40))
    today, history = 0, []
    for later, (move, name) in days:
        today += later
        history.append((today, move, name))
    return [*history, (today + draw(st.integers(0, 100)), "sweep", "")]


def live_through(bucket: Bucket, history: Sequence[tuple[int, str, str]]) -> None:
    for day, move, name in history:
        match move:
            case "write":
                bucket.write(name, day)
            case "delete":
                bucket.delete(name, day)
            case _:
                bucket.sweep(day)


def younger_than_promised(bucket: Bucket, promised: Bounds) -> list[Any]:
    return [one for one in removed(bucket) if one.removed - one.replaced < promised.days]  # type: ignore[operator]


def newer_than_promised(bucket: Bucket, promised: Bounds) -> list[Any]:
    """Removed although fewer than the promised number of versions had been written after it."""
    return [
        one
        for index, one in enumerate(bucket.versions)
        if one.removed is not None
        and sum(other.name == one.name and other.written <= one.removed for other in bucket.versions[index + 1 :]) < promised.versions
    ]


class TestRenderedRules:
    @given(kept_buckets(), histories())
    def test_delete_nothing_that_was_replaced_fewer_days_ago_than_promised(
        self, kept: tuple[Bounds, Bucket], history: list[tuple[int, str, str]]
    ):
        promised, bucket = kept
        live_through(bucket, history)
        assert younger_than_promised(bucket, promised) == []

    @given(kept_buckets(), histories())
    def test_delete_nothing_among_the_newest_versions(self, kept: tuple[Bounds, Bucket], history: list[tuple[int, str, str]]):
        promised, bucket = kept
        live_through(bucket, history)
        assert newer_than_promised(bucket, promised) == []

    @given(kept_buckets(), histories())
    def test_delete_no_live_object(self, kept: tuple[Bounds, Bucket], history: list[tuple[int, str, str]]):
        _, bucket = kept
        live_through(bucket, history)
        assert bucket.replaced_by_lifecycle == []

    @given(bounds, st.integers(1, 400), st.sampled_from(ColdClass))
    def test_do_delete_what_is_beyond_both_bounds(self, promised: Bounds, after: int, storage_class: ColdClass):
        bucket = Bucket([rendered(rule) for rule in (keep_recent(promised.versions, promised.days), move_when_older(after, storage_class))])
        for day in range(promised.versions + 1):
            bucket.write("latest", day)
        bucket.sweep(promised.versions + promised.days)
        assert [one.written for one in removed(bucket)] == [0]

    @given(bounds, st.integers(1, 8), st.integers(0, 1000))
    def test_keep_the_newest_versions_of_a_name_that_is_never_written_again_for_ever(self, promised: Bounds, writes: int, later: int):
        bucket = Bucket([rendered(keep_recent(promised.versions, promised.days))])
        for day in range(writes):
            bucket.write("step-100/shard-0", day)
        bucket.delete("step-100/shard-0", writes)
        bucket.sweep(writes + promised.days + later)
        left = [one.written for one in bucket.versions if one.removed is None]
        assert left[-promised.versions :] == list(range(writes))[-promised.versions :]


@st.composite
def saves(draw: st.DrawFn) -> list[tuple[int, str]]:
    """Saves into one folder, deletions of the whole folder, and Google's visits."""
    steps = draw(st.lists(st.tuples(st.integers(0, 10), st.sampled_from(["save", "save", "prune", "sweep"])), max_size=30))
    today, history = 0, []
    for later, step in steps:
        today += later
        history.append((today, step))
    return [*history, (today + draw(st.integers(0, 100)), "sweep")]


def fate(bucket: Bucket, history: Sequence[tuple[int, str]]) -> list[set[bool]]:
    """Of each save: whether its objects are removed. One element is a save that is there or gone as a whole."""
    made = []
    for day, step in history:
        match step:
            case "save":
                # The marker goes first and comes last, so that no reader takes a half-written checkpoint for a whole one.
                bucket.delete(MARKER, day)
                made.append([bucket.write(name, day) for name in (*SHARDS, MARKER)])
            case "prune":
                for name in (MARKER, *SHARDS):
                    bucket.delete(name, day)
            case _:
                bucket.sweep(day)
    return [{version.removed is not None for version in save} for save in made]


class TestACheckpoint:
    @given(kept_buckets(), saves())
    def test_is_removed_as_a_whole_or_not_at_all(self, kept: tuple[Bounds, Bucket], history: list[tuple[int, str]]):
        _, bucket = kept
        assert all(len(gone) == 1 for gone in fate(bucket, history))

    @given(kept_buckets(), saves(), st.lists(st.integers(1, 50), max_size=10))
    def test_that_a_reader_sees_stays_whole_for_ever(self, kept: tuple[Bounds, Bucket], history: list[tuple[int, str]], visits: list[int]):
        _, bucket = kept
        fate(bucket, history)
        seen = {name: bucket.live(name) for name in (*SHARDS, MARKER)}
        today = history[-1][0]
        for later in visits:
            today += later
            bucket.sweep(today)
        assert {name: bucket.live(name) for name in (*SHARDS, MARKER)} == seen


DELETE = {"type": "Delete"}


class TestOtherRulesWouldBreakThePromise:
    """Each is a way in which the rule is written in public examples."""

    def written_daily(self, rules: Sequence[Rule], days: int, visit: int) -> Bucket:
        bucket = Bucket(rules)
        for day in range(days):
            bucket.write("latest", day)
        bucket.sweep(visit)
        return bucket

    def test_two_rules_delete_what_is_young_and_what_is_among_the_newest(self):
        two: list[Rule] = [
            {"action": DELETE, "condition": {"withState": "ARCHIVED", "numNewerVersions": 2}},
            {"action": DELETE, "condition": {"withState": "ARCHIVED", "daysSinceNoncurrentTime": 10}},
        ]
        promised = Bounds(versions=2, days=10)
        assert younger_than_promised(self.written_daily(two, days=4, visit=5), promised)
        assert newer_than_promised(self.written_daily(two, days=2, visit=20), promised)

    def test_a_rule_by_age_without_a_state_deletes_live_objects(self):
        bucket = self.written_daily([{"action": DELETE, "condition": {"age": 10}}], days=1, visit=10)
        assert bucket.live("latest") is None
        assert bucket.replaced_by_lifecycle

    def test_a_bound_of_zero_without_a_state_deletes_everything(self):
        bucket = self.written_daily([{"action": DELETE, "condition": {"daysSinceNoncurrentTime": 0}}], days=1, visit=0)
        assert bucket.live("latest") is None

    def test_a_bound_of_zero_beside_a_state_deletes_every_version(self):
        zero: list[Rule] = [{"action": DELETE, "condition": {"withState": "ARCHIVED", "numNewerVersions": 0, "daysSinceNoncurrentTime": 0}}]
        assert newer_than_promised(self.written_daily(zero, days=2, visit=1), Bounds(versions=2, days=1))

    def test_a_rule_by_suffix_takes_the_marker_off_its_data(self):
        by_suffix: list[Rule] = [
            {"action": DELETE, "condition": {"withState": "ARCHIVED", "daysSinceNoncurrentTime": 5, "matchesSuffixes": [".txt"]}}
        ]
        assert fate(Bucket(by_suffix), [(0, "save"), (1, "save"), (6, "sweep")])[0] == {True, False}


class TestARule:
    @pytest.mark.parametrize(
        "made",
        [
            lambda: keep_recent(0, 7),
            lambda: keep_recent(3, 0),
            lambda: move_when_older(0, ColdClass.NEARLINE),
            lambda: abort_uploads(0),
            lambda: LifecycleRule(Action.DELETE, newer_versions=3, noncurrent_days=7),
            lambda: LifecycleRule(Action.DELETE, state=State.LIVE, newer_versions=3, noncurrent_days=7),
            lambda: LifecycleRule(Action.DELETE, state=State.ARCHIVED, newer_versions=3),
            lambda: LifecycleRule(Action.DELETE, state=State.ARCHIVED, noncurrent_days=3),
            lambda: LifecycleRule(Action.DELETE, state=State.ARCHIVED),
            lambda: LifecycleRule(Action.SET_STORAGE_CLASS, state=State.LIVE, age_days=3),
            lambda: LifecycleRule(Action.SET_STORAGE_CLASS, storage_class=ColdClass.ARCHIVE, age_days=3),
            lambda: LifecycleRule(Action.ABORT_UPLOAD, state=State.LIVE, age_days=3),
        ],
        ids=[
            "no version kept", "no day kept", "moved at once", "aborted at once", "deletion without a state", "deletion of live objects",
            "deletion by number alone", "deletion by age alone", "deletion without bounds", "move to nowhere", "move without a state",
            "abort with a state",
        ],
    )  # fmt: skip
    def test_that_could_delete_too_much_or_that_google_refuses_cannot_be_made(self, made: Any):
        with pytest.raises(ValueError, match=r"needs bounds|says which versions|names one|deletes only replaced"):
            made()

    @given(kept_buckets())
    def test_is_rendered_without_zeros_and_nulls(self, kept: tuple[Bounds, Bucket]):
        for rule in kept[1].rules:
            assert all(value for part in rule.values() for value in part.values())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_rules_of_every_environment_are_these(environment: str, snapshot: SnapshotAssertion):
    made = {bucket.kind.value: [rendered(rule) for rule in bucket.lifecycle] for bucket in blueprint_of(environment).buckets}
    assert json.dumps(made, indent=2) == snapshot
