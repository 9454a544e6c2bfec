"""Rules on objects of Kueue."""

from collections.abc import Iterator

from hybrid_pools.lint.rule import Fault, Scope, Severity, Subject, rule

_CURRENT = "v1beta2"
_OLD = ("v1beta1", "v1alpha1")
_KINDS = {
    "config.kueue.x-k8s.io": ("Configuration",),
    "kueue.x-k8s.io": (
        "AdmissionCheck",
        "ClusterQueue",
        "Cohort",
        "LocalQueue",
        "MultiKueueCluster",
        "MultiKueueConfig",
        "ProvisioningRequestConfig",
        "ResourceFlavor",
        "Topology",
        "Workload",
        "WorkloadPriorityClass",
    ),
}
"""Kinds that there are in the current version, by group."""


@rule(
    id="LINT-501",
    title="Kueue's objects are written in the version that stays",
    severity=Severity.WARNING,
    scope=Scope.OBJECT,
    why="Older versions are converted for now and go with one of the next releases; some of their fields have another meaning.",
    fix=f"Write {_CURRENT}: cohort is cohortName, parent is parentName, admissionChecks is admissionChecksStrategy.admissionChecks.",
    source="https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/",
)
def kueue_is_current(subject: Subject) -> Iterator[Fault]:
    group, _, version = subject.api_version.partition("/")
    if version in _OLD and subject.kind_name in _KINDS.get(group, ()):
        yield Fault("apiVersion", f"is {subject.api_version}")
