import os
import select
import signal
from pathlib import Path

import pytest

from lab.engine import Engine
from lab.errors import LabError
from lab.paths import STORE_VARIABLE, Lab
from lab.pulumi_cli import PulumiCli
from lab.recovery import recover
from tests.conftest import MakeEngine
from tests.lab.conftest import SmallProject


def descendants(process: int) -> set[int]:
    found = {process}
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            found |= descendants(int(child))
    return found


def wait_until_ended(process: int) -> None:
    """Returns when the process is gone; blocks on the process itself."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    assert select.select([descriptor], [], [], 10)[0], f"process {process} is still there"
    os.close(descriptor)


class TestTheEnvironmentOfTheEngine:
    @pytest.fixture
    def engine(self, tmp_path: Path) -> Engine:
        return Engine(Lab(tmp_path / "lab"), tmp_path / "project", PulumiCli(Path("/opt/pulumi"), official=False), variables={"FAULT": "x"})

    @pytest.mark.parametrize(
        "variable",
        ["PULUMI_ACCESS_TOKEN", "PULUMI_BACKEND_URL", "PULUMI_STACK", "PULUMI_CONFIG_PASSPHRASE_FILE", "PYTHONPATH", "VIRTUAL_ENV"],
    )
    def test_has_nothing_of_the_users_own_setup(self, engine: Engine, monkeypatch, variable):
        monkeypatch.setenv(variable, "the user's")
        assert engine.environment().get(variable) != "the user's"

    def test_keeps_everything_in_the_lab(self, engine: Engine):
        environment = engine.environment()
        for variable in ("PULUMI_HOME", STORE_VARIABLE):
            assert Path(environment[variable]).is_relative_to(engine.lab.directory)
        assert environment["PULUMI_BACKEND_URL"].startswith(f"file://{engine.lab.state}?")

    def test_downloads_nothing_and_asks_for_no_newer_version(self, engine: Engine):
        environment = engine.environment()
        assert environment["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] == "true"
        assert environment["PULUMI_SKIP_UPDATE_CHECK"] == "true"

    def test_adds_what_the_caller_gives(self, engine: Engine):
        assert engine.environment()["FAULT"] == "x"


@pytest.mark.engine
class TestAStack:
    def test_comes_up_stays_and_goes(self, lab_engine: MakeEngine, small_project: SmallProject):
        engine = lab_engine(small_project.folder, policy_pack=small_project.pack)
        assert engine.up("one").ok
        assert not list(engine.lab.state.rglob("*.attrs")), "files that a killed engine could leave half-written"
        assert engine.outputs("one") == {"greeting": "hello"}
        assert engine.preview("one", "--expect-no-changes").ok
        small_project.greet("goodbye")
        assert not engine.preview("one", "--expect-no-changes").ok
        assert engine.destroy("one").ok
        assert engine.state("one")["deployment"].get("resources") is None

    def test_is_stopped_by_the_pack_before_anything_is_made(self, lab_engine: MakeEngine, small_project: SmallProject):
        engine = lab_engine(small_project.folder, policy_pack=small_project.pack)
        small_project.program("Greeting('second', 'rude')")
        result = engine.up("one")
        assert not result.ok
        assert "this greeting is rude" in result.output
        assert engine.state("one")["deployment"].get("resources") is None

    def test_leaves_the_project_as_it_was_and_the_users_home_alone(
        self, lab_engine: MakeEngine, small_project: SmallProject, tmp_path, monkeypatch
    ):
        home = tmp_path / "home"
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        before = {file: file.read_bytes() for file in small_project.folder.rglob("*") if file.is_file()}
        assert lab_engine(small_project.folder).up("one").ok
        after = {file: file.read_bytes() for file in small_project.folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
        assert after == before
        assert not list(home.iterdir())

    def test_shows_no_warning_about_where_plugins_come_from(self, lab_engine: MakeEngine, small_project: SmallProject):
        assert "warning" not in lab_engine(small_project.folder, policy_pack=small_project.pack).up("one").output

    def test_that_is_unknown_is_refused_before_the_engine_runs(self, lab_engine: MakeEngine, small_project: SmallProject):
        with pytest.raises(LabError, match="Known stacks: one"):
            lab_engine(small_project.folder).up("two")


@pytest.mark.engine
class TestAnEngineThatIsKilled:
    @pytest.fixture
    def killed(self, lab_engine: MakeEngine, small_project: SmallProject, tmp_path: Path) -> Engine:
        """An engine of which nothing is left but its lock; killed while the program waits and the pack is loaded."""
        os.mkfifo(tmp_path / "reached")
        small_project.program(f"open({str(tmp_path / 'reached')!r}, 'w').write('x'); import threading; threading.Event().wait()")
        engine = lab_engine(small_project.folder, policy_pack=small_project.pack)
        engine.select_or_init("one")
        process = engine.start("up", "--yes", "--skip-preview", "--stack", "one", "--policy-pack", str(small_project.pack))
        assert (tmp_path / "reached").read_text() == "x"
        plugins = descendants(process.pid) - {process.pid}
        assert len(plugins) >= 2, "the language host and the pack"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for plugin in plugins:
            wait_until_ended(plugin)
        small_project.program()
        return engine

    def test_leaves_a_lock_that_the_next_is_told_of_and_recovery_removes(self, killed: Engine):
        assert "the stack is currently locked" in killed.up("one").output
        recover(killed, "one")
        assert killed.up("one").ok

    def test_is_not_declared_dead_while_it_runs(self, lab_engine: MakeEngine, small_project: SmallProject, tmp_path: Path):
        for pipe in ("reached", "leave"):
            os.mkfifo(tmp_path / pipe)
        small_project.program(f"open({str(tmp_path / 'reached')!r}, 'w').write('x'); open({str(tmp_path / 'leave')!r}).read()")
        engine = lab_engine(small_project.folder)
        engine.select_or_init("one")
        process = engine.start("up", "--yes", "--skip-preview", "--stack", "one")
        assert (tmp_path / "reached").read_text() == "x"
        with pytest.raises(LabError, match=f"process {process.pid} on .*Wait until it has ended"):
            recover(engine, "one")
        (tmp_path / "leave").write_text("go on")
        process.communicate()
        assert process.returncode == 0
