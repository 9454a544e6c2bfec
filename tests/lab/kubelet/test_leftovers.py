import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.kubelet.leftovers import end_pods, prune_logs, remove_pod, whose
from lab.kubelet.logs import written
from lab.kubelet.sandbox import Machine, Sandbox
from tests.cluster.waiting import eventually
from tests.lab.kubelet.pods import Store, container, pod


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "kubelet", "127.0.0.1", "6443", tmp_path / "ca.crt", namespaces=False)
    made.directory.mkdir()
    made.lock.touch()
    return made


class TestAPodThatIsLeft:
    @pytest.fixture
    def left(self, machine: Machine) -> Iterator[Sandbox]:
        """A pod that runs, of a kubelet that is gone."""
        made = pod(container(command=["sh", "-c", "echo up; trap '' TERM; while :; do sleep 0.05; done"]))
        sandbox = Sandbox(machine, made)
        sandbox.prepare(Store(), lambda *_: "", {})
        sandbox.start(made["spec"]["containers"][0], 0, Store(), {})
        eventually(lambda: list(written(machine.logs, "team-a", "one")) == [("main, attempt 1", "up\n")])
        yield sandbox
        remove_pod(sandbox.directory)

    def test_says_whose_it_is(self, left: Sandbox):
        assert whose(left.directory) == {"namespace": "team-a", "name": "one", "uid": "1234"}

    def test_is_killed(self, machine: Machine, left: Sandbox):
        end_pods(machine.pods.iterdir())
        assert [run.attempt().exit_code for run in left.runs("main")] == [137]

    def test_is_removed_but_for_its_log(self, machine: Machine, left: Sandbox):
        remove_pod(left.directory)
        assert not left.directory.exists()
        assert list(written(machine.logs, "team-a", "one")) == [("main, attempt 1", "up\n")]


class TestLogs:
    def folder(self, logs: Path, name: str, age: int) -> None:
        file = logs / name / "main" / "0.log"
        file.parent.mkdir(parents=True)
        file.write_text(name)
        os.utime(logs / name, (10_000 - age, 10_000 - age))

    def test_are_of_the_latest_pod_of_the_name(self, tmp_path: Path):
        for age, name in enumerate(("team-a_one_2", "team-a_one_1", "team-a_one-more_3", "team-b_one_4")):
            self.folder(tmp_path, name, age)
        assert list(written(tmp_path, "team-a", "one")) == [("main, attempt 1", "team-a_one_2")]

    def test_of_a_pod_that_nobody_knows_are_a_clear_error(self, tmp_path: Path):
        with pytest.raises(LabError, match="Nothing is known of pod one in namespace team-a"):
            list(written(tmp_path, "team-a", "one"))

    def test_are_kept_of_the_latest_pods_only(self, tmp_path: Path):
        for age in range(203):
            self.folder(tmp_path, f"team-a_one_{age}", age)
        prune_logs(tmp_path)
        assert {int(path.name.rpartition("_")[2]) for path in tmp_path.iterdir()} == set(range(200))
