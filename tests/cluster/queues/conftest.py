"""The queues of one stack on a real control plane, for the tests of this folder; each test finds them empty."""

from collections.abc import Iterator

import pytest

from tests.cluster.queues.play import Play
from tests.cluster.stack import Stack, blueprint, raised

NODES = {"services": 3, "reserve-l4": 4, "train-l4": 30, "train-t4": 8, "buffer-l4": 2}
"""All that the pools may have; of the buffer what training may have of it."""


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with raised(tmp_path_factory.mktemp("queues"), blueprint()) as made:
        made.make_nodes(NODES)
        yield made


@pytest.fixture
def play(stack: Stack) -> Iterator[Play]:
    played = Play(stack)
    yield played
    played.clear()
