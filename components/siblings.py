"""Lets pools that do not wait for each other all be begun before a failure ends the run.

The engine finishes what it has begun, and begins nothing more once anything has failed (Pulumi's documentation of `--continue-on-error`).
So one refusal that is quicker than the registration of the pool beside it would hold that pool up.
"""

import asyncio
from contextlib import suppress

import pulumi

_LIMIT_SECONDS = 30.0
"""An engine that does one thing at a time (`--parallel 1`) begins nothing while it is waited for."""


class Siblings:
    """The pools of an environment that are made beside each other."""

    def __init__(self, limit_seconds: float = _LIMIT_SECONDS) -> None:
        self._limit_seconds = limit_seconds
        self._ended: dict[str, asyncio.Event] = {}

    def add(self, name: str, made: pulumi.Output[str]) -> None:
        """Count a resource among them.

        Args:
            name: Logical name of the resource.
            made: An output that is known once it is made.
        """
        ended = self._ended[name] = asyncio.Event()
        made.apply(lambda _: ended.set())

    async def refused(self, name: str) -> None:
        """Return once the siblings of a refused resource are made or refused themselves; at once where it has none."""
        if name in self._ended:
            self._ended[name].set()
            await self.settled()

    async def settled(self) -> None:
        """Return once all of them are made or refused, or have had time to be begun."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limit_seconds):
                for ended in self._ended.values():
                    await ended.wait()
