"""Waiting for what a cluster does in its own time."""

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_PAUSE = 0.1  # seconds between two looks


def eventually(condition: Callable[[], Result], within: float = 30) -> Result:
    """What the condition returns as soon as that is true.

    Args:
        condition: Looked at again and again. A failed assertion in it counts as not yet.
        within: Seconds after which the test fails with what was seen last.
    """
    give_up = time.monotonic() + within
    while True:
        seen: object
        try:
            result = condition()
            if result:
                return result
            seen = result
        except AssertionError as error:
            seen = error
        if time.monotonic() > give_up:
            raise AssertionError(f"not within {within} seconds; seen last: {seen!r}")
        time.sleep(_PAUSE)
