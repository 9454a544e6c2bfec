"""Trying again while Google does not see a new account yet.

A service account is usable up to a minute after its creation; a cluster or pool made sooner fails (CFT#2002, cluster-toolkit#6237).
Waiting a fixed time would cost every run; trying again costs only the runs that need it.
"""

import asyncio
import re
from collections.abc import Sequence
from time import monotonic

import pulumi

_NOT_VISIBLE_YET = re.compile(r"service ?account.*(does not exist|not found|was not found)", re.IGNORECASE | re.DOTALL)
_PAUSE_SECONDS = 5.0


def is_not_visible_yet(errors: Sequence[str]) -> bool:
    """Whether the newest error says that the node account is unknown."""
    return bool(errors) and _NOT_VISIBLE_YET.search(errors[0]) is not None


def account_visibility_hook(seconds: int) -> pulumi.ErrorHook:
    """A hook for clusters and pools: on such an error, create again until `seconds` have passed since the first one."""
    first: dict[str, float] = {}

    async def again(args: pulumi.ErrorHookArgs) -> bool:
        if args.failed_operation != "create" or not is_not_visible_yet(args.errors):
            return False
        started = first.setdefault(args.urn, monotonic())
        if monotonic() - started > seconds:
            return False
        pulumi.log.info(f"{args.name}: Google does not see the node account yet, trying again in {_PAUSE_SECONDS:.0f} s")
        await asyncio.sleep(_PAUSE_SECONDS)
        return True

    return pulumi.ErrorHook("account-visibility", again)
