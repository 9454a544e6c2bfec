"""A pod's volumes and credentials as its processes see them, with mount namespaces and without."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.kubelet.containers import Run
from lab.kubelet.mounts import supported
from lab.kubelet.sandbox import ACCOUNT_DIRECTORY, Machine, Sandbox
from tests.cluster.waiting import eventually
from tests.lab.kubelet.pods import Store, container, pod

_ACCOUNT = {
    "name": "account",
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
        ]
    },
}
_STORE = Store(**{"ConfigMap_kube-root-ca.crt": {"ca.crt": b"-CA-"}, "ConfigMap_settings": {"run.yaml": b"steps: 5\n"}})


class Pod:
    """A pod whose containers are run without a kubelet."""

    def __init__(self, machine: Machine, made: dict[str, Any]) -> None:
        self.made = made
        self.sandbox = Sandbox(machine, made)
        self.machine = machine
        self.sandbox.prepare(_STORE, lambda audience, seconds: f"token for {audience or 'all'}, {seconds} s", {})

    def run(self) -> tuple[int, str]:
        """Exit code and output of its container."""
        run = self.sandbox.start(self.made["spec"]["containers"][0], 0, _STORE, {})
        code = eventually(lambda: run.attempt().exit_code is not None and (run.attempt().exit_code,))
        assert isinstance(code, tuple)
        log = self.machine.logs / "team-a_one_1234" / "main" / "0.log"
        assert code[0] is not None
        return code[0], log.read_text()


@pytest.fixture(params=["namespaces", "rewriting"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    """Both ways, where the machine has both."""
    namespaces = request.param == "namespaces" and supported()
    made = Machine(tmp_path / "kubelet", "127.0.0.1", "6443", tmp_path / "ca.crt", namespaces)
    made.directory.mkdir()
    made.lock.touch()
    return made


def _mounted(script: str, *mounts: dict[str, Any], **more: Any) -> dict[str, Any]:
    volumes = [_ACCOUNT, {"name": "settings", "configMap": {"name": "settings"}}, {"name": "scratch", "emptyDir": {}}]
    return pod(container(command=["sh", "-c", script], volumeMounts=list(mounts), **more), volumes=volumes)


@pytest.mark.parametrize("storage", ["", "http://127.0.0.1:1"])
def test_the_lab_s_storage_is_where_google_s_client_looks_for_it(machine: Machine, storage: str):
    asks = pod(container(command=["sh", "-c", "echo $STORAGE_EMULATOR_HOST"]))
    assert Pod(replace(machine, storage=storage), asks).run() == (0, f"{storage}\n")


class TestVolumes:
    def test_are_found_where_the_pod_mounts_them(self, machine: Machine):
        script = f"cat /etc/settings/run.yaml; cat {ACCOUNT_DIRECTORY}/token {ACCOUNT_DIRECTORY}/namespace; echo x > $OUT/file; ls /scratch"
        mounts = (
            {"name": "settings", "mountPath": "/etc/settings"},
            {"name": "account", "mountPath": ACCOUNT_DIRECTORY},
            {"name": "scratch", "mountPath": "/scratch/"},
        )
        code, said = Pod(machine, _mounted(script, *mounts, env=[{"name": "OUT", "value": "/scratch"}])).run()
        assert (code, said) == (0, "steps: 5\ntoken for all, 3607 steam-afile\n")
        assert not Path("/scratch").exists()
        assert not Path("/etc/settings").exists()

    def test_are_shared_below_a_path_of_their_own(self, machine: Machine):
        mounts = ({"name": "scratch", "mountPath": "/all"}, {"name": "scratch", "mountPath": "/mine", "subPathExpr": "of/$(NAME)"})
        code, said = Pod(
            machine, _mounted("touch /mine/file; find /all -type f | wc -l; ls /all/of/a", *mounts, env=[{"name": "NAME", "value": "a"}])
        ).run()
        assert (code, said) == (0, "1\nfile\n")

    def test_may_hide_what_the_machine_has(self, machine: Machine, tmp_path: Path):
        script = f"test ! -e {tmp_path}/own || echo seen; touch {tmp_path}/made; kubectl"
        machine.bin.mkdir()
        (machine.bin / "kubectl").write_text("#!/bin/sh\necho kubectl runs\n")
        (machine.bin / "kubectl").chmod(0o755)
        (tmp_path / "own").touch()
        code, said = Pod(machine, _mounted(script, {"name": "scratch", "mountPath": str(tmp_path)})).run()
        assert (code, said) == (0, "kubectl runs\n")
        assert not (tmp_path / "made").exists()

    def test_follow_what_kubernetes_keeps_in_them(self, machine: Machine):
        made = Pod(machine, _mounted(""))
        folder = made.sandbox.directory / "volumes" / "settings"
        made.sandbox.prepare(Store(ConfigMap_settings={"b": b"2"}, **{"ConfigMap_kube-root-ca.crt": {"ca.crt": b""}}), lambda *_: "new", {})
        assert {path.name: path.read_text() for path in folder.iterdir()} == {"b": "2"}
        assert (made.sandbox.directory / "volumes" / "account" / "token").read_text() == "new"


class TestAProcess:
    def test_knows_nothing_of_the_environment_of_the_kubelet(self, machine: Machine, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SECRET_OF_THE_KUBELET", "x")
        _, said = Pod(machine, _mounted("env")).run()
        assert "SECRET_OF_THE_KUBELET" not in said
        assert "KUBECONFIG" not in said

    def test_leaves_a_termination_message(self, machine: Machine):
        made = Pod(machine, _mounted("echo why > /dev/termination-log; exit 1"))
        made.run()
        assert made.sandbox.message(container(), 0, failed=True) == "why\n"

    @pytest.mark.parametrize(("failed", "message"), [(True, "last words\n"), (False, "")])
    def test_may_let_its_log_stand_for_one(self, machine: Machine, failed: bool, message: str):
        made = Pod(machine, _mounted("echo last words"))
        made.run()
        assert made.sandbox.message(container(terminationMessagePolicy="FallbackToLogsOnError"), 0, failed) == message

    def test_with_credentials_has_a_kubeconfig_with_them(self, machine: Machine):
        made = Pod(machine, _mounted('cat "$KUBECONFIG"', {"name": "account", "mountPath": ACCOUNT_DIRECTORY}))
        content = yaml.safe_load(made.run()[1])
        assert content["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
        assert Path(content["users"][0]["user"]["tokenFile"]).read_text() == "token for all, 3607 s"

    def test_begins_in_a_folder_of_its_own_or_where_it_wants(self, machine: Machine):
        here = str(machine.pods / "1234" / "work" / "main")
        assert Pod(machine, _mounted("pwd")).run() == (0, f"{here}\n")

    def test_begins_in_a_volume(self, machine: Machine):
        mount = {"name": "settings", "mountPath": "/settings"}
        assert Pod(machine, _mounted("cat run.yaml", mount, workingDir="/settings")).run() == (0, "steps: 5\n")


def test_a_hook_sees_what_its_container_sees(machine: Machine):
    made = Pod(machine, _mounted("echo of the container > /scratch/file; sleep 300", {"name": "scratch", "mountPath": "/scratch"}))
    (main,) = made.made["spec"]["containers"]
    run = made.sandbox.start(main, 0, _STORE, {})
    eventually(lambda: bool(list(made.sandbox.directory.glob("volumes/scratch/file"))))
    hook: Run = made.sandbox.start_hook(main, 0, ("sh", "-c", "cat /scratch/file"))
    eventually(lambda: hook.attempt().exit_code == 0)
    assert (machine.logs / "team-a_one_1234" / "main" / "0.log").read_text() == "of the container\n"
    run.kill()
    eventually(lambda: run.attempt().exit_code == 137)
    made.sandbox.remove()
    assert not made.sandbox.directory.exists()
