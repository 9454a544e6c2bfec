"""A refusal waits for the pools beside it to be begun, and for nothing else."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pulumi
import pytest

from components.siblings import Siblings

LIMIT_SECONDS = 0.2


class Made:
    """An output that a test makes known. One of Pulumi's own would be waited for by every program on mocks that follows."""

    def __init__(self) -> None:
        self._told: list[Callable[[str], object]] = []

    def apply(self, function: Callable[[str], object]) -> None:
        self._told.append(function)

    def known(self) -> None:
        for function in self._told:
            function("an id")


class Pools:
    """Two pools whose creation a test ends."""

    def __init__(self, limit_seconds: float) -> None:
        self.siblings = Siblings(limit_seconds)
        self._made = {name: Made() for name in ("spot-pool", "buffer-pool")}
        for name, made in self._made.items():
            self.siblings.add(name, cast("pulumi.Output[str]", made))

    def made(self, name: str) -> None:
        self._made[name].known()


async def still_waits(waiting: "asyncio.Task[None]") -> bool:
    await asyncio.sleep(0.02)
    return not waiting.done()


def run(case: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(case, 10))


def test_a_refused_pool_waits_until_the_one_beside_it_is_made() -> None:
    async def case() -> None:
        pools = Pools(limit_seconds=10)
        refused = asyncio.create_task(pools.siblings.refused("spot-pool"))
        assert await still_waits(refused)
        pools.made("buffer-pool")
        await refused

    run(case())


def test_pools_that_are_all_refused_do_not_wait_for_each_other() -> None:
    async def case() -> None:
        pools = Pools(limit_seconds=10)
        await asyncio.gather(pools.siblings.refused("spot-pool"), pools.siblings.refused("buffer-pool"))

    run(case())


def test_a_cluster_that_refuses_its_objects_waits_for_all_of_them() -> None:
    async def case() -> None:
        pools = Pools(limit_seconds=10)
        settled = asyncio.create_task(pools.siblings.settled())
        pools.made("spot-pool")
        assert await still_waits(settled)
        pools.made("buffer-pool")
        await settled

    run(case())


@pytest.mark.parametrize("name", ["services-pool", "checkpoints"])
def test_what_is_no_sibling_waits_for_nothing(name: str) -> None:
    async def case() -> None:
        await Pools(limit_seconds=60).siblings.refused(name)

    run(case())


def test_an_engine_that_begins_nothing_meanwhile_is_waited_for_no_longer_than_the_limit() -> None:
    async def case() -> None:
        await Pools(LIMIT_SECONDS).siblings.refused("spot-pool")

    run(case())
