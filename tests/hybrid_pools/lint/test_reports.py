"""The reports say the same to people, programs, code scanning and pull requests."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.reports.github import github
from hybrid_pools.lint.reports.json import json_report
from hybrid_pools.lint.reports.result import Result
from hybrid_pools.lint.reports.sarif import sarif
from hybrid_pools.lint.reports.text import text
from hybrid_pools.lint.rules import all_laws
from tests.hybrid_pools.lint.given import JOB, changed, lint_manifest, lint_text

_TAGGED = changed(JOB, "spec.template.spec!containers", [{"name": "a", "image": "a:1", "command": ["sh", "-c", "train || true"]}])
BROKEN = "a: [\n---\n" + json.dumps(changed(JOB, "spec!podFailurePolicy", None))
FOUND = [
    *(replace(finding, file="manifests/run.yaml") for finding in lint_manifest(_TAGGED)),
    *(replace(finding, file="b,c:d.yaml") for finding in lint_text(BROKEN)),
]
EXCUSE = "Built in this run. (group:leads@example.com, until 2026-06-30)"
RESULT = Result(
    tuple(replace(each, excuse=EXCUSE) if each.law.id == "LINT-601" else each for each in FOUND),
    files=2,
    skipped=("manifests/README.md",),
)
NOTHING = Result((), files=1, skipped=())

SARIF = json.loads((Path(__file__).parent / "sarif.schema.json").read_text())
"""What GitHub's documentation of SARIF support asks for, and what the standard says of these fields."""


def unstyle(said: str) -> str:
    """Without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", said)


def sarif_of(result: Result) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(sarif(result, "0.1.0"))
    jsonschema.Draft202012Validator(SARIF).validate(report)
    return report


def results_of(result: Result) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = sarif_of(result)["runs"][0]["results"]
    return results


class TestTheReports:
    def test_stay_as_they_are(self, snapshot: SnapshotAssertion):
        assert unstyle(text(RESULT)) == snapshot(name="text")
        assert github(RESULT) == snapshot(name="github")
        assert json_report(RESULT) == snapshot(name="json")
        assert json.dumps(results_of(RESULT), indent=2) == snapshot(name="results of sarif")

    def test_count_alike(self):
        told = json.loads(json_report(RESULT))
        assert told["waived"] == 1
        assert told["errors"] == sum(finding.fails for finding in RESULT.findings)
        assert len(told["findings"]) == len(results_of(RESULT)) == len(github(RESULT).splitlines()) == len(RESULT.findings)
        assert unstyle(text(RESULT)).endswith(
            f"2 files: {told['errors']} errors, {told['warnings']} warning, 1 waived. 1 skipped: hidden, or not .yaml, .yml or .json."
        )

    def test_of_nothing_say_so(self):
        assert text(NOTHING) == "1 file: no problems."
        assert github(NOTHING) == ""
        assert json.loads(json_report(NOTHING))["findings"] == []
        assert results_of(NOTHING) == []

    def test_fail_by_errors_that_nobody_excuses(self):
        assert RESULT.fails
        assert not NOTHING.fails
        assert not Result(tuple(finding for finding in RESULT.findings if not finding.fails), 1, ()).fails


class TestSarif:
    def test_names_the_rule_of_each_result_by_its_number(self):
        [run] = sarif_of(RESULT)["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [rule["id"] for rule in rules] == [law.id for law in all_laws()]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]

    def test_names_files_as_addresses(self):
        files = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results_of(RESULT)]
        assert list(map(unquote, files)) == [finding.file for finding in RESULT.findings]

    def test_marks_what_is_waived(self):
        suppressed = [result for result in results_of(RESULT) if "suppressions" in result]
        assert [result["ruleId"] for result in suppressed] == ["LINT-601"]

    def test_keeps_a_fingerprint_where_lines_move(self):
        moved = [replace(finding, line=finding.line + 7) for finding in FOUND]
        assert [finding.fingerprint for finding in moved] == [finding.fingerprint for finding in FOUND]
        assert len({finding.fingerprint for finding in FOUND}) == len(FOUND)


class TestAnnotations:
    @given(st.text(), st.text())
    def test_are_one_line_each_whatever_stands_in_them(self, file: str, detail: str):
        finding: Finding = replace(FOUND[0], file=file, detail=detail)
        command = github(Result((finding,), 1, ()))
        assert "\n" not in command
        assert "\r" not in command
        properties = re.fullmatch(r"::(error|warning) (file=[^:,]*,line=\d+,col=\d+,title=[^:,]*)::.*", command, re.DOTALL)
        assert properties

    def test_escape_what_github_would_read(self):
        assert "file=b%2Cc%3Ad.yaml" in github(RESULT)


class TestText:
    @pytest.mark.parametrize("steering", ["\x1b[31m", "\r", "\x07", "\u202e"])
    def test_lets_nothing_steer_the_terminal(self, steering: str):
        finding = replace(FOUND[0], detail=f"a{steering}b", file=f"c{steering}d")
        assert steering not in unstyle(text(Result((finding,), 1, ())))
