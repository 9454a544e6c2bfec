"""Which parts there are. A new part is one entry here."""

from typing import Final

from lab.cluster import jobset, kubernetes, kueue, kwok
from lab.kubelet.part import KUBELET
from lab.nodes.part import NODES
from lab.storage.part import STORAGE

KUBERNETES: Final = kubernetes.PARTS
"""Kubernetes alone."""

CLUSTER: Final = (*KUBERNETES, kwok.PART, STORAGE, KUBELET, NODES, jobset.PART, kueue.PART)
"""A cluster with queues, simulated nodes, nodes that run processes, and buckets for these."""
