"""Paths into objects, followed in Python and written in CEL. What they may say is told in `kinds.Kind`."""

import re
from collections.abc import Iterator

from hybrid_pools.workload.reading import Value

_MARK = re.compile(r"\[\]|\{\}")


def follow(value: Value, path: str) -> Iterator[Value]:
    """Every place below the value that the path names and where something is declared.

    Raises:
        NotReadable: A part of the path cannot be read.
    """
    mark = _MARK.search(path)
    if mark is None:
        found = value.at(path) if path else value
        if found.is_set():
            yield found
        return
    head, rest = path[: mark.start()], path[mark.end() :].removeprefix(".")
    many = value.at(head) if head else value
    for element in many.items() if mark[0] == "[]" else many.entries().values():
        yield from follow(element, rest)


def optional(root: str, path: str) -> str:
    """CEL of what a path without `[]` and `{}` names, as an optional value."""
    return root + "".join(f".?{key}" for key in path.split(".") if key)


def present(root: str, path: str) -> str:
    """CEL of the same, where it is known to be there."""
    return root + "".join(f".{key}" for key in path.split(".") if key)


def grouped(root: str, path: str) -> str:
    """CEL of everything that the path names, as a list of lists: without two-variable comprehensions, which old API servers lack, CEL
    cannot flatten. The path has at most two of `[]` and `{}`.

    Raises:
        ValueError: It has more.
    """
    marks = list(_MARK.finditer(path))
    if len(marks) > 2:
        raise ValueError(f"{path} has lists in lists in lists")
    if len(marks) < 2:
        return f"[{_listed(root, path)}]"
    head, rest = path[: marks[0].start()], path[marks[0].end() :].removeprefix(".")
    if marks[0][0] == "[]":
        return f"{optional(root, head)}.orValue([]).map(g, {_listed('g', rest)})"
    return f"{optional(root, head)}.orValue({{}}).map(g, {_listed(f'{present(root, head)}[g]', rest)})"


def _listed(root: str, path: str) -> str:
    mark = _MARK.search(path)
    if mark is None:
        return f"[?{optional(root, path)}]" if path else f"[{root}]"
    head, rest = path[: mark.start()], path[mark.end() :].removeprefix(".")
    many = optional(root, head)
    if mark[0] == "[]":
        there = f".filter(e, {optional('e', rest)}.hasValue())" if rest else ""
        return f"{many}.orValue([]){there}.map(e, {present('e', rest)})"
    element = f"{present(root, head)}[e]"
    return f"{many}.orValue({{}}).filter(e, {optional(element, rest)}.hasValue()).map(e, {present(element, rest)})"
