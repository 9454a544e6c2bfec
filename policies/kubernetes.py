"""Rules on workloads and releases: what any program puts into a cluster, whichever way it declares it.

Children of `ConfigFile`, `ConfigGroup` and `Chart` are resources of their own and judged as such. A Helm release is not: Helm renders it
inside the provider, so nobody sees its pods here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hybrid_pools.blueprint.vocabulary import SYSTEM_NAMESPACES
from policies.reading import Value
from policies.rule import Finding, Setting, Severity, Verdict, View, names, rule

_FLAVOR = "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor"
_RELEASE = "kubernetes:helm.sh/v3:Release"

GRACE_SECONDS: Setting[int] = Setting(
    key="graceSeconds",
    meaning="Seconds that a pod really has on a spot node between the signal and the end; the contract names them for each pool.",
    default=15,
    schema={"type": "integer"},
    read=Value.number,
)
EXEMPT_NAMESPACES: Setting[tuple[str, ...]] = Setting(
    key="exemptNamespaces",
    meaning="Namespaces whose pods are not judged, as in the admission policies of the cluster.",
    default=SYSTEM_NAMESPACES,
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)
ALLOWED_CHARTS: Setting[tuple[str, ...]] = Setting(
    key="charts",
    meaning="Charts that may be installed as a release, as the release names them: an address, or a name behind its repository.",
    default=("oci://registry.k8s.io/kueue/charts/kueue", "oci://registry.k8s.io/jobset/charts/jobset"),
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)


@dataclass(frozen=True)
class ObjectInputs(View):
    """Any object of Kubernetes, of kinds that nobody knows yet too."""

    @classmethod
    def reads(cls, token: str) -> bool:
        """Everything that goes to an API server as it stands."""
        return token.startswith("kubernetes:") and not token.startswith("kubernetes:helm.sh/")


@dataclass(frozen=True)
class ReleaseInputs(View):
    """A release of Helm."""

    TYPES = (_RELEASE,)


@rule(
    id="KUBERNETES-001",
    title="Only checkpoint-capable work asks for spot nodes",
    severity=Severity.MANDATORY,
    why="Spot nodes end at any time. What cannot resume loses its work with each of them, and a service is simply gone.",
    fix="Take away what asks for spot, or make the workload checkpoint-capable: the message names each rule of docs/admission.md.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms",),
    settings=(GRACE_SECONDS, EXEMPT_NAMESPACES),
)
def asks_for_spot_only_if_it_can_resume(view: ObjectInputs) -> Iterator[Verdict]:
    if view.resource.type == _FLAVOR:
        return  # has tolerations and makes no pods; KUBERNETES-003 judges it
    # Loaded when the first object is judged: a program without any pays nothing.
    from policies.workloads import judge_workload  # noqa: PLC0415

    exempt = view.setting(EXEMPT_NAMESPACES)
    yield from judge_workload(view.resource.properties, view.setting(GRACE_SECONDS), exempt)


@rule(
    id="KUBERNETES-002",
    title="Helm installs only charts that were looked through",
    severity=Severity.MANDATORY,
    why="A release is rendered out of sight: nobody can say whether its pods ask for spot nodes, run as root or read secrets.",
    fix="Use kubernetes.helm.sh/v4.Chart, whose objects are judged one by one, or name the chart in the setting charts once you have.",
    links=("https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/choosing-the-right-helm-resource-for-your-use-case/",),
    settings=(ALLOWED_CHARTS,),
)
def release_is_allowed(release: ReleaseInputs) -> Iterator[Verdict]:
    repository, chart = release.at("repositoryOpts.repo").text(), release.at("chart").text()
    reference = f"{repository.rstrip('/')}/{chart}" if repository else chart
    if reference not in release.setting(ALLOWED_CHARTS):
        yield Finding("chart", f"is {reference}, which is not among the allowed" if reference else "is missing")
