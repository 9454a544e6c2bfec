"""Process nodes on a real control plane: Kubernetes' own controllers see of local processes what they see of containers."""

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiClient

from lab.cluster.apply import apply, create, delete, read
from lab.cluster.control_plane import ControlPlane
from lab.kubelet import marks
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster

Object = dict[str, Any]
_TAINT = "tests.kubelet"
_FINALIZER = "tests.kubelet/keep"


class Nodes:
    """Process nodes for one test, on which nothing else is placed."""

    def __init__(self, admin: ApiClient) -> None:
        self.admin = admin
        self.group = uuid.uuid4().hex[:8]
        self.made: list[Object] = []

    def add(self, **annotations: str) -> str:
        """A ready node; annotations by the names of the constants in `marks`."""
        name = f"process-{self.group}-{len(self.made)}"
        resources = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        labels = {marks.LAB_NODE_LABEL: marks.PROCESS, "tests.kubelet/group": self.group}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": {getattr(marks, key): value for key, value in annotations.items()}},
            "spec": {"taints": [{"key": _TAINT, "value": self.group, "effect": "NoSchedule"}]},
            "status": {"capacity": resources, "allocatable": resources},
        }
        create(self.admin, node)
        self.made.append(node)
        eventually(lambda: self.ready(name) == "True")
        return name

    def read(self, name: str) -> Object:
        return _read(self.admin, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    def ready(self, name: str) -> str:
        return str(_condition(self.read(name), "Ready").get("status"))

    def stop(self, name: str, how: str) -> None:
        """What `lab.nodes` writes when a machine ends."""
        apply(self.admin, [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": {marks.STOP_ANNOTATION: how}}}])

    def pod(self, script: str, **spec: Any) -> Object:
        """A pod template that runs a shell script."""
        container = {"name": "main", "image": "not-used", "command": ["sh", "-c", script], **spec.pop("container", {})}
        return {
            "restartPolicy": "Never",
            "nodeSelector": {"tests.kubelet/group": self.group},
            "tolerations": [{"key": _TAINT, "operator": "Exists"}],
            "containers": [container],
            **spec,
        }


@pytest.fixture
def nodes(admin: ApiClient) -> Iterator[Nodes]:
    made = Nodes(admin)
    yield made
    delete(admin, made.made)


class Pods:
    """Pods of one test's namespace."""

    def __init__(self, control_plane: ControlPlane, admin: ApiClient, namespace: str) -> None:
        self.admin = admin
        self.namespace = namespace
        self.kubelet = control_plane.files.lab / "kubelet"

    def run(self, spec: Object, name: str = "one", **metadata: Any) -> Object:
        return create(
            self.admin,
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace, **metadata}, "spec": spec},
        )

    def read(self, name: str = "one") -> Object:
        return _read(self.admin, self._reference(name))

    def phase(self, name: str = "one") -> str:
        return str(self.read(name)["status"].get("phase"))

    def ended(self, name: str = "one", within: float = 30) -> Object:
        """The pod once it has ended."""
        eventually(lambda: self.phase(name) in ("Succeeded", "Failed"), within)
        return self.read(name)

    def log(self, pod: Object, container: str = "main", attempt: int = 0) -> str:
        metadata = pod["metadata"]
        folder = self.kubelet / "logs" / f"{metadata['namespace']}_{metadata['name']}_{metadata['uid']}"
        file = folder / container / f"{attempt}.log"
        return file.read_text() if file.exists() else ""

    def says(self, pod: Object, text: str) -> Object:
        """The pod once its container has written a text."""
        eventually(lambda: text in self.log(pod))
        return pod

    def release(self, name: str = "one") -> None:
        """Takes the finalizers off, so that an ended pod goes."""
        apply(self.admin, [{**self._reference(name), "metadata": {"name": name, "namespace": self.namespace, "finalizers": []}}])

    def delete(self, name: str = "one") -> None:
        delete(self.admin, [self._reference(name)])

    def of_job(self, job: str) -> list[Object]:
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        found = _list(self.admin, path)
        return [pod for pod in found if pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name") == job]

    def _reference(self, name: str) -> Object:
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace}}


@pytest.fixture
def pods(control_plane: ControlPlane, admin: ApiClient, namespace: str) -> Pods:
    return Pods(control_plane, admin, namespace)


def _read(admin: ApiClient, reference: Object) -> Object:
    found = read(admin, reference)
    assert found is not None, f"{reference['metadata']['name']} is gone"
    return found


def _list(admin: ApiClient, path: str) -> list[Object]:
    request = admin.param_serialize("GET", path, header_params={"Accept": "application/json"}, auth_settings=["BearerToken"])
    response: Any = admin.call_api(*request)
    items: list[Object] = json.loads(response.read())["items"]
    return items


def _condition(item: Object, kind: str) -> Object:
    return next((each for each in item["status"].get("conditions", ()) if each["type"] == kind), {})


def _state(pod: Object) -> Object:
    statuses: list[Object] = pod["status"].get("containerStatuses", [{}])
    state: Object = statuses[0].get("state", {})
    return state


def _job(namespace: str, template: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": namespace},
        "spec": {"backoffLimit": 0, "template": {"spec": template}, **spec},
    }


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


_TRAP = "trap 'echo told; exit 0' TERM; echo up; while :; do sleep 0.05; done"
_DEAF = "trap '' TERM; echo up; while :; do sleep 0.05; done"


class TestWhatRuns:
    def test_a_job_succeeds_when_its_process_does(self, nodes: Nodes, pods: Pods):
        nodes.add()
        job = create(pods.admin, _job(pods.namespace, nodes.pod("echo done", initContainers=[_shell("first", "echo before")])))
        eventually(lambda: _condition(_read(pods.admin, job), "Complete").get("status") == "True")
        (pod,) = pods.of_job("job")
        assert pod["status"]["phase"] == "Succeeded"
        assert pods.log(pod) == "done\n"
        assert pods.log(pod, "first") == "before\n"
        assert {_condition(pod, kind)["status"] for kind in ("Ready", "ContainersReady")} == {"False"}
        assert _condition(pod, "Initialized")["status"] == "True"

    def test_a_failure_has_its_exit_code_and_its_message(self, nodes: Nodes, pods: Pods):
        nodes.add()
        policy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}
        template = nodes.pod("echo lost the data > /dev/termination-log; exit 42")
        job = create(pods.admin, _job(pods.namespace, template, backoffLimit=5, podFailurePolicy=policy))
        failed = eventually(lambda: _condition(_read(pods.admin, job), "Failed"))
        assert (failed["reason"], "exit code 42" in failed["message"]) == ("PodFailurePolicy", True)
        (pod,) = pods.of_job("job")
        ended = _state(pod)["terminated"]
        assert (ended["exitCode"], ended["reason"], ended["message"]) == (42, "Error", "lost the data\n")
        assert ended["startedAt"] <= ended["finishedAt"]

    def test_environment_and_files_are_those_of_the_pod(self, nodes: Nodes, pods: Pods):
        node = nodes.add()
        metadata = {"name": "settings", "namespace": pods.namespace}
        create(
            pods.admin, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"RATE": "0.1", "run.yaml": "steps: 5\n"}}
        )
        container = {
            "envFrom": [{"configMapRef": {"name": "settings"}}],
            "env": [
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                {"name": "LIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
                {"name": "ALL", "value": "$(RATE) on $(NODE) with $(LIMIT), $$(RATE)"},
            ],
            "args": ["sh", "$(RATE)"],
            "resources": {"limits": {"cpu": "1", "memory": "64Mi"}},
            "volumeMounts": [{"name": "settings", "mountPath": "/etc/settings"}, {"name": "scratch", "mountPath": "/scratch"}],
        }
        volumes = [{"name": "settings", "configMap": {"name": "settings"}}, {"name": "scratch", "emptyDir": {}}]
        script = 'echo "$ALL $1"; cat /etc/settings/run.yaml; echo kept > /scratch/file; cat /scratch/file'
        pods.run(nodes.pod(script, container=container, volumes=volumes))
        pod = pods.ended()
        assert pods.log(pod) == f"0.1 on {node} with 64, $(RATE) 0.1\nsteps: 5\nkept\n"
        assert not Path("/scratch").exists()

    def test_a_pod_that_refers_to_nothing_waits_until_it_is_there(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("echo $RATE", container={"envFrom": [{"configMapRef": {"name": "later"}}]}))
        waiting = eventually(
            lambda: _state(pods.read()).get("waiting", {}).get("reason") == "CreateContainerConfigError" and _state(pods.read())
        )
        assert waiting["waiting"]["message"] == 'configmap "later" not found'
        metadata = {"name": "later", "namespace": pods.namespace}
        create(pods.admin, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"RATE": "0.2"}})
        assert pods.log(pods.ended()) == "0.2\n"

    def test_a_container_whose_command_only_its_image_knows_is_refused(self, nodes: Nodes, pods: Pods):
        nodes.add()
        spec = nodes.pod("")
        del spec["containers"][0]["command"]
        pods.run(spec)
        waiting = eventually(lambda: _state(pods.read()).get("waiting", {}).get("message") and _state(pods.read())["waiting"])
        assert waiting["reason"] == "CreateContainerError"
        assert "Write `command` out" in waiting["message"]

    def test_a_program_that_does_not_exist_is_a_failure_to_start(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("", container={"command": ["no-such-program"]}))
        ended = _state(pods.ended())["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
        assert "no-such-program" in ended["message"]

    def test_a_crash_loop_backs_off(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("exit 7", restartPolicy="Always"))
        eventually(lambda: _state(pods.read()).get("waiting", {}).get("reason") == "CrashLoopBackOff")
        status = pods.read()["status"]
        assert (status["phase"], status["containerStatuses"][0]["restartCount"]) == ("Running", 1)
        assert status["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 7
        pods.delete()
        eventually(lambda: read(pods.admin, pods._reference("one")) is None)

    def test_a_pod_ends_at_its_deadline(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod(_TRAP, activeDeadlineSeconds=2))
        pod = pods.ended()
        assert (pod["status"]["phase"], pod["status"]["reason"]) == ("Failed", "DeadlineExceeded")


class TestCredentials:
    @pytest.fixture
    def clerk(self, pods: Pods) -> str:
        """An account that may change one config map."""
        place: Object = {"namespace": pods.namespace}
        rule = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["open"], "verbs": ["get", "patch"]}
        subject = {"kind": "ServiceAccount", "name": "clerk", **place}
        role = {"kind": "Role", "name": "clerk", "apiGroup": "rbac.authorization.k8s.io"}
        rbac = "rbac.authorization.k8s.io/v1"
        items: tuple[Object, ...] = (
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "clerk", **place}},
            {"apiVersion": rbac, "kind": "Role", "metadata": {"name": "clerk", **place}, "rules": [rule]},
            {"apiVersion": rbac, "kind": "RoleBinding", "metadata": {"name": "clerk", **place}, "subjects": [subject], "roleRef": role},
            *(
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **place}, "data": {"state": "0"}}
                for name in ("open", "other")
            ),
        )
        for item in items:
            create(pods.admin, item)
        return "clerk"

    def state(self, pods: Pods, name: str) -> str:
        found = _read(pods.admin, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": pods.namespace}})
        return str(found["data"]["state"])

    def test_kubectl_acts_as_the_pods_account_and_no_further(self, nodes: Nodes, pods: Pods, clerk: str):
        nodes.add()
        patch = """kubectl patch configmap {} -p '{{"data":{{"state":"1"}}}}'"""
        pods.run(nodes.pod(f"{patch.format('open')}; {patch.format('other')}", serviceAccountName=clerk))
        pod = pods.ended()
        assert pod["status"]["phase"] == "Failed"
        assert "configmap/open patched" in pods.log(pod)
        assert f"system:serviceaccount:{pods.namespace}:clerk" in pods.log(pod)
        assert (self.state(pods, "open"), self.state(pods, "other")) == ("1", "0")

    def test_the_token_is_bound_to_the_pod(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("kubectl auth whoami"))
        pod = pods.ended()
        assert pod["metadata"]["uid"] in pods.log(pod)

    def test_a_pod_without_a_token_is_nobody(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("env", automountServiceAccountToken=False))
        assert "KUBECONFIG" not in pods.log(pods.ended())

    def test_a_cron_job_changes_the_cluster_as_its_account(self, nodes: Nodes, pods: Pods, clerk: str):
        nodes.add()
        container = {"command": ["kubectl", "patch", "configmap", "open", "--patch", '{"data":{"state":"scheduled"}}']}
        template = nodes.pod("", container=container, serviceAccountName=clerk)
        job = {"backoffLimit": 0, "template": {"spec": template}}
        metadata = {"name": "switch", "namespace": pods.namespace}
        spec = {"schedule": "* * * * *", "timeZone": "Europe/Berlin", "jobTemplate": {"spec": job}}
        create(pods.admin, {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec})
        eventually(lambda: self.state(pods, "open") == "scheduled", within=90)


class TestDeletion:
    def test_exit_0_on_sigterm_counts_as_success(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod(_TRAP), finalizers=[_FINALIZER]), "up")
        pods.delete()
        pod = pods.ended()
        assert (pod["status"]["phase"], pods.log(pod)) == ("Succeeded", "up\ntold\n")
        assert not _condition(pod, "DisruptionTarget")
        pods.release()

    def test_who_does_not_hear_sigterm_is_killed_after_the_grace_period(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod(_DEAF, terminationGracePeriodSeconds=1), finalizers=[_FINALIZER]), "up")
        pods.delete()
        pod = pods.ended(within=10)
        assert (pod["status"]["phase"], _state(pod)["terminated"]["exitCode"]) == ("Failed", 137)
        pods.release()

    def test_the_hook_runs_before_sigterm(self, nodes: Nodes, pods: Pods):
        nodes.add()
        hook = {"preStop": {"exec": {"command": ["sh", "-c", "echo hook in $HOSTNAME; sleep 0.3; echo hook ends"]}}}
        pods.says(pods.run(nodes.pod(_TRAP, container={"lifecycle": hook}), finalizers=[_FINALIZER]), "up")
        pods.delete()
        assert pods.log(pods.ended()) == "up\nhook in one\nhook ends\ntold\n"
        pods.release()

    def test_an_eviction_leaves_the_mark_of_who_asked(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod("echo up; sleep 60"), finalizers=[_FINALIZER]), "up")
        path = f"/api/v1/namespaces/{pods.namespace}/pods/one/eviction"
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one", "namespace": pods.namespace}}
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        request = pods.admin.param_serialize("POST", path, header_params=headers, body=body, auth_settings=["BearerToken"])
        assert pods.admin.call_api(*request).status == 201
        pod = pods.ended()
        assert (pod["status"]["phase"], _state(pod)["terminated"]["exitCode"]) == ("Failed", 143)
        assert _condition(pod, "DisruptionTarget")["reason"] == "EvictionByEvictionAPI"
        pods.release()

    def test_nothing_of_a_deleted_pod_stays(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("setsid sleep 300 & echo $!; echo up; sleep 300", terminationGracePeriodSeconds=1)), "up")
        escaped = int(pods.log(pod).split()[0])
        assert _alive(escaped)
        pods.delete()
        eventually(lambda: not _alive(escaped))
        eventually(lambda: not (pods.kubelet / "pods" / pod["metadata"]["uid"]).exists())
        assert read(pods.admin, pods._reference("one")) is None


class TestAPreemptedNode:
    @pytest.fixture
    def spot(self, nodes: Nodes) -> str:
        return nodes.add(SHUTDOWN_GRACE_ANNOTATION="4", SHUTDOWN_GRACE_CRITICAL_ANNOTATION="2")

    def test_a_job_that_ignores_disruptions_goes_on_elsewhere(self, nodes: Nodes, pods: Pods, spot: str):
        policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
        script = f'echo up; test "$NODE" != {spot} || sleep 60'
        container = {"env": [{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]}
        job = create(pods.admin, _job(pods.namespace, nodes.pod(script, container=container), podFailurePolicy=policy))
        (first,) = eventually(lambda: pods.of_job("job"))
        pods.says(first, "up")
        nodes.add()
        nodes.stop(spot, marks.PREEMPT)
        eventually(lambda: _condition(_read(pods.admin, job), "Complete").get("status") == "True")
        lost = pods.read(first["metadata"]["name"])
        assert (lost["status"]["phase"], lost["status"]["reason"]) == ("Failed", "Terminated")
        assert lost["status"]["message"] == "Pod was terminated in response to imminent node shutdown."
        assert _condition(lost, "DisruptionTarget")["reason"] == "TerminationByKubelet"
        assert _state(lost)["terminated"]["exitCode"] == 143
        assert _read(pods.admin, job)["status"].get("failed", 0) == 0

    def test_exit_0_counts_as_success_there_too(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(_TRAP)), "up")
        nodes.stop(spot, marks.PREEMPT)
        assert pods.ended()["status"]["phase"] == "Succeeded"

    def test_the_window_is_shorter_than_the_pods_own_grace(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(_DEAF, terminationGracePeriodSeconds=300)), "up")
        nodes.stop(spot, marks.PREEMPT)
        pod = pods.ended(within=10)
        assert (pod["status"]["phase"], _state(pod)["terminated"]["exitCode"]) == ("Failed", 137)

    def test_it_takes_no_new_pods(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(_DEAF)), "up")
        nodes.stop(spot, marks.PREEMPT)
        eventually(lambda: nodes.ready(spot) == "False")
        assert _condition(nodes.read(spot), "Ready")["message"] == "node is shutting down"
        pods.run(nodes.pod("echo never", nodeName=spot), name="late")
        late = pods.ended("late")
        assert (late["status"]["phase"], late["status"]["reason"]) == ("Failed", "NodeShutdown")


class TestANodeThatIsGone:
    def test_its_processes_end_and_nobody_is_told(self, nodes: Nodes, pods: Pods):
        name = nodes.add()
        pod = pods.says(pods.run(nodes.pod("echo $$$$; echo up; sleep 300")), "up")
        process = int(pods.log(pod).split()[0])
        eventually(lambda: pods.phase() == "Running")
        before = pods.read()["status"]
        nodes.stop(name, marks.HARD)
        eventually(lambda: not _alive(process))
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-node-lease"}}
        renewed = _read(pods.admin, lease)["spec"]["renewTime"]
        other = nodes.add()
        first = _renewal(pods.admin, other)
        eventually(lambda: _renewal(pods.admin, other) != first)  # a heartbeat's time has gone by
        assert _read(pods.admin, lease)["spec"]["renewTime"] == renewed
        assert pods.read()["status"] == before


class TestAKubeletThatCrashes:
    def test_finds_its_processes_again(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 5")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        assert control_plane.start() == ("kubelet",)
        assert _alive(process)
        flag.touch()
        ended = pods.ended()
        assert (_state(ended)["terminated"]["exitCode"], pods.log(ended)) == (5, f"{process}\nup\n")

    def test_learns_what_ended_without_it(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 6")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        flag.touch()
        eventually(lambda: not _alive(process))
        control_plane.start()
        assert _state(pods.ended())["terminated"]["exitCode"] == 6

    def test_ends_the_pods_that_were_deleted_without_it(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("echo $$$$; echo up; sleep 300")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        path = f"/api/v1/namespaces/{pods.namespace}/pods/one"
        query = [("gracePeriodSeconds", "0")]
        request = pods.admin.param_serialize("DELETE", path, query_params=query, header_params={}, auth_settings=["BearerToken"])
        assert pods.admin.call_api(*request).status == 200
        assert _alive(process)
        control_plane.start()
        eventually(lambda: not _alive(process))

    def test_ends_its_processes_when_it_is_stopped(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("echo $$$$; echo up; sleep 300")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.restart("kubelet")
        assert not _alive(process)
        assert _state(pods.ended())["terminated"]["exitCode"] == 137


class TestAnApiServerThatCrashes:
    def test_learns_afterwards_how_a_pod_ended(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 9")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kube-apiserver")
        flag.touch()
        eventually(lambda: not _alive(process))
        control_plane.start()
        assert _state(pods.ended())["terminated"]["exitCode"] == 9


def _renewal(admin: ApiClient, name: str) -> str:
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-node-lease"}}
    return str(_read(admin, lease)["spec"]["renewTime"])


def _shell(name: str, script: str) -> Object:
    return {"name": name, "image": "not-used", "command": ["sh", "-c", script]}
