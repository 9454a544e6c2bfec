"""The document on queues says of every class, flavor and queue what it has."""

from dataclasses import replace

import pytest

from hybrid_pools.documents import queues
from hybrid_pools.documents.queues import quota_rows, shared
from tests.environments import ENVIRONMENTS, blueprint_of

TEXT = queues.render([blueprint_of(name) for name in ENVIRONMENTS])


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_has_a_chapter_for_every_environment_with_its_classes_flavors_and_queues(name: str) -> None:
    chapter = TEXT.split(f"## {name}\n")[1].split("\n## ")[0]
    kubernetes = blueprint_of(name).kubernetes
    assert kubernetes is not None
    assert [
        policy.priority_class for policy in kubernetes.classes if f"| `{policy.priority_class}` | {policy.priority} |" not in chapter
    ] == []
    assert [flavor.name for flavor in kubernetes.queues.flavors if f"| `{flavor.name}` |" not in chapter] == []
    for queue in kubernetes.queues.queues:
        lines = [line for line in chapter.splitlines() if line.startswith(f"| `{queue.team}` |") and f"| `{queue.local_queue}` |" in line]
        assert [line.split("`")[5] for line in lines] == [quota.flavor for quota in queue.quotas]


def test_says_what_a_team_owns_may_borrow_and_lends() -> None:
    kubernetes = blueprint_of("local").kubernetes
    assert kubernetes is not None
    rows = [*quota_rows(kubernetes.queues)]
    assert ("vision", "2", "training", "spot-l4", "4 GPUs", "6", "2") in rows
    assert ("speech", "1", "training", "spot-l4", "4 GPUs", "all there is", "4") in rows
    assert {flavor.name: shared(kubernetes.queues, flavor) for flavor in kubernetes.queues.flavors} == {
        "stable-cpu": "nothing",
        "spot-l4": "4 GPUs",
        "buffer-l4": "2 GPUs in its windows",
    }


def test_has_no_chapter_for_an_environment_that_declares_nothing_inside_the_cluster() -> None:
    assert "## local" not in queues.render([replace(blueprint_of("local"), kubernetes=None)])
