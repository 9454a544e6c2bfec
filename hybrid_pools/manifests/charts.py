"""Kueue and JobSet as their own charts install them, set up as the lab runs them."""

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from hybrid_pools.blueprint.model.queues import Charts
from hybrid_pools.blueprint.vocabulary import POD_SECURITY_LABEL
from hybrid_pools.manifests.kueue_configuration import kueue_configuration
from hybrid_pools.manifests.manifest import Manifest, manifest

_REPLICAS = 2
"""While a manager is away no job is created and none is admitted, since its webhooks refuse; the second takes over."""


@dataclass(frozen=True)
class Chart:
    """A chart to install.

    Attributes:
        name: Of the release.
        reference: Where the chart is.
    """

    name: str
    reference: str
    version: str
    namespace: str
    values: Manifest


KUEUE_CHART = "oci://registry.k8s.io/kueue/charts/kueue"
JOBSET_CHART = "oci://registry.k8s.io/jobset/charts/jobset"


def charts(versions: Charts, priority_class: str) -> Iterator[Chart]:
    """What is to be installed.

    Args:
        priority_class: Priority class of the managers. JobSet's chart takes none.
    """
    if versions.kueue:
        yield Chart("kueue", KUEUE_CHART, versions.kueue, "kueue-system", _kueue_values(priority_class))
    if versions.jobset:
        yield Chart("jobset", JOBSET_CHART, versions.jobset, "jobset-system", _jobset_values())


def chart_namespace(chart: Chart) -> Manifest:
    """Namespace of a chart's manager."""
    labels = {f"{POD_SECURITY_LABEL}{mode}": "restricted" for mode in ("audit", "enforce", "warn")}
    return manifest("v1", "Namespace", chart.namespace, labels=labels)


def _kueue_values(priority_class: str) -> Manifest:
    configuration = kueue_configuration() | {
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    }
    return {
        "controllerManager": {
            "replicas": _REPLICAS,
            "podDisruptionBudget": {"enabled": True, "minAvailable": 1},
            "manager": {
                "priorityClassName": priority_class,
                # Kueue keeps every workload in memory; the chart's 512 MiB are short for thousands.
                "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
            },
        },
        "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(configuration)},
    }


def _jobset_values() -> Manifest:
    return {"controller": {"replicas": _REPLICAS, "podDisruptionBudget": {"enabled": True, "minAvailable": 1}}}
