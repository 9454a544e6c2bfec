"""Where the API server of the stand-in's clusters answers: the lab's own control plane, while it runs."""

from pathlib import Path

from lab.cluster import process
from lab.cluster.files import ClusterFiles
from lab.cluster.ports import read_ports
from lab.google.values import Document

_API_SERVER = "kube-apiserver"


def api_server(lab: Path) -> str | None:
    """Host and port of the lab's API server; None if it does not run.

    Args:
        lab: The lab's directory.
    """
    files = ClusterFiles(lab)
    recorded = process.read_record(files.record(_API_SERVER))
    if recorded is None or process.find(recorded) is None:
        return None
    return f"localhost:{read_ports(files.ports)[_API_SERVER]}"


def reachable(document: Document, lab: Path) -> Document:
    """A cluster whose DNS endpoint is the lab's API server, if that runs; otherwise the cluster as it is."""
    endpoint = api_server(lab)
    settings = document.get("controlPlaneEndpointsConfig")
    if endpoint is None or not settings or not settings.get("dnsEndpointConfig"):
        return document
    dns = {**settings["dnsEndpointConfig"], "endpoint": endpoint}
    return {**document, "controlPlaneEndpointsConfig": {**settings, "dnsEndpointConfig": dns}}
