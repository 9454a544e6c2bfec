"""The form of a ValidatingAdmissionPolicy and its binding (admissionregistration.k8s.io/v1, Kubernetes 1.30 and newer)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hybrid_pools.blueprint.vocabulary import ADMISSION_PARAMETERS, NAMESPACE_NAME_LABEL, SYSTEM_NAMESPACE, AdmissionMode
from hybrid_pools.manifests.manifest import Manifest

API = "admissionregistration.k8s.io/v1"

_ACTIONS = {
    AdmissionMode.AUDIT: ["Audit"],
    AdmissionMode.WARN: ["Warn", "Audit"],
    AdmissionMode.DENY: ["Deny", "Audit"],
}


@dataclass(frozen=True)
class Law:
    """One thing that must hold.

    Attributes:
        id: Of the rule.
        message: What is said of a violation, in one line.
        cel: True where it holds.
        when: Variable that says whether it is asked at all; empty is always.
    """

    id: str
    message: str
    cel: str
    when: str = ""


@dataclass(frozen=True)
class Resources:
    """What a policy looks at: resources of one API group, all versions."""

    group: str
    resources: tuple[str, ...]
    operations: tuple[str, ...] = ("CREATE", "UPDATE")
    names: tuple[str, ...] = ()
    scope: str = "*"

    def manifest(self) -> dict[str, Any]:
        """A rule of `matchConstraints`."""
        return {
            "apiGroups": [self.group],
            "apiVersions": ["*"],
            "resources": list(self.resources),
            "operations": list(self.operations),
            "scope": self.scope,
            **({"resourceNames": list(self.names)} if self.names else {}),
        }


@dataclass(frozen=True)
class Policy:
    """A policy with its binding.

    Attributes:
        parameters: Whether it reads the ConfigMap of parameters.
        quick: For what there is much of: a condition in one expression lets what breaks no law pass before anything else is worked out. The
            API server works out the message of what it admits too, and for that every variable a second time.
        outside: Namespaces in which it does not hold.
        inside: Namespaces in which alone it holds; empty is all.
    """

    name: str
    resources: tuple[Resources, ...]
    variables: Mapping[str, str]
    laws: Sequence[Law]
    parameters: bool
    quick: bool = False
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    def manifests(self, mode: AdmissionMode) -> tuple[Manifest, Manifest]:
        """The policy and its binding, for a mode of the rollout."""
        return self._policy(mode), self._binding(mode)

    def _policy(self, mode: AdmissionMode) -> Manifest:
        variables = {**self.variables, "broken": self._broken()}
        return {
            "apiVersion": API,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": self.name},
            "spec": {
                # What cannot be judged is refused only where what breaks a rule is.
                "failurePolicy": "Fail" if mode is AdmissionMode.DENY else "Ignore",
                **({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}} if self.parameters else {}),
                "matchConstraints": {
                    "matchPolicy": "Equivalent",
                    "namespaceSelector": self._namespaces(),
                    "objectSelector": {},
                    "resourceRules": [resources.manifest() for resources in self.resources],
                },
                "variables": [{"name": name, "expression": expression} for name, expression in variables.items()],
                **({"matchConditions": [{"name": "breaks-a-rule", "expression": self._breaks()}]} if self.quick else {}),
                "validations": [self._validation()],
            },
        }

    def _validation(self) -> Manifest:
        """One for all laws: a refusal shows one message, and this one names everything that is broken, so that nobody mends it refusal by
        refusal."""
        messages = ", ".join(f"'{law.id}': {json.dumps(law.message)}" for law in self.laws)
        return {
            "expression": "variables.broken == ''",
            "message": f"It breaks a rule: {', '.join(law.id for law in self.laws)}.",
            "messageExpression": f"variables.broken == '' ? '' : {{{messages}}}[variables.broken.split(' ')[1]] + "
            "(variables.broken.split(' ').size() == 2 ? '' : ' All that is broken:' + variables.broken + '.')",
            "reason": "Forbidden",
        }

    def _broken(self) -> str:
        """CEL of the ids of the laws that are broken, each behind a space. Text and no list: to filter one takes longer than all laws."""
        return " + ".join(f"({_asked(law)} ? '' : ' {law.id}')" for law in self.laws)

    def _breaks(self) -> str:
        """CEL of whether a law is broken, without variables: conditions have none."""
        laws: dict[str, list[str]] = {}
        for law in self.laws:
            laws.setdefault(law.when, []).append(f"({law.cel})")
        all_hold = " && ".join(
            f"(!{when} || ({' && '.join(together)}))" if when else " && ".join(together) for when, together in laws.items()
        )
        return f"!({self._without_variables(all_hold)})"

    def _without_variables(self, cel: str) -> str:
        # Each variable hangs on earlier ones only, so from the last to the first nothing is left.
        for name, expression in reversed(list(self.variables.items())):
            cel = re.sub(rf"\bvariables\.{name}\b", partial(_verbatim, f"({expression})"), cel)
        return cel

    def _namespaces(self) -> dict[str, Any]:
        selected = [("NotIn", self.outside), ("In", self.inside)]
        expressions = [
            {"key": NAMESPACE_NAME_LABEL, "operator": operator, "values": sorted(namespaces)}
            for operator, namespaces in selected
            if namespaces
        ]
        return {"matchExpressions": expressions} if expressions else {}

    def _binding(self, mode: AdmissionMode) -> Manifest:
        parameters = {
            "name": ADMISSION_PARAMETERS,
            "namespace": SYSTEM_NAMESPACE,
            # Without parameters nobody can say who may use spot.
            "parameterNotFoundAction": "Deny" if mode is AdmissionMode.DENY else "Allow",
        }
        return {
            "apiVersion": API,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": self.name},
            "spec": {
                "policyName": self.name,
                "validationActions": _ACTIONS[mode],
                **({"paramRef": parameters} if self.parameters else {}),
            },
        }


def _asked(law: Law) -> str:
    return f"(!{law.when} || ({law.cel}))" if law.when else f"({law.cel})"


def _verbatim(text: str, _: re.Match[str]) -> str:
    # As a replacement and not as a template, in which backslashes would mean something.
    return text
