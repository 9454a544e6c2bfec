"""Rules on Kueue: a flavor leads to its own nodes only, and a team's quota is the team's."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from hybrid_pools.blueprint.vocabulary import NAMESPACE_NAME_LABEL
from policies.reading import Value, all_true, any_true
from policies.rule import Finding, Severity, Stack, Verdict, View, judge_each, rule

_API = "kubernetes:kueue.x-k8s.io/v1beta2"
_LINKS = ("https://kueue.sigs.k8s.io/docs/concepts/",)


@dataclass(frozen=True)
class FlavorInputs(View):
    """A resource flavor."""

    TYPES = (f"{_API}:ResourceFlavor",)


@dataclass(frozen=True)
class ClusterQueueInputs(View):
    """A cluster queue."""

    TYPES = (f"{_API}:ClusterQueue",)

    @property
    def name(self) -> str | None:
        """Its name in the cluster."""
        return self.at("metadata.name").text()

    @property
    def flavors(self) -> list[Value]:
        """Names of its flavors."""
        return [flavor.of("name") for group in self.at("spec.resourceGroups").items() for flavor in group.of("flavors").items()]


@dataclass(frozen=True)
class CohortInputs(View):
    """A cohort."""

    TYPES = (f"{_API}:Cohort",)


@dataclass(frozen=True)
class OldKueueInputs(View):
    """Anything of Kueue in a version that is going away."""

    @classmethod
    def reads(cls, token: str) -> bool:
        """All kinds of the old versions."""
        return token.startswith(("kubernetes:kueue.x-k8s.io/v1beta1:", "kubernetes:kueue.x-k8s.io/v1alpha1:"))


@rule(
    id="KUBERNETES-003",
    title="A flavor tolerates exactly what its own nodes carry",
    severity=Severity.MANDATORY,
    why="Kueue gives the flavor's tolerations to every job that it admits: a wide one opens spot nodes to jobs that cannot resume.",
    fix="Write each toleration with operator Equal and key, value and effect of one of nodeTaints, and select the nodes by nodeLabels.",
    links=_LINKS,
)
def flavor_tolerates_its_nodes_only(flavor: FlavorInputs) -> Iterator[Verdict]:
    tolerations = flavor.at("spec.tolerations").items()
    if tolerations and not flavor.at("spec.nodeLabels").keys():
        yield Finding("spec.nodeLabels", "selects no nodes, so its jobs go wherever they are tolerated")
    yield from judge_each(tolerations, partial(_is_of, flavor))


def _is_of(flavor: FlavorInputs, toleration: Value) -> Iterator[Verdict]:
    if toleration.of("operator").text() not in (None, "", "Equal"):
        yield Finding(toleration.of("operator").path, f"is {toleration.of('operator').text()}, which tolerates more than one taint")
    elif not any_true([partial(_same, toleration, taint) for taint in flavor.at("spec.nodeTaints").items()]):
        yield Finding(toleration.path, f"tolerates {toleration.of('key').text() or 'every key'}, and no taint of its nodes is like that")


def _same(toleration: Value, taint: Value) -> bool:
    return all_true(
        [partial(_agrees, toleration.of(key), taint.of(key)) for key in ("key", "effect")]
        + [lambda: (toleration.of("value").text() or "") == (taint.of("value").text() or "")]
    )


def _agrees(one: Value, other: Value) -> bool:
    return one.text() is not None and one.text() == other.text()


@rule(
    id="KUBERNETES-006",
    title="A cluster queue says who may use it and gets its own quota back",
    severity=Severity.MANDATORY,
    why="By default every namespace may send jobs to a queue with an empty selector, and no team gets back what it has lent.",
    fix=f"Select the namespace by {NAMESPACE_NAME_LABEL}, and set preemption.reclaimWithinCohort to Any and withinClusterQueue to "
    "LowerPriority.",
    links=_LINKS,
)
def queue_is_of_its_team(queue: ClusterQueueInputs) -> Iterator[Verdict]:
    selector = queue.at("spec.namespaceSelector")
    if not selector.is_set():
        yield Finding(selector.path, "is missing, so nobody may use the queue")
    elif not (selector.of("matchLabels").keys() or selector.of("matchExpressions").items()):
        yield Finding(selector.path, "selects every namespace")
    for key, wanted in (("reclaimWithinCohort", "Any"), ("withinClusterQueue", "LowerPriority")):
        found = queue.at("spec.preemption").of(key)
        if found.text() != wanted:
            yield Finding(found.path, f"is {found.text() or 'Never'}")


@rule(
    id="KUBERNETES-007",
    title="Kueue's objects are written in the version that stays",
    severity=Severity.ADVISORY,
    why="Older versions are converted for now and go with one of the next releases; some of their fields have another meaning.",
    fix="Write kueue.x-k8s.io/v1beta2: cohort is cohortName, parent is parentName.",
    links=_LINKS,
)
def kueue_is_current(old: OldKueueInputs) -> Iterator[Verdict]:
    yield Finding("apiVersion", f"is an old one of {old.resource.name}")


@rule(
    id="KUBERNETES-008",
    title="Queues name flavors and cohorts that there are",
    severity=Severity.MANDATORY,
    why="A queue with a flavor that does not exist admits nothing at all, and one in a cohort of a mistyped name shares with nobody.",
    fix="Correct the name, or declare the flavor or the cohort in the same program.",
    links=_LINKS,
)
def queues_fit_together(stack: Stack) -> Iterator[Verdict]:
    flavors = [flavor.at("metadata.name") for flavor in stack.views(FlavorInputs)]
    cohorts = [cohort.at("metadata.name") for cohort in stack.views(CohortInputs)]
    queues = stack.views(ClusterQueueInputs)
    # A program that declares queues alone adds to flavors and cohorts of somebody else.
    if flavors:
        yield from judge_each(queues, partial(_flavors_exist, flavors))
    if cohorts:
        yield from judge_each(queues, partial(_cohort_exists, cohorts))


def _flavors_exist(flavors: list[Value], queue: ClusterQueueInputs) -> Iterator[Verdict]:
    for name in queue.flavors:
        if not _is_among(name, flavors):
            yield Finding(name.path, f"is {name.text()}, and there is no such flavor", queue.resource.urn)


def _cohort_exists(cohorts: list[Value], queue: ClusterQueueInputs) -> Iterator[Verdict]:
    name = queue.at("spec.cohortName")
    if name.is_set() and not _is_among(name, cohorts):
        yield Finding(name.path, f"is {name.text()}, and there is no such cohort", queue.resource.urn)


def _is_among(name: Value, names: list[Value]) -> bool:
    text = name.text()
    return any_true([partial(_is, one, text) for one in names])


def _is(value: Value, text: str | None) -> bool:
    return value.text() == text
