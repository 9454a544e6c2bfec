"""How pods on process nodes end: deleted, evicted, preempted, gone."""

import pytest

from lab.cluster.apply import create, read
from lab.cluster.calling import send
from lab.kubelet import marks
from tests.cluster.kubelet.process_nodes import DEAF, FINALIZER, TRAP, Nodes, Pods, alive, condition, new_job, read_object, renewal, state
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster


class TestDeletion:
    def test_exit_0_on_sigterm_counts_as_success(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod(TRAP), finalizers=[FINALIZER]), "up")
        pods.delete()
        pod = pods.ended()
        assert (pod["status"]["phase"], pods.log(pod)) == ("Succeeded", "up\ntold\n")
        assert not condition(pod, "DisruptionTarget")
        pods.release()

    def test_who_does_not_hear_sigterm_is_killed_after_the_grace_period(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod(DEAF, terminationGracePeriodSeconds=1), finalizers=[FINALIZER]), "up")
        pods.delete()
        pod = pods.ended(within=10)
        assert (pod["status"]["phase"], state(pod)["terminated"]["exitCode"]) == ("Failed", 137)
        pods.release()

    def test_the_hook_runs_before_sigterm(self, nodes: Nodes, pods: Pods):
        nodes.add()
        hook = {"preStop": {"exec": {"command": ["sh", "-c", "echo hook in $HOSTNAME; sleep 0.3; echo hook ends"]}}}
        pods.says(pods.run(nodes.pod(TRAP, container={"lifecycle": hook}), finalizers=[FINALIZER]), "up")
        pods.delete()
        assert pods.log(pods.ended()) == "up\nhook in one\nhook ends\ntold\n"
        pods.release()

    def test_an_eviction_leaves_the_mark_of_who_asked(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pods.says(pods.run(nodes.pod("echo up; sleep 60"), finalizers=[FINALIZER]), "up")
        path = f"/api/v1/namespaces/{pods.namespace}/pods/one/eviction"
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one", "namespace": pods.namespace}}
        assert send(pods.admin, "POST", path, body).status == 201
        pod = pods.ended()
        assert (pod["status"]["phase"], state(pod)["terminated"]["exitCode"]) == ("Failed", 143)
        assert condition(pod, "DisruptionTarget")["reason"] == "EvictionByEvictionAPI"
        pods.release()

    def test_nothing_of_a_deleted_pod_stays(self, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("setsid sleep 300 & echo $!; echo up; sleep 300", terminationGracePeriodSeconds=1)), "up")
        escaped = int(pods.log(pod).split()[0])
        assert alive(escaped)
        pods.delete()
        eventually(lambda: not alive(escaped))
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
        job = create(pods.admin, new_job(pods.namespace, nodes.pod(script, container=container), podFailurePolicy=policy))
        (first,) = eventually(lambda: pods.of_job("job"))
        pods.says(first, "up")
        nodes.add()
        nodes.stop(spot, marks.PREEMPT)
        eventually(lambda: condition(read_object(pods.admin, job), "Complete").get("status") == "True")
        lost = pods.read(first["metadata"]["name"])
        assert (lost["status"]["phase"], lost["status"]["reason"]) == ("Failed", "Terminated")
        assert lost["status"]["message"] == "Pod was terminated in response to imminent node shutdown."
        assert condition(lost, "DisruptionTarget")["reason"] == "TerminationByKubelet"
        assert state(lost)["terminated"]["exitCode"] == 143
        assert read_object(pods.admin, job)["status"].get("failed", 0) == 0

    def test_exit_0_counts_as_success_there_too(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(TRAP)), "up")
        nodes.stop(spot, marks.PREEMPT)
        assert pods.ended()["status"]["phase"] == "Succeeded"

    def test_the_window_is_shorter_than_the_pods_own_grace(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(DEAF, terminationGracePeriodSeconds=300)), "up")
        nodes.stop(spot, marks.PREEMPT)
        pod = pods.ended(within=10)
        assert (pod["status"]["phase"], state(pod)["terminated"]["exitCode"]) == ("Failed", 137)

    def test_it_takes_no_new_pods(self, nodes: Nodes, pods: Pods, spot: str):
        pods.says(pods.run(nodes.pod(DEAF)), "up")
        nodes.stop(spot, marks.PREEMPT)
        eventually(lambda: nodes.ready(spot) == "False")
        assert condition(nodes.read(spot), "Ready")["message"] == "node is shutting down"
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
        eventually(lambda: not alive(process))
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-node-lease"}}
        renewed = read_object(pods.admin, lease)["spec"]["renewTime"]
        other = nodes.add()
        first = renewal(pods.admin, other)
        eventually(lambda: renewal(pods.admin, other) != first)  # a heartbeat's time has gone by
        assert read_object(pods.admin, lease)["spec"]["renewTime"] == renewed
        assert pods.read()["status"] == before
