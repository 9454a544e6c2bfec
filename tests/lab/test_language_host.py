from pathlib import Path

import grpc
import pulumi
import pytest

from lab.language_host import explain
from tests.conftest import MakeEngine
from tests.lab.conftest import SmallProject


def raised(program: str, folder: Path) -> BaseException:
    """What a program in the folder raises, with its traceback."""
    file = folder / "__main__.py"
    try:
        exec(compile(program, str(file), "exec"), {})  # noqa: S102
    except BaseException as error:
        return error
    raise AssertionError("the program raised nothing")


class TestTheMessageOfAFailedProgram:
    @pytest.mark.parametrize("program", ["import pulumi; raise pulumi.RunError('two\\nlines')", "raise SystemExit('two\\nlines')"])
    def test_is_what_the_program_said_and_nothing_else(self, program, tmp_path: Path):
        assert explain(raised(program, tmp_path), tmp_path) == "two\nlines"

    def test_is_the_exit_code_where_there_is_nothing_else(self, tmp_path: Path):
        assert explain(SystemExit(3), tmp_path) == "The program ended with exit code 3."

    @pytest.mark.parametrize("code", [0, None])
    def test_is_none_where_it_ended_well(self, code, tmp_path: Path):
        assert explain(SystemExit(code), tmp_path) is None

    def test_is_a_traceback_from_its_own_first_line_on_for_a_defect(self, tmp_path: Path):
        message = explain(raised("{}['absent']", tmp_path), tmp_path)
        assert message is not None
        assert message.splitlines()[2].startswith(f'  File "{tmp_path}/__main__.py", line 1')
        assert "KeyError: 'absent'" in message

    def test_is_none_where_the_engine_is_already_stopping(self, tmp_path: Path):
        class Gone(grpc.RpcError):
            def code(self) -> grpc.StatusCode:
                return grpc.StatusCode.UNAVAILABLE

        assert explain(Gone(), tmp_path) is None

    def test_is_shown_for_a_run_error_raised_by_pulumi_too(self, tmp_path: Path):
        assert explain(pulumi.RunError("why"), tmp_path) == "why"


@pytest.mark.engine
class TestAProgramThatFails:
    @pytest.mark.parametrize(
        ("statement", "shown"),
        [
            ("raise pulumi.RunError('the zone is unknown')", "error: the zone is unknown"),
            ("raise SystemExit('the zone is unknown')", "error: the zone is unknown"),
            ("import sys; print('why', file=sys.stderr); sys.exit(3)", "error: The program ended with exit code 3."),
        ],
    )
    def test_on_purpose_shows_one_message_and_no_traceback(self, lab_engine: MakeEngine, small_project: SmallProject, statement, shown):
        small_project.program(statement)
        result = lab_engine(small_project.folder).preview("one")
        assert not result.ok
        assert result.output.split("Diagnostics:")[1].count("error:") == 1
        assert shown in result.output
        assert "Traceback" not in result.output

    @pytest.mark.parametrize("statement", ["{}['absent']", "pulumi.Output.from_input(1).apply(lambda _: {}['absent'])"])
    def test_by_a_defect_shows_where(self, lab_engine: MakeEngine, small_project: SmallProject, statement):
        small_project.program(statement)
        result = lab_engine(small_project.folder).preview("one")
        assert not result.ok
        assert f'File "{small_project.folder}/infra/__main__.py", line 7' in result.output
        assert "KeyError: 'absent'" in result.output


@pytest.mark.engine
class TestAProgram:
    def test_that_exits_with_success_succeeds(self, lab_engine: MakeEngine, small_project: SmallProject):
        small_project.program("raise SystemExit(0)")
        assert lab_engine(small_project.folder).preview("one").ok

    def test_runs_in_its_folder_and_its_print_is_shown(self, lab_engine: MakeEngine, small_project: SmallProject):
        small_project.program("import os; print('in', os.getcwd())")
        assert f"in {small_project.folder / 'infra'}" in lab_engine(small_project.folder).preview("one").output
