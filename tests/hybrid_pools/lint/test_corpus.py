"""The corpus of what must not pass, and what must."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from hybrid_pools.lint.rule import Severity
from tests.hybrid_pools.lint.given import CLEAN, PYTORCH_JOB, changed, ids, lint_manifest, lint_text
from tests.workloads import Manifest

BAD = Path(__file__).parent / "bad"
DOCUMENTS: list[dict[str, Any]] = yaml.safe_load((BAD / "documents.yaml").read_text())
JOBS: list[dict[str, Any]] = yaml.safe_load((BAD / "jobs.yaml").read_text())
DEEP = "apiVersion: v1\nkind: Pod\nspec: "


def alias_of_aliases(name: str) -> str:
    return f"{name}: &{name} [{', '.join([f'*{chr(ord(name) - 1)}'] * 10)}]\n"


BYTES = {
    "nothing": (b"", "LINT-003"),
    "UTF-16": ("apiVersion: v1\nkind: Pod\n".encode("utf-16"), "LINT-001"),
    "Latin-1": ("apiVersion: v1\nkind: Pod\nmetadata: {name: Müller}\n".encode("latin-1"), "LINT-001"),
    "a NUL": (b"apiVersion: v1\nkind: Pod\x00\n", "LINT-001"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00", "LINT-001"),
    "a byte order mark in the middle": ("apiVersion: v1\nkind: ConfigMap\n---\n\ufeffapiVersion: v1\n".encode(), "LINT-001"),
    "a control character": (b"apiVersion: v1\nkind: Pod\nmetadata: {name: \x07}\n", "LINT-002"),
    "too much": (b"#" * (16 * 1024 * 1024 + 1), "LINT-001"),
    "lists in lists": (DEEP.encode() + b"[" * 200 + b"]" * 200, "LINT-002"),
    "lists in lists without an end": (DEEP.encode() + b"[" * 100_000, "LINT-002"),
    "blocks in blocks": (DEEP.encode() + b"\n  " + b"- " * 100_000, "LINT-002"),
    "aliases of aliases": (
        b"apiVersion: v1\nkind: Pod\na: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + b"".join(
            f"{one}: &{one} [{', '.join([f'*{other}'] * 10)}]\n".encode() for other, one in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "LINT-002",
    ),
}


def wrong(case: dict[str, Any]) -> Manifest:
    manifest = CLEAN[case["of"]]
    for at, value in case.get("set", {}).items():
        manifest = changed(manifest, at if "!" in at else f"!{at}", value)
    containers = {key: case[key] for key in ("command", "env") if key in case}
    if containers:
        [container] = manifest["spec"]["template"]["spec"]["containers"]
        manifest = changed(manifest, "spec.template.spec!containers", [{**container, **containers}])
    return manifest


class TestWhatIsRight:
    @pytest.mark.parametrize("name", CLEAN)
    def test_has_no_finding(self, name: str):
        assert [finding.said for finding in lint_manifest(CLEAN[name])] == []

    def test_may_begin_with_a_byte_order_mark(self):
        assert lint_text(b"\xef\xbb\xbfapiVersion: v1\nkind: ConfigMap\n") == []

    def test_may_have_braces_in_what_a_container_runs(self):
        manifest = wrong({"of": "job", "command": ["train", "--format={{.Name}}", "${HOME}"]})
        assert lint_manifest(manifest) == []

    def test_may_be_a_training_job_of_an_operator_with_a_warning(self):
        assert {(finding.law.id, finding.law.severity) for finding in lint_manifest(PYTORCH_JOB)} == {("LINT-202", Severity.WARNING)}


class TestTheCorpus:
    def test_has_more_than_sixty_cases(self):
        assert len(DOCUMENTS) + len(JOBS) + len(BYTES) > 100

    @pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: case["name"])
    def test_of_documents_is_found_in_its_place(self, case: dict[str, Any]):
        found = lint_text(case["text"])
        assert ids(found) == set(case["finds"])
        assert found[0].line == case.get("line", found[0].line)

    @pytest.mark.parametrize("case", JOBS, ids=lambda case: case["name"])
    def test_of_manifests_is_found(self, case: dict[str, Any]):
        found = lint_manifest(wrong(case))
        assert ids(found) == set(case["finds"]), [finding.said for finding in found]

    @pytest.mark.parametrize("name", BYTES)
    def test_of_bytes_is_found(self, name: str):
        content, expected = BYTES[name]
        assert ids(lint_text(content)) == {expected}

    @pytest.mark.parametrize("case", [*DOCUMENTS, *JOBS], ids=lambda case: case["name"])
    def test_says_of_each_what_and_how_to_mend_it(self, case: dict[str, Any]):
        for finding in lint_text(case["text"]) if "text" in case else lint_manifest(wrong(case)):
            assert finding.said
            assert finding.law.why
            assert finding.law.fix
            assert finding.line >= 1 <= finding.column
