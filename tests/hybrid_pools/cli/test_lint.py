"""`hybrid-pools lint` reads what it is given, tells it in four forms, and ends with the code that scripts count on."""

import json
import os
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from hybrid_pools.cli import app
from hybrid_pools.lint.linting import LARGEST_BYTES
from tests.hybrid_pools.lint.given import CONTRACT, JOB, changed

GOOD = yaml.safe_dump(JOB)
BAD = yaml.safe_dump(changed(JOB, "spec!podFailurePolicy", None))
TAGGED = yaml.safe_dump(changed(JOB, "spec.template.spec!containers", [{"name": "a", "image": "a:1"}]))
WAIVER = """\
waivers:
  - {rule: WORK-009, path: manifests, reason: A trial., owner: "group:leads@example.com", expires: 2999-01-01}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training repository with a contract, in which the command is run."""
    (tmp_path / "contract.json").write_text(CONTRACT.model_dump_json(exclude_none=True))
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "good.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str | Path, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["lint", *map(str, arguments), "--contract", "contract.json"], input=text)


def found(result: Result) -> list[str]:
    return [finding["rule"] for finding in json.loads(result.stdout)["findings"]]


class TestTheExitCode:
    def test_is_0_where_nothing_is_wrong(self, folder: Path):
        result = run("manifests")
        assert (result.exit_code, result.stdout) == (0, "1 file: no problems.\n")

    def test_is_0_for_warnings(self, folder: Path):
        result = run("-", text=TAGGED)
        assert result.exit_code == 0
        assert "1 warning" in result.stdout

    def test_is_1_where_something_is_wrong(self, folder: Path):
        (folder / "manifests" / "bad.yaml").write_text(BAD)
        result = run("manifests")
        assert result.exit_code == 1
        assert "manifests/bad.yaml\n" in result.stdout
        assert "WORK-009" in result.stdout
        assert "manifests/good.yaml" not in result.stdout
        assert "\x1b" not in result.stdout

    @pytest.mark.parametrize("path", ["absent.yaml", "manifests/absent"])
    def test_is_1_for_a_file_that_cannot_be_read_and_the_others_are_judged(self, folder: Path, path: str):
        (folder / "bad.yaml").write_text(BAD)
        result = run(path, "bad.yaml", "--output", "json")
        assert result.exit_code == 1
        assert found(result) == ["LINT-001", "WORK-009"]

    def test_is_1_for_a_folder_without_a_manifest(self, folder: Path):
        (folder / "empty").mkdir()
        result = run("empty", "--output", "json")
        assert (result.exit_code, found(result)) == (1, ["LINT-001"])

    @pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
    def test_is_1_for_a_file_whose_name_is_no_text(self, folder: Path, form: str):
        (folder / "manifests" / os.fsdecode(b"caf\xe9\n.yaml")).write_text(BAD)
        result = run("manifests", "--output", form)
        assert result.exit_code == 1
        assert "WORK-009" in result.stdout

    def test_is_1_for_a_file_that_is_too_large(self, folder: Path):
        (folder / "large.yaml").write_bytes(GOOD.encode() + b"#" * LARGEST_BYTES)
        assert found(run("large.yaml", "--output", "json")) == ["LINT-001"]

    def test_is_1_with_one_message_without_a_contract_to_judge_by(self, folder: Path):
        for text, said in (
            (CONTRACT.model_copy(update={"admission": None}).model_dump_json(exclude_none=True), "says nothing of admission"),
            ("{}", "has no contractVersion"),
        ):
            (folder / "contract.json").write_text(text)
            result = run("manifests")
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr.startswith("error: ")
            assert said in result.stderr

    @pytest.mark.parametrize("arguments", [(), ("manifests", "--output", "xml"), ("manifests", "--absent")])
    def test_is_2_for_a_wrong_call(self, folder: Path, arguments: tuple[str, ...]):
        assert run(*arguments).exit_code == 2

    def test_is_2_where_standard_input_is_to_be_two_things(self, folder: Path):
        result = CliRunner().invoke(app, ["lint", "-", "--contract", "-"], input=GOOD)
        assert result.exit_code == 2
        assert "standard input" in result.stderr


class TestStandardInput:
    def test_is_judged_like_a_file(self, folder: Path):
        result = run("-", "--output", "json", text=BAD)
        assert found(result) == ["WORK-009"]
        assert json.loads(result.stdout)["findings"][0]["file"] == "stdin"

    @pytest.mark.parametrize("content", [b"", b"\x00\xff", b"\xff\xfea\x00"])
    def test_that_says_nothing_does_not_pass(self, folder: Path, content: bytes):
        assert run("-", text=content).exit_code == 1


class TestTheNamespace:
    def test_is_where_objects_go_that_do_not_say_so(self, folder: Path):
        nowhere = yaml.safe_dump(changed(JOB, "metadata!namespace", None))
        assert run("-", "--namespace", "team-vision", text=nowhere).exit_code == 0
        assert "WORK-014" in run("-", text=nowhere).stdout


class TestWaivers:
    def test_of_the_folder_excuse_what_they_name(self, folder: Path):
        (folder / ".hybrid-pools-lint.yaml").write_text(WAIVER)
        (folder / "manifests" / "bad.yaml").write_text(BAD)
        result = run("manifests")
        assert result.exit_code == 0
        assert "waived: A trial. (group:leads@example.com, until 2999-01-01)" in result.stdout

    def test_may_stand_in_another_file_and_name_paths_from_there(self, folder: Path):
        (folder / "lint").mkdir()
        (folder / "lint" / "waivers.yaml").write_text(WAIVER.replace("manifests", "../manifests/bad.yaml"))
        (folder / "manifests" / "bad.yaml").write_text(BAD)
        assert run("manifests", "--waivers", "lint/waivers.yaml").exit_code == 0
        assert run(folder / "manifests", "--waivers", "lint/waivers.yaml").exit_code == 0

    def test_excuse_standard_input_by_its_sign(self, folder: Path):
        (folder / ".hybrid-pools-lint.yaml").write_text(WAIVER.replace("manifests", '"-"'))
        assert run("-", text=BAD).exit_code == 0

    def test_that_are_wrong_fail_the_lint(self, folder: Path):
        (folder / ".hybrid-pools-lint.yaml").write_text(WAIVER.replace("2999", "2001"))
        assert found(run("manifests", "--output", "json")) == ["LINT-006"]

    def test_that_are_not_there_are_an_error_where_they_were_asked_for(self, folder: Path):
        result = run("manifests", "--waivers", "absent.yaml")
        assert result.exit_code == 1
        assert "error: the waivers in absent.yaml cannot be read" in result.stderr


class TestTheOutput:
    def test_has_four_forms_with_one_exit_code(self, folder: Path):
        (folder / "manifests" / "bad.yaml").write_text(BAD)
        (folder / "manifests" / "notes.md").write_text("")
        told = {form: run("manifests", "--output", form) for form in ("text", "json", "sarif", "github")}
        assert {result.exit_code for result in told.values()} == {1}
        assert json.loads(told["json"].stdout)["skipped"] == ["manifests/notes.md"]
        assert json.loads(told["sarif"].stdout)["version"] == "2.1.0"
        assert told["github"].stdout.startswith("::error file=manifests/bad.yaml,line=")
        assert told["text"].stdout.startswith("manifests/bad.yaml\n")
