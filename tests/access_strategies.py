"""Generators of teams and of who may do what, valid by construction: no group is in two personas that must stay apart."""

from typing import Any

from hypothesis import strategies as st

Sections = dict[str, Any]

_TEAMS = ("audio", "audio-lab", "speech", "vision")
"""One name begins with another: rights of the shorter one must not cover the longer one."""


def _groups(*names: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from([f"{name}@acme.example" for name in names]), unique=True, max_size=2)


@st.composite
def people(draw: st.DrawFn, glass_until: str | None = None, fewest_teams: int = 0) -> Sections:
    """The sections `teams` and `access`. Groups of a team may be those of another, and both personas of a team.

    Args:
        glass_until: End of an emergency; without it there is none.
        fewest_teams: Teams at the least.
    """
    teams = draw(
        st.dictionaries(
            st.sampled_from(_TEAMS),
            st.fixed_dictionaries({}, optional={"researchers": _groups("r1", "r2", "t1"), "trainingEngineers": _groups("t1", "t2")}),
            min_size=fewest_teams,
            max_size=3,
        )
    )
    optional: dict[str, st.SearchStrategy[Any]] = {
        "onCall": _groups("o1", "o2"),
        "platformEngineers": _groups("p1", "p2"),
        "ci": st.fixed_dictionaries(
            {"repository": st.just("acme/infra"), "ref": st.sampled_from(["refs/heads/main", "refs/heads/release/1.x"])},
            optional={"pool": st.just("acme-workflows")},
        ),
        "logRetentionDays": st.integers(1, 3650),
    }
    if teams:
        contractor = st.fixed_dictionaries({"team": st.sampled_from(sorted(teams)), "until": st.sampled_from(["2090-02-28", "2091-12-31"])})
        optional["contractors"] = st.dictionaries(st.sampled_from(["c1@acme.example", "c2@acme.example"]), contractor, max_size=2)
    glass = {"group": "glass@acme.example"} | ({"until": glass_until} if glass_until else {})
    optional["breakGlass"] = st.just(glass)
    access = draw(st.fixed_dictionaries({}, optional=optional))
    if glass_until:
        access["breakGlass"] = glass
    return {"teams": teams, "access": access}
