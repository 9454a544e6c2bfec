"""Which files are linted, and what they hold. The one part of the lint that reads."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybrid_pools.lint.linting import LARGEST_BYTES

SUFFIXES = (".json", ".yaml", ".yml")
"""Ends of names of what is taken from a folder."""

STANDARD_INPUT = "-"

_USUAL_BYTES = 1 << 16
"""Asked for at first: room for all that may be read would be made for every file."""


@dataclass(frozen=True)
class Taken:
    """A file that is linted."""

    path: str


@dataclass(frozen=True)
class Skipped:
    """Something in a folder that is not linted: a hidden file or folder, another kind of file, a link to a folder."""

    path: str


@dataclass(frozen=True)
class Empty:
    """A folder in which nothing is linted. Whoever names it expects otherwise."""

    path: str


def walk(arguments: Sequence[str]) -> Iterator[Taken | Skipped | Empty]:
    """What is meant by files and folders, each once, in order: a file is taken whatever its name, and from a folder, with all below it,
    what ends in one of `SUFFIXES` and is not hidden."""
    seen: set[str] = set()
    for argument in arguments:
        inside = list(_walked(argument))
        if not any(isinstance(found, Taken) for found in inside):
            yield Empty(argument)
        for found in inside:
            key = os.path.normpath(found.path)
            if key not in seen:
                seen.add(key)
                yield found


def _walked(argument: str) -> Iterator[Taken | Skipped]:
    if argument == STANDARD_INPUT or not Path(argument).is_dir():
        yield Taken(argument)
        return
    for folder, folders, files in os.walk(argument):
        kept = sorted(name for name in folders if not name.startswith(".") and not Path(folder, name).is_symlink())
        yield from (Skipped(_joined(folder, name)) for name in sorted(folders) if name not in kept)
        folders[:] = kept
        for name in sorted(files):
            taken = name.lower().endswith(SUFFIXES) and not name.startswith(".")
            yield Taken(_joined(folder, name)) if taken else Skipped(_joined(folder, name))


def content_of(path: str) -> bytes:
    """What a file holds, one byte more than is read at the most where it holds more than that.

    Raises:
        OSError: It cannot be read.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - thousands of files are read, most of them small
        start = file.read(_USUAL_BYTES)
        return start if len(start) < _USUAL_BYTES else start + file.read(LARGEST_BYTES + 1 - _USUAL_BYTES)


def _joined(folder: str, name: str) -> str:
    return os.path.join(folder, name).replace(os.sep, "/")  # noqa: PTH118 - as above
