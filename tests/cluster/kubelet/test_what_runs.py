"""What runs on process nodes on a real control plane: Kubernetes' own controllers see of local processes what they see of containers."""

from pathlib import Path

import pytest

from lab.cluster.apply import create, read
from tests.cluster.kubelet.process_nodes import TRAP, Nodes, Object, Pods, condition, new_job, read_object, shell, state
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster


class TestWhatRuns:
    def test_a_job_succeeds_when_its_process_does(self, nodes: Nodes, pods: Pods):
        nodes.add()
        job = create(pods.admin, new_job(pods.namespace, nodes.pod("echo done", initContainers=[shell("first", "echo before")])))
        eventually(lambda: condition(read_object(pods.admin, job), "Complete").get("status") == "True")
        (pod,) = pods.of_job("job")
        assert pod["status"]["phase"] == "Succeeded"
        assert pods.log(pod) == "done\n"
        assert pods.log(pod, "first") == "before\n"
        assert {condition(pod, kind)["status"] for kind in ("Ready", "ContainersReady")} == {"False"}
        assert condition(pod, "Initialized")["status"] == "True"

    def test_a_failure_has_its_exit_code_and_its_message(self, nodes: Nodes, pods: Pods):
        nodes.add()
        policy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}
        template = nodes.pod("echo lost the data > /dev/termination-log; exit 42")
        job = create(pods.admin, new_job(pods.namespace, template, backoffLimit=5, podFailurePolicy=policy))
        failed = eventually(lambda: condition(read_object(pods.admin, job), "Failed"))
        assert (failed["reason"], "exit code 42" in failed["message"]) == ("PodFailurePolicy", True)
        (pod,) = pods.of_job("job")
        ended = state(pod)["terminated"]
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
            lambda: state(pods.read()).get("waiting", {}).get("reason") == "CreateContainerConfigError" and state(pods.read())
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
        waiting = eventually(lambda: state(pods.read()).get("waiting", {}).get("message") and state(pods.read())["waiting"])
        assert waiting["reason"] == "CreateContainerError"
        assert "Write `command` out" in waiting["message"]

    def test_a_program_that_does_not_exist_is_a_failure_to_start(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("", container={"command": ["no-such-program"]}))
        ended = state(pods.ended())["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
        assert "no-such-program" in ended["message"]

    def test_a_crash_loop_backs_off(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod("exit 7", restartPolicy="Always"))
        eventually(lambda: state(pods.read()).get("waiting", {}).get("reason") == "CrashLoopBackOff")
        status = pods.read()["status"]
        assert (status["phase"], status["containerStatuses"][0]["restartCount"]) == ("Running", 1)
        assert status["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 7
        pods.delete()
        eventually(lambda: read(pods.admin, pods._reference("one")) is None)

    def test_a_pod_ends_at_its_deadline(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.run(nodes.pod(TRAP, activeDeadlineSeconds=2))
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
        found = read_object(pods.admin, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": pods.namespace}})
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
