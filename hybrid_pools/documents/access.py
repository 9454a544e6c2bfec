"""`docs/access.md`: who may do what, worked out from the grants."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.access import Access, Persona
from hybrid_pools.blueprint.rights import Held, Place, PlaceKind, Right, effective_rights, known_roles
from hybrid_pools.documents.markdown import code, codes, document, table

_WHAT = {
    Persona.RESEARCHER: "Groups of a team that read its data, results and logs.",
    Persona.TRAINING_ENGINEER: "Groups of a team that bring in its data and start its training, by the rules of its namespace.",
    Persona.CONTRACTOR: "A group from outside that works for one team until a day. No datasets, no logs, no secrets, no commands in pods.",
    Persona.ON_CALL: "Groups that look at everything but secrets and data, and change nothing.",
    Persona.PLATFORM_ENGINEER: "Groups that change the cluster, the monitoring and where logs go, and read no logs.",
    Persona.BREAK_GLASS: "A group that holds nothing until an emergency is declared, and then for at most 72 hours.",
    Persona.TRAINING: "What a team's training runs as: a Kubernetes account, known to Google directly, without a key.",
    Persona.PRUNER: "What deletes a team's old checkpoints. Its namespace is not the team's: who may start a pod may run as its account.",
    Persona.CI_PREVIEW: "Workflows of pull requests against the protected branch.",
    Persona.CI_DEPLOY: "Workflows of the protected branch.",
}
_BREAK_THE_GLASS = """\
Set `access.breakGlass.until` to a time at most 72 hours ahead, have it reviewed and deploy it. Google takes the rights away at that time by
itself; remove the line afterwards. Where not even a deployment is possible, an owner of the project grants it by hand, with an end as well:

```
gcloud projects add-iam-policy-binding PROJECT --member group:GROUP --role roles/container.admin \\
  --condition 'title=emergency,expression=request.time < timestamp("2026-01-31T18:00:00Z")'
```"""
_FIRST_TIME = """\
The first `up` of an environment is run by a person who owns the project: continuous integration cannot make the identity that it gets in
with. From then on workflows deploy. They ask Google for a token with the outputs of the stack (`pulumi stack output ci --json`): `provider`
is what they authenticate against, `serviceAccount` what they act as. Forks of the repository get no token from GitHub."""
_KEYS = """\
Nothing here has a key. Keys of service accounts (IDENTITY-004) and HMAC keys (ACCESS-005) are refused by the policy pack. What must be a
key, an encryption key of Cloud KMS, rotates every 90 days or sooner (ACCESS-007)."""
_WAITS = """\
- A new grant holds after up to some minutes. The first job after an `up` should try again when it is refused.
- Identities of workloads belong to the project: the same namespace and account in another cluster of it has the same rights. So one project
  has one environment.
- A deleted workload identity pool blocks its id for 30 days (write another `access.ci.pool`), a deleted log bucket for 7 days
  (`gcloud logging buckets undelete`), and a deleted custom role is restored within 7 days and blocks its id for weeks after that.
- Who changes where logs go could send them to a place where they can be read. Google notes each such change in the admin activity log,
  which nobody can change or switch off.
- The logs of a team are kept twice: in its own bucket, and in the project's default one for operations."""


def render(blueprints: Sequence[Blueprint]) -> str:
    """The document. Its table is about the last environment; what the others leave out has nobody."""
    example = blueprints[-1]
    return document(
        "Access",
        "the stack files and `hybrid_pools/blueprint/derivation/access.py`",
        "Rights go to groups and to identities without keys, each on the smallest thing that has a policy. The table is worked out from "
        "the grants and from what Google's roles allow, with detours: who may start pods in any namespace has all workloads' rights.",
        "## Personas",
        table(["Persona", "Who that is"], ([persona, _WHAT[persona]] for persona in Persona)),
        f"## Who may do what in {example.environment.name}",
        rights_table(example.access),
        "*own* is the persona's own team: each team has the same, and none has anything of another. Nobody who is not in the table has "
        "anything. What a persona may do in its namespace of the cluster is granted there. One group in two personas that must stay apart "
        "is refused (CFG-820).",
        *(part for blueprint in blueprints for part in _members(blueprint)),
        f"## Grants in {example.environment.name}",
        table(["Persona", "Role", "On", "For"], _grants(example.access)),
        *_custom_roles(example.access),
        "## Break-glass",
        _BREAK_THE_GLASS,
        "## Continuous integration",
        _FIRST_TIME,
        *_identity(example.access),
        "## Keys",
        _KEYS,
        "## Good to know",
        _WAITS,
        "## Roles",
        "What is known of the roles above: those of their permissions that give or refuse a right here, not all of them.",
        table(["Role", "Gives", "Has not", "Source", "As of"], _roles(example.access)),
    )


def personas_rights(access: Access) -> dict[Persona, dict[Right, frozenset[str]]]:
    """What each persona can do and where, the same for every team; places of the own team are called `own`."""
    custom = {name: role.permissions for name, role in access.custom_roles.items()}
    rights: dict[Persona, dict[Right, set[str]]] = {}
    holders = dict.fromkeys((grant.persona, grant.team, grant.binding.member) for grant in access.grants)
    for persona, team, member in holders:
        # A group may be the researchers of two teams: what it holds for the other team is not this team's.
        bindings = [
            grant.binding for grant in access.grants if grant.binding.member != member or (grant.persona, grant.team) == (persona, team)
        ]
        mine = rights.setdefault(persona, defaultdict(set))
        for one in effective_rights(bindings, custom)[member]:
            mine[one.right].add(where(one, team))
    return {persona: {right: frozenset(places) for right, places in mine.items()} for persona, mine in rights.items()}


def where(held: Held, team: str | None) -> str:
    """A place as a holder of a team sees it."""
    place = held.place
    if place.team and place.team == team:
        return f"own {place.name}" if place.kind is PlaceKind.FOLDER else "own logs"
    return f"all {place.name}" if place.kind is PlaceKind.FOLDER else str(place)


def rights_table(access: Access) -> str:
    """Rights by persona. An empty cell is no right."""
    rights = personas_rights(access)
    personas = [persona for persona in Persona if persona in rights]
    return table(
        ["May", *personas],
        ([right, *(", ".join(sorted(rights[persona].get(right, ()))) for persona in personas)] for right in Right),
    )


def _members(blueprint: Blueprint) -> Iterator[str]:
    access = blueprint.access
    yield f"## Members in {blueprint.environment.name}"
    if not access.grants:
        yield "Nothing is granted."
        return
    yield table(["Persona", "Team", "Member", "Until"], _holders(access))


def _holders(access: Access) -> Iterable[Sequence[str]]:
    for persona in Persona:
        seen = {(grant.team, grant.binding.member, grant.binding.until): None for grant in access.grants if grant.persona is persona}
        for team, member, until in seen:
            yield [persona, team or "", code(member), until.strftime("%Y-%m-%d %H:%M UTC") if until else ""]


def _grants(access: Access) -> Iterator[Sequence[str]]:
    # Teams have the same grants: shown once, with the reason.
    rows: Mapping[tuple[str, str, str, str], None] = {
        (grant.persona.value, code(grant.binding.role), _on(grant.binding.place, grant.team), grant.reason): None for grant in access.grants
    }
    yield from rows


def _on(place: Place, team: str | None) -> str:
    return where(Held(Right.CONNECT, place), team)


def _custom_roles(access: Access) -> Iterator[str]:
    for name, role in access.custom_roles.items():
        yield f"{code(name)}: {role.description} Its permissions: {codes(role.permissions)}."


def _identity(access: Access) -> Iterator[str]:
    if access.ci:
        yield table(
            ["Provider", "Account", "Lets in"], ([code(one.name), code(one.account_id), code(one.condition)] for one in access.ci.accounts)
        )


def _roles(access: Access) -> Iterator[Sequence[str]]:
    granted = {binding.role for binding in access.bindings}
    for name, role in sorted(known_roles().items()):
        if name in granted:
            yield [code(name), codes(role.permissions), codes(role.lacks), role.source, str(role.as_of)]
