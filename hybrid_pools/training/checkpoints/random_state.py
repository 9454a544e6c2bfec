"""The state of random generators, as JSON. numpy counts where the trainer has imported it."""

import random
import sys
from typing import Any

from pydantic import JsonValue


def python_random() -> JsonValue:
    """State of Python's generator."""
    version, numbers, gauss = random.getstate()
    return [version, list(numbers), gauss]


def numpy_random() -> JsonValue:
    """State of numpy's global generator; None where numpy is not in use."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    state: dict[str, Any] = numpy.random.get_state(legacy=False)
    return {**state, "state": {**state["state"], "key": state["state"]["key"].tolist()}}


def set_python_random(state: Any) -> None:
    """Goes on where `python_random` stood."""
    version, numbers, gauss = state
    random.setstate((version, tuple(numbers), gauss))


def set_numpy_random(state: Any) -> None:
    """Goes on where `numpy_random` stood."""
    import numpy  # noqa: PLC0415 - the trainer has it, or there would be no state

    numpy.random.set_state({**state, "state": {**state["state"], "key": numpy.array(state["state"]["key"], dtype=numpy.uint32)}})
