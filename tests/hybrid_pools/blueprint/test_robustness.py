"""Nothing that a stack file can hold makes the check do anything but accept it or say what is wrong."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.configuration import SECTIONS
from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.problems import ConfigurationError, Problem
from hybrid_pools.blueprint.vocabulary import PROJECT
from tests.strategies import FILE, Sections, sections

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8
)
Path = tuple[str | int, ...]


def problems_of(made: Sections) -> tuple[Problem, ...]:
    """What is found wrong; derives what is right, so that an accepted configuration is never one that cannot be derived."""
    try:
        derive(check(FILE, made))
    except ConfigurationError as error:
        return error.problems
    return ()


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place inside a configuration."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in below:
        yield (*path, key)
        yield from places(inner, (*path, key))


def told(path: Path) -> str:
    """A place as problems spell it."""
    text = f"{PROJECT}:{path[0]}"
    for key in path[1:]:
        text += f"[{key}]" if isinstance(key, int) else f".{key}"
    return text


def holder(made: Sections, path: Path) -> Any:
    """What holds the last key of a path."""
    inner: Any = made
    for key in path[:-1]:
        inner = inner[key]
    return inner


class TestAnyValue:
    @given(st.dictionaries(st.sampled_from(list(SECTIONS)) | st.text(max_size=8), values, max_size=6))
    def test_is_refused_with_problems(self, made: Sections):
        assert problems_of(made)

    @given(sections(), st.data())
    @settings(max_examples=100)
    def test_in_any_place_is_accepted_or_refused(self, made: Sections, data: st.DataObject):
        path = data.draw(st.sampled_from([*places(made)]))
        changed = copy.deepcopy(made)
        holder(changed, path)[path[-1]] = data.draw(values)
        for problem in problems_of(changed):
            assert problem.allowed
            assert problem.fix

    @given(sections(), st.text(max_size=30), st.data())
    @settings(max_examples=100)
    def test_of_text_in_place_of_text_is_accepted_or_refused(self, made: Sections, text: str, data: st.DataObject):
        texts = [path for path in places(made) if isinstance(holder(made, path)[path[-1]], str)]
        path = data.draw(st.sampled_from(texts))
        changed = copy.deepcopy(made)
        holder(changed, path)[path[-1]] = text
        problems_of(changed)


class TestOneChangeOfAValidConfiguration:
    """What becomes wrong by one change is told at the place of the change, above it, or where a rule weighs it against the rest."""

    @given(sections(), st.data())
    @settings(max_examples=100)
    def test_to_the_wrong_type_is_told_right_there(self, made: Sections, data: st.DataObject):
        path = data.draw(st.sampled_from([*places(made)]))
        changed = copy.deepcopy(made)
        was = holder(made, path)[path[-1]]
        holder(changed, path)[path[-1]] = {"of": "the wrong type"} if isinstance(was, str | int | list) else 7
        assert any(_at_or_around(problem, path) for problem in problems_of(changed))

    @given(sections(), st.data())
    @settings(max_examples=100)
    def test_of_a_keys_name_is_told_there_unless_the_name_is_free(self, made: Sections, data: st.DataObject):
        path = data.draw(st.sampled_from([place for place in places(made) if isinstance(place[-1], str)]))
        changed = copy.deepcopy(made)
        inner = holder(changed, path)
        renamed = f"{path[-1]}X"
        inner[renamed] = inner.pop(path[-1])
        free = path[-2:-1] in (("labels",), ("taints",), ("sysctls",))
        assert free or any(_at_or_around(problem, (*path[:-1], renamed)) for problem in problems_of(changed))

    @given(sections(), st.data())
    @settings(max_examples=100)
    def test_by_leaving_a_key_out_is_accepted_or_told_there_or_above(self, made: Sections, data: st.DataObject):
        path = data.draw(st.sampled_from([*places(made)]))
        changed = copy.deepcopy(made)
        del holder(changed, path)[path[-1]]
        found = problems_of(changed)
        near = told(path[:2]) if path[0] == "pools" else told(path[:1])
        assert not found or any(problem.path.startswith(near) or near.startswith(problem.path) for problem in found) or _weighed(found)


def _at_or_around(problem: Problem, path: Path) -> bool:
    """Whether a problem is told at a place, below it, or at something above it."""
    place = told(path)
    return problem.path.startswith(place) or place.startswith(problem.path)


def _weighed(found: tuple[Problem, ...]) -> bool:
    """Whether rules over several sections speak: leaving out a version or a ceiling is told where it is missed."""
    return all(problem.rule >= "CFG-1" for problem in found)
