"""The storage scheme says of every bucket where it is, how long things stay and what a loss costs."""

from dataclasses import replace

import pytest

from hybrid_pools.blueprint.vocabulary import BucketKind
from hybrid_pools.documents import storage
from tests.environments import ENVIRONMENTS, blueprint_of

TEXT = storage.render(blueprint_of(name) for name in ENVIRONMENTS)


def chapter(name: str) -> str:
    return TEXT.split(f"## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", ENVIRONMENTS)
class TestEveryEnvironment:
    def test_has_a_row_for_every_bucket_with_its_bounds(self, name: str):
        for bucket in blueprint_of(name).buckets:
            (row,) = [line for line in chapter(name).splitlines() if line.startswith(f"| `{bucket.kind}` |")]
            kept = bucket.versioning
            bounds = (
                f"the newest {kept.keep_versions} with the live one, and all replaced less than {kept.keep_days} day"
                if kept
                else "real folders"
            )
            assert bounds in row
            assert f"`{bucket.name_stem}-…`" in row

    def test_names_its_teams_and_the_pools_with_a_fast_tier(self, name: str):
        blueprint = blueprint_of(name)
        fast = {pool.name for pool in blueprint.pools if pool.local_ssd}
        assert all(f"`{team.name}`" in chapter(name) for team in blueprint.teams)
        assert {pool.name for pool in blueprint.pools if f"| `{pool.name}` |" in chapter(name)} == fast


def test_every_kind_says_what_it_costs_to_lose() -> None:
    rows = TEXT.split("## What lies where")[1].split("\n## ")[0]
    assert all(f"| `{kind}` |" in rows and f"`{kind.prefix}TEAM/`" in rows for kind in BucketKind)


def test_an_environment_without_buckets_says_so() -> None:
    assert "No buckets." in storage.render([replace(blueprint_of("dev"), buckets=())])
