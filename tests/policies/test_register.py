"""The register of rules keeps its promises to configuration files and to people."""

import re

import pytest

from policies.rule import RULES, Severity, rule
from policies.rules import all_rules
from policies.views import NodePoolInputs


def test_an_id_is_given_once() -> None:
    taken = all_rules()[0].id

    def again(pool: NodePoolInputs):
        yield from ()

    with pytest.raises(ValueError, match=taken):
        rule(id=taken, title="t", severity=Severity.ADVISORY, why="w", fix="f")(again)
    assert RULES[taken] is all_rules()[0]


@pytest.mark.parametrize("one", all_rules(), ids=lambda one: one.id)
class TestEveryRule:
    def test_has_an_id_that_names_its_subject(self, one) -> None:
        assert re.fullmatch(r"(POOL|NODE|CLUSTER|IDENTITY|NETWORK|FLEET|ACCESS|BUCKET|KUBERNETES|MONITOR|SCHEDULE)-\d{3}", one.id)

    def test_states_its_law_without_a_full_stop_and_its_reason_and_fix_in_sentences(self, one) -> None:
        assert not one.title.endswith(".")
        assert one.why.endswith(".") and one.fix.endswith(".")

    def test_links_to_pages_that_readers_can_open(self, one) -> None:
        assert all(link.startswith("https://") for link in one.links)
