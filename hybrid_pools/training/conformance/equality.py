"""Whether two checkpoints hold the same state.

Equal means: files of the same names with the same bytes, and for each worker the same position in the data and the same state of every
random generator that was recorded. Generators are apart from the rest, because one that is never seeded, and perhaps never used, is in
another state in each run.
"""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from hybrid_pools.training.checkpoints.format import OWN_FOLDER, WorkerState, parse
from hybrid_pools.training.checkpoints.owned import is_mark

_BLOCK = 1 << 20
_GENERATORS = {"python_random": "Python's", "numpy_random": "numpy's", "framework_random": "the framework's"}
_LONGEST = 60  # characters of a position that are shown
_LINES = 5  # of a program's output that are shown


def differences(one: Path, other: Path) -> Iterator[str]:
    """What is not the same in two directories that hold checkpoints, each in one line; random generators left out."""
    files = [_files(directory) for directory in (one, other)]
    for name in sorted(files[0] ^ files[1]):
        yield f"{name} is in only one of them"
    for name in sorted(files[0] & files[1]):
        if _is_state(name):
            left, right = (_state(directory, name).position for directory in (one, other))
            if left != right:
                yield f"{_worker(name)} is at {str(left)[:_LONGEST]} and at {str(right)[:_LONGEST]} of its data"
        elif (place := _first_difference(one / name, other / name)) is not None:
            yield f"{name} differs from byte {place:,} of {(one / name).stat().st_size:,}"


def generator_differences(one: Path, other: Path) -> Iterator[str]:
    """Random generators that are not in the same state, each in one line."""
    for name in sorted(filter(_is_state, _files(one) & _files(other))):
        states = [_state(directory, name) for directory in (one, other)]
        for field, whose in _GENERATORS.items():
            if getattr(states[0], field) != getattr(states[1], field):
                yield f"{whose} random generator of {_worker(name)}"


def program_differences(program: Sequence[str], one: Path, other: Path) -> Iterator[str]:
    """What a program says of two directories that hold checkpoints; nothing if it ends with 0. Raises `OSError` if it cannot be started."""
    asked = subprocess.run([*program, str(one), str(other)], capture_output=True, text=True, errors="replace", check=False)
    if asked.returncode:
        said = (asked.stdout + asked.stderr).strip().splitlines() or ["it says nothing"]
        yield f"{program[0]} ended with {asked.returncode}: {'; '.join(said[-_LINES:])}"


def _files(directory: Path) -> set[str]:
    names = {file.relative_to(directory).as_posix() for file in directory.rglob("*") if file.is_file()}
    return {name for name in names if not is_mark(name)}


def _is_state(name: str) -> bool:
    return name.startswith(f"{OWN_FOLDER}/")


def _worker(name: str) -> str:
    return name.removeprefix(f"{OWN_FOLDER}/").removesuffix(".json")


def _state(directory: Path, name: str) -> WorkerState:
    return parse(WorkerState, (directory / name).read_bytes(), name)


def _first_difference(one: Path, other: Path) -> int | None:
    with one.open("rb") as left, other.open("rb") as right:
        place = 0
        while True:
            blocks = left.read(_BLOCK), right.read(_BLOCK)
            if blocks[0] != blocks[1]:
                same = next((at for at, pair in enumerate(zip(*blocks, strict=False)) if pair[0] != pair[1]), min(map(len, blocks)))
                return place + same
            if not blocks[0]:
                return None
            place += len(blocks[0])
