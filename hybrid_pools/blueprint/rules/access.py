"""Rules on who may do what. Those on ends compare with the time of the check: what has expired is to be removed, not carried on."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.rules.rule import Finding, section_rule
from hybrid_pools.blueprint.vocabulary import PROJECT

_LONGEST_EMERGENCY = timedelta(hours=72)
_PERSONAL_DOMAINS = (
    "gmail.com",
    "gmx.de",
    "gmx.net",
    "googlemail.com",
    "hotmail.com",
    "icloud.com",
    "live.com",
    "outlook.com",
    "proton.me",
    "yahoo.com",
)
"""Domains in which nobody has groups, only mailboxes of people."""

_PROGRAMS = "gserviceaccount.com"
_IAM = "IAM documentation, overview of conditions; requirement E1"


def _memberships(reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Every mention of a group: persona with its team, the group, and where it stands."""
    for name, team in reading.teams.items():
        for persona, key, groups in (
            ("researcher", "researchers", team.researchers),
            ("training engineer", "trainingEngineers", team.training_engineers),
        ):
            for index, group in enumerate(groups):
                yield f"{persona} of {name}", group, f"teams.{name}.{key}[{index}]"
    access = reading.access
    if access is None:
        return
    for persona, key, groups in (
        ("on-call", "onCall", access.on_call),
        ("platform engineer", "platformEngineers", access.platform_engineers),
    ):
        for index, group in enumerate(groups):
            yield persona, group, f"access.{key}[{index}]"
    for group, contractor in access.contractors.items():
        yield f"contractor of {contractor.team}", group, f"access.contractors.{group}"
    if access.break_glass:
        yield "break-glass", access.break_glass.group, "access.breakGlass.group"


def _apart(one: str, other: str) -> str | None:
    """Why two personas must not be one group; None where they may."""
    pair = {one, other}
    if "break-glass" in pair:
        return "its members would not be those alone who may break the glass"
    if any(persona.startswith("contractor") for persona in pair):
        return "the contractor's rights would no longer be for one team and end by themselves"
    if "platform engineer" in pair:
        return "one group would read logs and change where they go and what is watched, so that it could hide what it did"
    return None


@section_rule(
    "CFG-820", "Personas that must stay apart are different groups", "requirement E1: log reading apart from configuration change"
)
def personas_stay_apart(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Rights add up: one group in two of these personas has more than the table of rights says of either."""
    seen: dict[str, list[str]] = {}
    for persona, group, at in _memberships(reading):
        # Google compares addresses without regard to case.
        before = seen.setdefault(group.lower(), [])
        for other in before:
            reason = _apart(other, persona) if other != persona else None
            if reason:
                yield Finding(
                    at,
                    group,
                    f"is {other} as well as {persona}: {reason}",
                    "another group for each of the two",
                    f"make a group for the {persona} alone",
                )
                break
        before.append(persona)


@section_rule("CFG-821", "A contractor works for a team that there is", _IAM)
def contractors_have_a_team(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Rights on the folder of a team that does not exist cannot be granted."""
    if reading.access is None or any(problem.path.startswith(f"{PROJECT}:teams") for problem in reading.problems):
        return
    for group, contractor in reading.access.contractors.items():
        if contractor.team not in reading.teams:
            yield Finding(
                f"access.contractors.{group}.team",
                contractor.team,
                "is no team of this environment",
                ", ".join(reading.teams) or "a team; the environment has none",
                "name one of them, or add the team",
            )


@section_rule("CFG-822", "The access of a contractor ends in the future", _IAM)
def contractors_end_ahead(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """An entry whose day has passed grants nothing and looks as if it did."""
    for group, contractor in reading.access.contractors.items() if reading.access else ():
        day = _time(contractor.until)
        at = f"access.contractors.{group}.until"
        if day is None:
            yield Finding(at, contractor.until, "is no day that exists", "a real day", "correct the date")
        elif day + timedelta(days=1) <= reading.now:
            yield Finding(
                at,
                contractor.until,
                "has passed: the group has no access any more",
                "today or a later day",
                "remove the entry, or write a new last day once it is agreed",
            )


@section_rule("CFG-823", "Broken glass is mended within 72 hours", _IAM)
def emergencies_are_short(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Rights over everything in the cluster that last for weeks are no emergency any more."""
    glass = reading.access.break_glass if reading.access else None
    if glass is None or glass.until is None:
        return
    end, at = _time(glass.until), "access.breakGlass.until"
    allowed = f"a time up to {_LONGEST_EMERGENCY.total_seconds() / 3600:.0f} hours ahead"
    if end is None:
        yield Finding(at, glass.until, "is no time that exists", allowed, "correct the date or the hour")
    elif end <= reading.now:
        yield Finding(at, glass.until, "has passed: the emergency is over", allowed, "remove until, so that the rights are off")
    elif end - reading.now > _LONGEST_EMERGENCY:
        yield Finding(at, glass.until, "is too far ahead for an emergency", allowed, "shorten it, and lengthen it again if it must be")


@section_rule("CFG-824", "The identity pool has an id that Google takes", "Workload identity pool reference of the IAM API")
def pool_id_is_free(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Ids that begin with `gcp-` are Google's own; it refuses the pool."""
    pool = reading.access.ci.pool if reading.access and reading.access.ci else None
    if pool and pool.startswith("gcp-"):
        yield Finding(
            "access.ci.pool",
            pool,
            "begins with gcp-, which Google keeps for itself",
            "any other beginning",
            f"write {pool.removeprefix('gcp-')}-ci",
        )


@section_rule("CFG-825", "A group is a group of the organization", "Google Groups for RBAC page of the GKE documentation; requirement E1")
def groups_are_groups(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Rights of a person stay when the person leaves; rights of a program are given to its own identity."""
    for persona, group, at in _memberships(reading):
        domain = group.lower().rpartition("@")[2]
        who = "a person" if domain in _PERSONAL_DOMAINS else "a program" if domain.endswith(_PROGRAMS) else None
        if who:
            yield Finding(
                at,
                group,
                f"is the account of {who}, not a group: as {persona} it would be named as one and nobody would have the rights",
                "the address of a Google group of the organization",
                "make a group, put the account into it, and name the group",
            )


def _time(text: str) -> datetime | None:
    """A day or a time in UTC; None where the calendar has no such day."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
