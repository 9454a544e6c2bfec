import os
from pathlib import Path

import psutil

from lab.cluster.files import ClusterFiles
from lab.cluster.ports import write_ports
from lab.google.endpoint import api_server, reachable

CLUSTER = {
    "name": "one",
    "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": "gke-1.gke.goog", "allowExternalTraffic": True}},
}


def control_plane(lab: Path, *, running: bool) -> None:
    """The traces that a control plane leaves; this very process plays its API server."""
    files = ClusterFiles(lab)
    record = files.record("kube-apiserver")
    record.parent.mkdir(parents=True)
    started = psutil.Process().create_time() if running else 1.0
    record.write_text(f'{{"pid": {os.getpid()}, "started": {started}, "command": []}}')
    write_ports(files.ports, {"kube-apiserver": 23456})


class TestTheEndpointOfACluster:
    def test_is_the_api_server_of_the_lab_while_it_runs(self, tmp_path: Path):
        control_plane(tmp_path, running=True)
        assert api_server(tmp_path) == "localhost:23456"
        dns = reachable(CLUSTER, tmp_path)["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]
        assert dns == {"endpoint": "localhost:23456", "allowExternalTraffic": True}

    def test_stays_what_google_would_give_without_one(self, tmp_path: Path):
        assert api_server(tmp_path) is None
        assert reachable(CLUSTER, tmp_path) == CLUSTER

    def test_is_not_that_of_a_control_plane_that_has_ended(self, tmp_path: Path):
        control_plane(tmp_path, running=False)
        assert reachable(CLUSTER, tmp_path) == CLUSTER

    def test_is_not_given_to_a_cluster_that_has_none(self, tmp_path: Path):
        control_plane(tmp_path, running=True)
        assert reachable({"name": "one"}, tmp_path) == {"name": "one"}
