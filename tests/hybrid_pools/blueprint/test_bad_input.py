"""What is wrong is refused with exactly what is wrong, in words that a reader can act on."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.problems import READING_RULES
from hybrid_pools.blueprint.rules import POOL_RULES, SECTION_RULES
from tests.hybrid_pools.blueprint.bad_input import BASE, Case, cases

CASES = cases()
WITHOUT_A_VALUE = ("is missing", "is empty", "does not exist", "is a folder", "has no config", "configures nothing", "comes twice", "YAML")
"""Words of the messages about something that is not there, or that has no value of its own."""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class TestAWrongConfiguration:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
    def test_leads_to_exactly_the_problems_it_has(self, case: Case):
        found = case.refusal().problems
        assert sorted((problem.rule, problem.path) for problem in found) == sorted((wanted.rule, wanted.at) for wanted in case.problems)

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
    def test_is_told_with_place_value_what_is_allowed_and_the_fix(self, case: Case):
        for problem in case.refusal().problems:
            (wanted,) = [wanted for wanted in case.problems if (wanted.rule, wanted.at) == (problem.rule, problem.path)]
            assert wanted.fix in problem.fix
            assert problem.message
            assert problem.allowed
            assert problem.value or any(words in problem.message for words in WITHOUT_A_VALUE)

    def test_reads_as_people_will_read_it(self, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        told = []
        for index, case in enumerate(CASES):
            folder = tmp_path / str(index)
            folder.mkdir()
            monkeypatch.chdir(folder)
            told.append(f"=== {case.name}\n{case.refusal()}\n")
        assert "\n".join(told) == snapshot


class TestTheCorpus:
    def test_starts_from_a_file_that_is_right(self):
        assert check_stack_file(BASE).environment.name == "dev"

    def test_has_a_case_for_every_rule(self):
        known = {*READING_RULES, *POOL_RULES, *SECTION_RULES}
        assert {problem.rule for case in CASES for problem in case.problems} == known

    def test_names_every_case_once(self):
        names = [case.name for case in CASES]
        assert len(names) == len(set(names)) >= 60
