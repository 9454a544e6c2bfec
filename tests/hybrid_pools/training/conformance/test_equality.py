"""What equal state means, on directories."""

import shutil

import pytest

from hybrid_pools.training.checkpoints.format import OWN_FOLDER, WorkerState, state_file, text
from hybrid_pools.training.conformance.equality import differences, generator_differences, program_differences


@pytest.fixture
def pair(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    (one / OWN_FOLDER).mkdir(parents=True)
    (one / "deep").mkdir()
    (one / "model").write_bytes(bytes(3_000_000))
    (one / "deep" / "optimizer").write_bytes(b"12345")
    (one / state_file(0)).write_bytes(text(WorkerState(position={"sample": 3}, python_random=[1], framework_random="a")))
    shutil.copytree(one, other)
    (one / OWN_FOLDER / "owned").touch()
    return one, other


def test_the_same_is_the_same(pair):
    assert list(differences(*pair)) == []
    assert list(generator_differences(*pair)) == []


def test_one_byte_is_a_difference(pair):
    with (pair[1] / "model").open("rb+") as stream:
        stream.seek(2_500_000)
        stream.write(b"1")
    assert list(differences(*pair)) == ["model differs from byte 2,500,000 of 3,000,000"]


def test_a_shorter_file_is_a_difference(pair):
    (pair[1] / "deep" / "optimizer").write_bytes(b"1234")
    assert list(differences(*pair)) == ["deep/optimizer differs from byte 4 of 5"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_missing_file_is_a_difference(pair, which):
    (pair[which] / "deep" / "optimizer").unlink()
    assert list(differences(*pair)) == ["deep/optimizer is in only one of them"]


def test_position_and_generators_are_told_apart(pair):
    (pair[1] / state_file(0)).write_bytes(text(WorkerState(position={"sample": 4}, python_random=[1], framework_random="b")))
    assert list(differences(*pair)) == ["worker-00000 is at {'sample': 3} and at {'sample': 4} of its data"]
    assert list(generator_differences(*pair)) == ["the framework's random generator of worker-00000"]


def test_a_long_position_is_cut_after_it_was_compared(pair):
    for directory, end in zip(pair, "ab", strict=True):
        (directory / state_file(0)).write_bytes(text(WorkerState(position="x" * 1000 + end)))
    [line] = differences(*pair)
    assert len(line) < 200


def test_a_program_decides(pair):
    assert list(program_differences(["true"], *pair)) == []
    assert list(program_differences(["sh", "-c", 'echo "$1 $2"; exit 3', "sh"], *pair)) == [f"sh ended with 3: {pair[0]} {pair[1]}"]
