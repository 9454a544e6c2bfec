"""Generated environments, made once for all tests of this folder: making one takes longer than looking at all of its manifests."""

import pytest
from hypothesis import HealthCheck, given, settings

from hybrid_pools.blueprint.model import Blueprint
from tests.strategies import queued_blueprints


@pytest.fixture(scope="session")
def blueprints() -> tuple[Blueprint, ...]:
    """As many environments with queues as the profile asks for, the same ones in every steady run."""
    made: list[Blueprint] = []

    @settings(suppress_health_check=list(HealthCheck))
    @given(queued_blueprints())
    def collect(blueprint: Blueprint) -> None:
        made.append(blueprint)

    collect()
    return tuple(made)
