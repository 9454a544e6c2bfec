"""The control plane itself: that it is whole, comes up again after every crash, and leaves nothing behind."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from kubernetes.client import ApiClient, CoreV1Api, VersionApi
from kubernetes.client.exceptions import ApiException, ForbiddenException

from lab.cluster.apply import apply, create, delete, read
from lab.cluster.control_plane import ControlPlane
from lab.cluster.kubernetes import OLDEST_EMULATED
from lab.cluster.registry import CLUSTER, KUBERNETES
from tests.cluster.conftest import MakeNamespace, running
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster

NAMES = [part.name for part in CLUSTER]


def pod(namespace: str, **spec: Any) -> dict[str, Any]:
    content = {"containers": [{"name": "one", "image": "one"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": namespace}, "spec": content}


def refused(client: ApiClient, manifest: dict[str, Any]) -> None:
    """Waits until a new policy is in force."""

    def tried() -> bool:
        try:
            create(client, manifest, dry_run=True)
        except ApiException:
            return True
        return False

    eventually(tried)


def states(control_plane: ControlPlane) -> dict[str, str]:
    return {status.name: status.state for status in control_plane.status()}


def processes_of(directory: Path) -> list[psutil.Process]:
    """Processes whose command names something in the directory."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(directory) in word for word in process.info["cmdline"] or ()):
            found.append(process)
    return found


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[ControlPlane]:
    """Kubernetes alone, for one test that stops it or takes something from it."""
    with running(ControlPlane(tmp_path / "lab", KUBERNETES)) as started:
        yield started


class TestARunningControlPlane:
    def test_is_ready_in_every_part(self, control_plane: ControlPlane):
        assert states(control_plane) == dict.fromkeys(NAMES, "running")

    def test_starts_nothing_a_second_time(self, control_plane: ControlPlane):
        before = control_plane.status()
        assert control_plane.start() == ()
        assert control_plane.status() == before

    def test_listens_on_this_machine_only(self, control_plane: ControlPlane):
        pids = [status.pid for status in control_plane.status()]
        heard = [
            connection.laddr.ip
            for pid in pids
            for connection in psutil.Process(pid).net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert heard
        assert set(heard) <= {"127.0.0.1", "::ffff:127.0.0.1"}

    def test_keeps_its_secrets_from_other_users(self, control_plane: ControlPlane):
        lab = control_plane.files
        files = [file for file in lab.directory.rglob("*") if file.suffix in (".key", ".csv", ".pem", ".json")]
        told = {lab.ports, *lab.discovery.rglob("*"), *lab.record("*").parent.iterdir()}
        secret = set(files) - told
        assert lab.credential in secret
        assert {oct(file.stat().st_mode & 0o077) for file in (*secret, control_plane.kubeconfig)} == {"0o0"}


class TestACluster:
    def test_runs_a_pod_of_a_fresh_namespace_on_a_simulated_node(self, admin: ApiClient, namespace: str):
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": namespace, "labels": {"test": namespace}, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"taints": [{"key": "test", "value": namespace, "effect": "NoSchedule"}]},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}, "capacity": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
        }
        create(admin, node)
        try:
            made = pod(namespace, nodeSelector={"test": namespace}, tolerations=[{"key": "test", "operator": "Exists"}])
            create(admin, made)
            eventually(lambda: (read(admin, made) or {})["status"].get("phase") == "Running")
        finally:
            delete(admin, [node])

    def test_gives_pods_the_toleration_of_the_gpus_that_they_ask_for_as_gke_does(self, admin: ApiClient, namespace: str):
        limits = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
        made = create(admin, pod(namespace, containers=[{"name": "one", "image": "one", **limits}]))
        assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in made["spec"]["tolerations"]

    def test_holds_pods_to_the_security_level_of_their_namespace(self, admin: ApiClient, make_namespace: MakeNamespace):
        strict = make_namespace(labels={"pod-security.kubernetes.io/enforce": "restricted"})
        with pytest.raises(ForbiddenException, match="violates PodSecurity"):
            create(admin, pod(strict))

    def test_lets_controllers_act_as_service_accounts_of_their_own(self, admin: ApiClient, namespace: str):
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "one", "image": "one"}]}}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "one", "namespace": namespace}, "spec": {"template": template}}
        policy: dict[str, Any] = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": namespace},
            "spec": {
                "matchConstraints": {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                    "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
                },
                "validations": [{"expression": "false", "messageExpression": "'made by ' + request.userInfo.username"}],
            },
        }
        binding = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": namespace},
            "spec": {"policyName": namespace, "validationActions": ["Deny"]},
        }
        apply(admin, [policy, binding])
        try:
            refused(admin, pod(namespace))
            create(admin, job)
            said = "made by system:serviceaccount:kube-system:job-controller"
            eventually(lambda: any(said in event for event in events(admin, namespace)))
        finally:
            delete(admin, [policy, binding])

    def test_shows_a_user_only_what_the_user_may_see(self, control_plane: ControlPlane, admin: ApiClient, namespace: str):
        create(admin, pod(namespace))
        stranger = control_plane.client("stranger@acme.example", ["strangers@acme.example"])
        with pytest.raises(ForbiddenException, match=r"stranger@acme\.example"):
            read(stranger, pod(namespace))
        binding = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "readers", "namespace": namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "strangers@acme.example"}],
        }
        apply(admin, [binding])
        eventually(lambda: read(stranger, pod(namespace)))


def events(admin: ApiClient, namespace: str) -> list[str]:
    return [event.message or "" for event in CoreV1Api(admin).list_namespaced_event(namespace).items]


class TestAUser:
    @pytest.mark.parametrize(
        ("user", "groups"),
        [
            (f"system:node:{'n' * 63}", ["system:nodes"]),
            (f"system:serviceaccount:{'n' * 63}:{'a' * 63}", ["system:serviceaccounts", f"system:serviceaccounts:{'n' * 63}"]),
            ("ann@acme.example", []),
        ],
    )
    def test_is_who_the_client_says_however_long_the_name(self, control_plane: ControlPlane, user: str, groups: list[str]):
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {}}
        info = create(control_plane.client(user), review)["status"]["userInfo"]
        assert info["username"] == user
        assert sorted(info["groups"]) == sorted([*groups, "system:authenticated"])


class TestACrash:
    @pytest.mark.parametrize("name", NAMES)
    def test_of_a_part_is_seen_and_repaired_and_nothing_else_is_started(self, control_plane: ControlPlane, admin: ApiClient, name: str):
        control_plane.kill(name)
        assert states(control_plane)[name] == "ended"
        assert control_plane.start() == (name,)
        assert states(control_plane) == dict.fromkeys(NAMES, "running")

    def test_of_everything_loses_no_object(self, control_plane: ControlPlane, admin: ApiClient, namespace: str):
        create(admin, pod(namespace))
        for name in NAMES:
            control_plane.kill(name)
        assert control_plane.start() == tuple(NAMES)
        assert read(admin, pod(namespace))


class TestTwoStartsAtOnce:
    def test_start_each_part_once(self, tmp_path: Path):
        control_plane = ControlPlane(tmp_path / "lab", KUBERNETES)
        started: list[str] = []
        with running(control_plane, start=False):
            starts = [threading.Thread(target=lambda: started.extend(ControlPlane(tmp_path / "lab", KUBERNETES).start())) for _ in range(2)]
            for start in starts:
                start.start()
            for start in starts:
                start.join()
            assert sorted(started) == sorted(part.name for part in KUBERNETES)
            assert len(processes_of(tmp_path / "lab")) == len(KUBERNETES) + 1  # and the guard of this test


class TestTheEnd:
    def test_leaves_no_process_and_keeps_the_objects(self, bare: ControlPlane):
        kept = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "namespace": "default"}, "data": {"is": "kept"}}
        apply(bare.client(), [kept])
        pids = [status.pid for status in bare.status()]
        bare.stop()
        assert not any(psutil.pid_exists(pid) for pid in pids if pid)
        assert set(states(bare).values()) == {"stopped"}
        bare.start()
        found = read(bare.client(), kept)
        assert found is not None
        assert found["data"] == {"is": "kept"}

    def test_kills_no_process_that_has_got_the_id_of_an_ended_one(self, tmp_path: Path):
        control_plane = ControlPlane(tmp_path / "lab", KUBERNETES)
        record = control_plane.files.record("etcd")
        record.parent.mkdir(parents=True)
        record.write_text(f'{{"pid": {os.getpid()}, "started": 1.0, "command": ["etcd"]}}')
        assert states(control_plane)["etcd"] == "ended"
        control_plane.stop()  # would end this very process


class TestAPortThatAnotherProgramHas:
    def test_is_given_up_for_another_and_everything_is_told(self, bare: ControlPlane):
        old = bare.url
        port = next(status.ports[0] for status in bare.status() if status.name == "kube-apiserver")
        bare.stop()
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", port))
            other.listen()
            bare.start()
            assert bare.url != old
            assert set(states(bare).values()) == {"running"}
            eventually(lambda: read(bare.client(), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}))


class TestAnOlderCluster:
    def test_is_played_by_the_api_server(self, tmp_path: Path):
        with running(ControlPlane(tmp_path / "lab", KUBERNETES, emulated_version=OLDEST_EMULATED)) as older:
            assert VersionApi(older.client()).get_code().emulation_minor == OLDEST_EMULATED.partition(".")[2]
