"""How Kueue's manager decides, the same on every cluster and in the lab: part of what quotas and orders mean."""

from hybrid_pools.blueprint.model.queues import PODS_READY_MINUTES
from hybrid_pools.blueprint.vocabulary import NAMESPACE_TEAM_LABEL
from hybrid_pools.manifests.manifest import Manifest

KUEUE_GROUP = "kueue.x-k8s.io"
KUEUE_API = f"{KUEUE_GROUP}/v1beta2"

LONGEST_PAUSE_SECONDS = 1800


def kueue_configuration() -> Manifest:
    """The manager's configuration without addresses and certificates, which depend on where it runs.

    There is no switch for fair sharing in this version: that the section is there turns it on (apis/config/v1beta2 of Kueue 0.17).
    """
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        # Cheapest change first: what would leave the loser with no less than the winner, then whoever has more than the newcomer.
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        # A job without a queue would take nodes that quotas have promised to others; in a team's namespace it stays suspended.
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchExpressions": [{"key": NAMESPACE_TEAM_LABEL, "operator": "Exists"}]},
        "waitForPodsReady": {
            "timeout": f"{PODS_READY_MINUTES}m",
            "recoveryTimeout": f"{PODS_READY_MINUTES}m",
            "blockAdmission": False,
            # Without a limit of tries: nobody has to wake a job that waited out a long shortage.
            "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": LONGEST_PAUSE_SECONDS},
        },
        "integrations": {
            "frameworks": [
                "batch/job",
                "jobset.x-k8s.io/jobset",
                "kubeflow.org/mpijob",
                "kubeflow.org/pytorchjob",
                "kubeflow.org/tfjob",
                "kubeflow.org/xgboostjob",
                "ray.io/raycluster",
                "ray.io/rayjob",
                "trainer.kubeflow.org/trainjob",
            ]
        },
        # A workload that asks for anything a queue has no quota for is never admitted, so what quotas do not count is not looked at.
        "resources": {"excludeResourcePrefixes": ["ephemeral-storage", "hugepages-", "networking.gke.io"]},
        "clientConnection": {"qps": 50, "burst": 100},
        "controller": {
            "groupKindConcurrency": {
                "ClusterQueue.kueue.x-k8s.io": 1,
                "Cohort.kueue.x-k8s.io": 1,
                "Job.batch": 5,
                "LocalQueue.kueue.x-k8s.io": 1,
                "ResourceFlavor.kueue.x-k8s.io": 1,
                "Workload.kueue.x-k8s.io": 5,
            }
        },
    }
