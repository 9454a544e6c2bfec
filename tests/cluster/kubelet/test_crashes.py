"""What a crash of the kubelet or of the API server leaves: nothing lost, nothing running on."""

import uuid

import pytest

from lab.cluster.calling import send
from lab.cluster.control_plane import ControlPlane
from tests.cluster.kubelet.process_nodes import Nodes, Pods, alive, state
from tests.cluster.waiting import eventually

pytestmark = pytest.mark.cluster


class TestAKubeletThatCrashes:
    def test_finds_its_processes_again(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 5")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        assert control_plane.start() == ("kubelet",)
        assert alive(process)
        flag.touch()
        ended = pods.ended()
        assert (state(ended)["terminated"]["exitCode"], pods.log(ended)) == (5, f"{process}\nup\n")

    def test_learns_what_ended_without_it(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 6")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        flag.touch()
        eventually(lambda: not alive(process))
        control_plane.start()
        assert state(pods.ended())["terminated"]["exitCode"] == 6

    def test_ends_the_pods_that_were_deleted_without_it(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("echo $$$$; echo up; sleep 300")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kubelet")
        path = f"/api/v1/namespaces/{pods.namespace}/pods/one"
        assert send(pods.admin, "DELETE", path, query={"gracePeriodSeconds": "0"}).status == 200
        assert alive(process)
        control_plane.start()
        eventually(lambda: not alive(process))

    def test_ends_its_processes_when_it_is_stopped(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        pod = pods.says(pods.run(nodes.pod("echo $$$$; echo up; sleep 300")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.restart("kubelet")
        assert not alive(process)
        assert state(pods.ended())["terminated"]["exitCode"] == 137


class TestAnApiServerThatCrashes:
    def test_learns_afterwards_how_a_pod_ended(self, control_plane: ControlPlane, nodes: Nodes, pods: Pods):
        nodes.add()
        flag = pods.kubelet.parent / uuid.uuid4().hex
        pod = pods.says(pods.run(nodes.pod(f"echo $$$$; echo up; until test -e {flag}; do sleep 0.05; done; exit 9")), "up")
        process = int(pods.log(pod).split()[0])
        control_plane.kill("kube-apiserver")
        flag.touch()
        eventually(lambda: not alive(process))
        control_plane.start()
        assert state(pods.ended())["terminated"]["exitCode"] == 9
