"""What to do when Google refuses a cluster, a pool or a bucket: try again, or tell the reader the way on.

A service account is usable up to a minute after its creation; a cluster or pool made sooner fails (CFT#2002, cluster-toolkit#6237). So is a
right on a key (IAM documentation: changes take up to some minutes).
Waiting a fixed time would cost every run; trying again costs only the runs that need it.
"""

import asyncio
import re
from collections.abc import Sequence
from time import monotonic

import pulumi

from components.siblings import Siblings

_NOT_VISIBLE_YET = (
    (re.compile(r"service ?account.*(does not exist|not found|was not found)", re.IGNORECASE | re.DOTALL), "the account"),
    (re.compile(r"identity pool does not exist", re.IGNORECASE), "the identity pool"),
    (re.compile(r"permission denied on cloud kms key", re.IGNORECASE), "the right to use the key"),
)
_PAUSE_SECONDS = 5.0

_ADVICE = (
    (
        re.compile(r"\b409\b|already ?exists", re.IGNORECASE),
        "Google has it already: an earlier run made it, but the answer was lost and the state does not know it. Adopt it with "
        "`make recover STACK=<stack>` (docs/recovery.md), then run the same command again.",
    ),
    (
        re.compile(r"ZONE_RESOURCE_POOL_EXHAUSTED|GCE_STOCKOUT|does not have enough resources", re.IGNORECASE),
        "Google has no such machines in its zones right now. The other pools are not held up by it. Once there is stock, run the same "
        "command again: it goes on with this pool alone. Or list more zones, or choose another machine type.",
    ),
    (
        re.compile(r"quota.*exceeded|insufficient.*quota", re.IGNORECASE | re.DOTALL),
        "the project's quota does not cover it. Ask for the quota that the error names, or lower the pool's limits, then run the same "
        "command again: it goes on where it stopped.",
    ),
    (
        re.compile(r"\b403\b|permission.*denied|PERMISSION_DENIED", re.IGNORECASE),
        "the account that runs Pulumi lacks the permission that the error names. Grant it, then run the same command again: it goes on "
        "where it stopped.",
    ),
)


def not_visible_yet(errors: Sequence[str]) -> str | None:
    """What was just made and is still unknown to a part of Google, where the newest error says so."""
    return next((what for pattern, what in _NOT_VISIBLE_YET if errors and pattern.search(errors[0])), None)


def way_on(errors: Sequence[str]) -> str | None:
    """What to do about the newest error, where it is one that is known."""
    return next((advice for pattern, advice in _ADVICE if errors and pattern.search(errors[0])), None)


def failure_hook(propagation_seconds: int, siblings: Siblings) -> pulumi.ErrorHook:
    """A hook for clusters, pools and buckets.

    Args:
        propagation_seconds: How long to go on creating while Google does not see an account or a right, counted from the first such error.
        siblings: Pools that one of them that is refused shall not hold up.
    """
    first: dict[str, float] = {}

    async def again(args: pulumi.ErrorHookArgs) -> bool:
        unseen = not_visible_yet(args.errors)
        if args.failed_operation == "create" and unseen:
            if monotonic() - first.setdefault(args.urn, monotonic()) > propagation_seconds:
                return False
            pulumi.log.info(f"{args.name}: Google does not see {unseen} yet, trying again in {_PAUSE_SECONDS:.0f} s")
            await asyncio.sleep(_PAUSE_SECONDS)
            return True
        advice = way_on(args.errors)
        if advice:
            pulumi.log.error(f"{args.name}: {advice}")
        await siblings.refused(args.name)
        return False

    return pulumi.ErrorHook("failures", again)
