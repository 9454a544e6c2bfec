"""Durations read as people say them, and say nothing wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.documents.durations import duration

_SIZES = {"d": 86400, "h": 3600, "min": 60, "s": 1}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.05, "0.05 s"),
        (1, "1 s"),
        (59.6, "1 min"),
        (90, "1 min 30 s"),
        (3599.7, "1 h"),
        (7500, "2 h 5 min"),
        (86399, "1 d"),
        (90000, "1 d 1 h"),
    ],
)
def test_has_two_units_at_most(seconds, text):
    assert duration(seconds) == text


@given(st.floats(1, 1e8))
def test_is_never_wrong_by_more_than_half_of_its_second_unit(seconds):
    said = sum(int(count) * _SIZES[unit] for count, unit in re.findall(r"(\d+) (d|h|min|s)", duration(seconds)))
    unit = next((below for size, below in ((86400, 3600), (3600, 60)) if seconds >= size), 1)
    assert abs(said - seconds) <= unit / 2 + 1e-6
