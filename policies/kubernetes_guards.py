"""Rules on what guards namespaces: pod security, network policies, priority, admission."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from hybrid_pools.blueprint.vocabulary import NAMESPACE_NAME_LABEL, NAMESPACE_TEAM_LABEL, POD_SECURITY_LABEL
from policies.reading import Value, all_true, any_true
from policies.rule import Finding, Severity, Stack, Verdict, View, judge_each, rule

_ADMISSION = "kubernetes:admissionregistration.k8s.io/v1"
_ADMISSION_LINKS = ("https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/",)
_ENFORCE = f"{POD_SECURITY_LABEL}enforce"


@dataclass(frozen=True)
class NamespaceInputs(View):
    """A namespace."""

    TYPES = ("kubernetes:core/v1:Namespace",)

    @property
    def is_of_a_team(self) -> bool:
        """Whether a team works in it."""
        return self.at("metadata.labels").of(NAMESPACE_TEAM_LABEL).is_set()


@dataclass(frozen=True)
class NetworkPolicyInputs(View):
    """A network policy."""

    TYPES = ("kubernetes:networking.k8s.io/v1:NetworkPolicy",)

    @property
    def denies_all(self) -> bool:
        """Whether it shuts every pod of its namespace off."""
        return all_true(
            [
                self._selects_every_pod,
                lambda: {"Egress", "Ingress"} <= set(self.at("spec.policyTypes").texts() or ()),
                lambda: not self.at("spec.ingress").items(),
                lambda: not self.at("spec.egress").items(),
            ]
        )

    def _selects_every_pod(self) -> bool:
        selector = self.at("spec.podSelector")
        return not selector.of("matchLabels").keys() and not selector.of("matchExpressions").items()


@dataclass(frozen=True)
class PriorityClassInputs(View):
    """A priority class."""

    TYPES = ("kubernetes:scheduling.k8s.io/v1:PriorityClass",)


@dataclass(frozen=True)
class AdmissionPolicyInputs(View):
    """An admission policy."""

    TYPES = (f"{_ADMISSION}:ValidatingAdmissionPolicy",)


@dataclass(frozen=True)
class AdmissionBindingInputs(View):
    """Where an admission policy holds, and what becomes of what breaks it."""

    TYPES = (f"{_ADMISSION}:ValidatingAdmissionPolicyBinding",)

    @property
    def denies(self) -> bool:
        """Whether it refuses. One that only warns or notes is on its way there and must not refuse for other reasons."""
        return "Deny" in (self.at("spec.validationActions").texts() or ())


@rule(
    id="KUBERNETES-009",
    title="A team's namespace keeps its pods off the host",
    severity=Severity.MANDATORY,
    why="A pod with the host's network or files has the node's own account, and with it whatever every pod of the node has.",
    fix=f"Label the namespace {_ENFORCE}: baseline, or restricted.",
    links=("https://kubernetes.io/docs/concepts/security/pod-security-standards/",),
)
def namespace_enforces_pod_security(namespace: NamespaceInputs) -> Iterator[Verdict]:
    label = namespace.at("metadata.labels").of(_ENFORCE)
    if namespace.is_of_a_team and label.text() not in ("baseline", "restricted"):
        yield Finding(label.path, f"is {label.text()}" if label.text() else "is missing")


@rule(
    id="KUBERNETES-010",
    title="A team's namespace has a network policy that denies all",
    severity=Severity.MANDATORY,
    why="Without it every pod talks to everything: to services, to other teams, to operations. Other policies only ever add.",
    fix="Declare a NetworkPolicy in it with an empty podSelector, both policyTypes and no rules.",
    links=("https://kubernetes.io/docs/concepts/services-networking/network-policies/",),
)
def namespace_denies_by_default(stack: Stack) -> Iterator[Verdict]:
    policies = stack.views(NetworkPolicyInputs)
    yield from judge_each(stack.views(NamespaceInputs), partial(_is_shut, policies))


def _is_shut(policies: list[NetworkPolicyInputs], namespace: NamespaceInputs) -> Iterator[Verdict]:
    if not namespace.is_of_a_team:
        return
    name = namespace.at("metadata.name").text()
    if not any_true([partial(_shuts, policy, name) for policy in policies]):
        yield Finding("metadata.name", f"is {name}, which has no policy that denies all", namespace.resource.urn)


def _shuts(policy: NetworkPolicyInputs, namespace: str | None) -> bool:
    return all_true([lambda: policy.at("metadata.namespace").text() == namespace, lambda: policy.denies_all])


@rule(
    id="KUBERNETES-011",
    title="No priority class is the default of the cluster",
    severity=Severity.MANDATORY,
    why="It would change the priority of every pod that names none, those of other teams and of the cluster's own parts too.",
    fix="Set globalDefault to false and name the class in the pods that need it.",
    links=("https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",),
)
def priority_is_no_default(priority: PriorityClassInputs) -> Iterator[Verdict]:
    if priority.at("globalDefault").flag():
        yield Finding("globalDefault", "is on")


@rule(
    id="KUBERNETES-012",
    title="An admission policy that refuses does so when it cannot decide",
    severity=Severity.MANDATORY,
    why="Ignored failures are a way in: an object that makes the policy fail passes.",
    fix="Set failurePolicy to Fail, or leave it out.",
    links=_ADMISSION_LINKS,
)
def policy_fails_closed(stack: Stack) -> Iterator[Verdict]:
    bindings = stack.views(AdmissionBindingInputs)
    yield from judge_each(stack.views(AdmissionPolicyInputs), partial(_fails_closed, bindings))


def _fails_closed(bindings: list[AdmissionBindingInputs], policy: AdmissionPolicyInputs) -> Iterator[Verdict]:
    found = policy.at("spec.failurePolicy").text()
    if found not in (None, "Fail") and any_true([partial(_denies_by, binding, policy) for binding in bindings]):
        yield Finding("spec.failurePolicy", f"is {found}", policy.resource.urn)


def _denies_by(binding: AdmissionBindingInputs, policy: AdmissionPolicyInputs) -> bool:
    named = policy.at("metadata.name").text()
    return all_true([lambda: binding.at("spec.policyName").text() == named, lambda: binding.denies])


@rule(
    id="KUBERNETES-013",
    title="A binding that refuses spares namespaces by their name only, and nothing without its parameters",
    severity=Severity.MANDATORY,
    why="Any other label of a namespace can be set by whoever may edit it, and parameters that are gone would let everything pass.",
    fix=f"Select by {NAMESPACE_NAME_LABEL}, and set parameterNotFoundAction to Deny.",
    links=_ADMISSION_LINKS,
)
def binding_has_no_hole(binding: AdmissionBindingInputs) -> Iterator[Verdict]:
    if not binding.denies:
        return
    parameters = binding.at("spec.paramRef")
    if parameters.is_set() and parameters.of("parameterNotFoundAction").text() != "Deny":
        yield Finding(parameters.of("parameterNotFoundAction").path, "is not Deny")
    selector = binding.at("spec.matchResources.namespaceSelector")
    yield from judge_each([selector.of("matchLabels")], _names_only)
    yield from judge_each(selector.of("matchExpressions").items(), _by_name)


def _names_only(labels: Value) -> Iterator[Verdict]:
    others = [key for key in labels.keys() if key != NAMESPACE_NAME_LABEL]  # noqa: SIM118 — no dict
    yield from (Finding(labels.path, f"selects by {key}") for key in others)


def _by_name(expression: Value) -> Iterator[Verdict]:
    key = expression.of("key").text()
    if key != NAMESPACE_NAME_LABEL:
        yield Finding(expression.of("key").path, f"is {key}")
