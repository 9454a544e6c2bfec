"""Whether a project's quotas cover what an environment needs, by what gcloud says of them.

The exports are those of `gcloud compute regions describe REGION --format=json` and `gcloud compute project-info describe --format=json`.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeGuard

from hybrid_pools.blueprint.derivation.quotas import GLOBAL
from hybrid_pools.blueprint.model.quotas import QuotaNeed

_REGION, _PROJECT = "compute#region", "compute#project"
_HOW = (
    "Write it with: gcloud compute regions describe REGION --project PROJECT --format=json, "
    "or gcloud compute project-info describe --project PROJECT --format=json"
)


class BadExport(ValueError):  # noqa: N818 — says what is wrong with the file
    """A file is no export of quotas; the message says why and how to write one."""


@dataclass(frozen=True)
class Quota:
    """One quota as the export has it, in its own unit."""

    limit: float
    usage: float


class Outcome(StrEnum):
    """How a need stands."""

    ENOUGH = "enough"
    IN_USE = "in use"
    SHORT = "short"
    MISSING = "not in the export"
    LOOK_UP = "look it up"


@dataclass(frozen=True)
class Verdict:
    """A need beside its quota.

    Attributes:
        quota: None where the exports do not have it.
        short_by: Units that are missing; 0 where none are.
        note: What to know or to do about it.
    """

    need: QuotaNeed
    quota: Quota | None
    outcome: Outcome
    short_by: int
    note: str


def read_export(text: str, name: str) -> tuple[str, dict[str, Quota]]:
    """The location of an export and its quotas by name.

    Args:
        text: The content.
        name: How the user calls the file, for messages.

    Raises:
        BadExport: It is no such export.
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadExport(f"{name} is not JSON (line {error.lineno}: {error.msg}). {_HOW}") from None
    if not isinstance(content, dict) or content.get("kind") not in (_REGION, _PROJECT) or not isinstance(content.get("quotas"), list):
        raise BadExport(f"{name} is no export of a region or a project with its quotas. {_HOW}")
    location = str(content.get("name", "")) if content["kind"] == _REGION else GLOBAL
    return location, dict(_quotas(content["quotas"], name))


def _quotas(entries: Sequence[Any], name: str) -> Iterator[tuple[str, Quota]]:
    for index, entry in enumerate(entries):
        fields: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
        metric, limit, usage = (fields.get(key) for key in ("metric", "limit", "usage"))
        if not isinstance(metric, str) or not _is_number(limit) or not _is_number(usage):
            raise BadExport(f"{name}: quotas[{index}] has no metric, limit and usage. {_HOW}")
        yield metric, Quota(float(limit), float(usage))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_quotas(needs: Sequence[QuotaNeed], exports: Mapping[str, Mapping[str, Quota]]) -> tuple[Verdict, ...]:
    """Every need beside its quota, in the order of the needs.

    Args:
        needs: What the environment needs.
        exports: Quotas by location and name. A location that is missing is not judged.
    """
    return tuple(_verdict(need, exports) for need in _moved(needs, exports))


def _moved(needs: Sequence[QuotaNeed], exports: Mapping[str, Mapping[str, Quota]]) -> list[QuotaNeed]:
    """The needs after those whose quota is 0 have gone to the quotas that count instead."""
    kept: dict[tuple[str | None, str, str], QuotaNeed] = {}
    for need in needs:
        quota = exports.get(need.location, {}).get(need.name or "")
        gone = bool(need.instead) and quota is not None and quota.limit == 0
        for part in _instead(need) if gone else [need]:
            # Two needs without a known name are the same only if they are told apart by nothing else.
            key = (part.name, part.location, "" if part.name else part.what)
            other = kept.get(key)
            if other is not None:
                part = replace(other, amount=other.amount + part.amount, pools=tuple(dict.fromkeys((*other.pools, *part.pools))))  # noqa: PLW2901
            kept[key] = part
    return list(kept.values())


def _instead(need: QuotaNeed) -> Iterator[QuotaNeed]:
    for name, amount in need.instead:
        what = f"vCPUs that count against {name}" if name else "vCPUs per VM family, of Spot VMs"
        yield QuotaNeed(name, what, need.unit, need.location, amount, need.pools)


def _verdict(need: QuotaNeed, exports: Mapping[str, Mapping[str, Quota]]) -> Verdict:
    if need.name is None:
        return Verdict(need, None, Outcome.LOOK_UP, 0, "look it up in the console under IAM & Admin, Quotas")
    quota = exports.get(need.location, {}).get(need.name)
    if quota is None:
        where = "of the region" if need.location != GLOBAL else "of the project"
        given = need.location in exports
        return Verdict(need, None, Outcome.MISSING, 0, "gcloud does not list it" if given else f"add the export {where}")
    missing = need.amount - quota.limit
    if missing > 0:
        return Verdict(need, quota, Outcome.SHORT, math.ceil(missing), f"ask for {need.amount} or lower the limits of the pools")
    if quota.limit - quota.usage < need.amount:
        return Verdict(need, quota, Outcome.IN_USE, 0, "enough only if what is in use belongs to this environment")
    return Verdict(need, quota, Outcome.ENOUGH, 0, "")
