"""Effective rights: what a holder can do with all it holds, by detours too."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from hybrid_pools.blueprint.rights.binding import PROJECT_PLACE, Binding, Place, PlaceKind
from hybrid_pools.blueprint.rights.roles import Right, UnknownRole, known_roles, rights_of

_WORKLOAD = re.compile(r"principal://iam\.googleapis\.com/.+\.svc\.id\.goog/subject/ns/.+")
_INTO_PODS = frozenset({Right.START_PODS, Right.EXEC})


@dataclass(frozen=True)
class Held:
    """One right at one place, until a time in UTC or for good."""

    right: Right
    place: Place
    until: datetime | None = None


def effective_rights(bindings: Iterable[Binding], custom_roles: Mapping[str, Iterable[str]]) -> dict[str, frozenset[Held]]:
    """What each member can do.

    Detours count: who may act as an account has the account's rights, and who may start pods in any namespace, or run commands in them, has
    the rights of every workload identity. A right that changes grants is named, not followed: it leads to all others.

    Args:
        bindings: All grants of a project.
        custom_roles: Permissions of the project's own roles by full name.

    Raises:
        UnknownRole: Nothing is known of a role.
    """
    held: dict[str, set[Held]] = defaultdict(set)
    for binding in bindings:
        for right in rights_of(_permissions(binding.role, custom_roles)):
            held[binding.member].add(Held(right, binding.place, binding.until))
    workloads = [member for member in held if _WORKLOAD.fullmatch(member)]
    grew = True
    while grew:
        grew = False
        for mine in held.values():
            gained = {
                _within(theirs, one.until) for one in mine for member in _ways(one, workloads, held) for theirs in held.get(member, ())
            }
            grew = grew or not gained <= mine
            mine.update(gained)
    return {member: frozenset(rights) for member, rights in held.items()}


def _permissions(role: str, custom_roles: Mapping[str, Iterable[str]]) -> frozenset[str]:
    if role in custom_roles:
        return frozenset(custom_roles[role])
    try:
        return frozenset(known_roles()[role].permissions)
    except KeyError:
        raise UnknownRole(f"nothing is known of {role}: add its permissions to roles.json with their source") from None


def _ways(one: Held, workloads: list[str], held: Mapping[str, object]) -> list[str]:
    """Members whose rights come with a right."""
    if one.right is Right.IMPERSONATE:
        if one.place == PROJECT_PLACE:
            return [member for member in held if member.startswith("serviceAccount:")]
        return [f"serviceAccount:{one.place.name}"] if one.place.kind is PlaceKind.ACCOUNT else []
    return workloads if one.right in _INTO_PODS and one.place == PROJECT_PLACE else []


def _within(theirs: Held, until: datetime | None) -> Held:
    """A right that is gained by a detour, which ends with the first of the two."""
    ends = [end for end in (theirs.until, until) if end is not None]
    return Held(theirs.right, theirs.place, min(ends, default=None))
