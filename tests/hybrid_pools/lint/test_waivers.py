"""Waivers excuse what they name, as long as they hold, and nothing else."""

from datetime import date

import pytest

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.waivers import Placed, excuse, read_waivers
from tests.hybrid_pools.lint.given import JOB, changed, ids, lint_manifest

FILE = ".hybrid-pools-lint.yaml"
TODAY = date(2026, 6, 1)
WAIVER = """\
waivers:
  - rule: LINT-601
    path: job.yaml
    object: run
    reason: The image is built in this very run.
    owner: group:training-leads@example.com
    expires: 2026-06-30
"""
TAGGED = lint_manifest(changed(JOB, "spec.template.spec!containers", [{"name": "a", "image": "a:1"}]))
BROKEN = lint_manifest(changed(JOB, "!kind", "job"))


def placed(text: str = WAIVER) -> list[Placed]:
    waivers, wrong = read_waivers(FILE, text)
    assert wrong == []
    return waivers


def excused(
    text: str = WAIVER, found: list[Finding] | None = None, today: date = TODAY, asked: tuple[str, ...] = ("job.yaml",)
) -> list[Finding]:
    return excuse(TAGGED if found is None else found, placed(text), today, {}, FILE, asked)


class TestAWaiver:
    def test_excuses_what_it_names_and_says_why_and_who_and_until_when(self):
        [finding] = excused()
        assert finding.excuse == "The image is built in this very run. (group:training-leads@example.com, until 2026-06-30)"
        assert not finding.fails

    @pytest.mark.parametrize("path", ["job.yaml", "./job.yaml", ".", "./"])
    def test_may_name_a_file_or_a_folder_around_it(self, path: str):
        [finding] = excused(WAIVER.replace("job.yaml", path))
        assert finding.excuse

    def test_is_compared_with_the_path_from_its_own_folder(self):
        for path in ("manifests/job.yaml", "manifests", "manifests/", "manifest", "job.yaml"):
            waivers = placed(WAIVER.replace("path: job.yaml", f"path: {path}"))
            finding = excuse(TAGGED, waivers, TODAY, {"job.yaml": "manifests/job.yaml"}, FILE, ())[0]
            assert (finding.excuse is not None) is path.startswith("manifests"), path

    def test_may_leave_out_the_object(self):
        [finding] = excused(WAIVER.replace("    object: run\n", ""))
        assert finding.excuse

    @pytest.mark.parametrize(("one", "other"), [("LINT-601", "LINT-204"), ("job.yaml", "other.yaml"), ("object: run", "object: runs")])
    def test_excuses_nothing_else(self, one: str, other: str):
        assert excused(WAIVER.replace(one, other))[0].excuse is None

    def test_holds_on_its_last_day(self):
        assert excused(today=date(2026, 6, 30))[0].excuse
        finding, expired = excused(today=date(2026, 7, 1))
        assert finding.excuse is None
        assert (expired.law.id, expired.file, expired.line) == ("LINT-006", FILE, 2)
        assert "has expired on 2026-06-30" in expired.said

    def test_that_excuses_nothing_is_told_where_its_place_was_linted(self):
        assert [finding.law.id for finding in excused(found=[])] == ["LINT-007"]
        assert [finding.law.id for finding in excused(found=[], asked=(".",))] == ["LINT-007"]
        assert excused(found=[], asked=("other.yaml",)) == []

    def test_cannot_excuse_what_was_not_understood(self):
        assert ids(BROKEN) == {"LINT-005"}
        waivers, [wrong] = read_waivers(FILE, WAIVER.replace("LINT-601", "LINT-005"))
        assert waivers == []
        assert "cannot be waived" in wrong.said


class TestAFileOfWaivers:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (WAIVER.replace("LINT-601", "LINT-999"), "rule: LINT-999 is no rule"),
            (WAIVER.replace("    owner: group:training-leads@example.com\n", ""), "owner: field required"),
            (WAIVER.replace("    expires: 2026-06-30\n", ""), "expires: field required"),
            (WAIVER.replace("2026-06-30", "soon"), "expires: input should be a valid date"),
            (WAIVER.replace("2026-06-30", "2026-02-30"), "expires: input should be a valid date"),
            (WAIVER.replace("The image is built in this very run.", "' '"), "reason: string should match pattern"),
            (WAIVER.replace("The image is built in this very run.", ""), "reason: input should be a valid string"),
            (WAIVER.replace("object", "name"), "name: extra inputs are not permitted"),
            (WAIVER.replace("    object: run\n", "    object: 7\n"), "object: input should be a valid string"),
            ("waivers: all\n", "is not a mapping with the one key waivers"),
            ("waiver: []\n", "is not a mapping with the one key waivers"),
            ("- a\n", "is not a mapping with the one key waivers"),
            ("waivers: [a]\n", "input should be a valid dictionary or instance of waiver"),
            ("waivers: [\n", "while parsing"),
            ("waivers: []\nwaivers: []\n", "comes twice"),
            ("waivers: []\n---\nwaivers: []\n", "holds several documents"),
        ],
    )
    def test_that_is_wrong_excuses_nothing_and_is_told(self, text: str, said: str):
        waivers, wrong = read_waivers(FILE, text)
        assert waivers == []
        assert ids(wrong) == {"LINT-006"}
        assert any(said in finding.said for finding in wrong), wrong
        assert all(finding.fails for finding in wrong)

    def test_keeps_the_others_where_one_is_wrong(self):
        other = WAIVER.removeprefix("waivers:\n").replace("LINT-601", "LINT-999")
        waivers, wrong = read_waivers(FILE, WAIVER + other)
        assert len(waivers) == len(wrong) == 1
        assert wrong[0].line == 8

    @pytest.mark.parametrize("text", ["", "# none\n", "waivers: []\n"])
    def test_may_be_empty(self, text: str):
        assert read_waivers(FILE, text) == ([], [])
