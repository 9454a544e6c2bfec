"""All rules of the lint's own. Importing a module of rules registers them; a new one is added here."""

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CLASS_LABEL,
)
from hybrid_pools.lint import (  # noqa: F401 - imported for what they register
    checkpoint_rules,
    exit_code_rules,
    grace_rules,
    image_rules,
    kueue_rules,
    placing_rules,
)
from hybrid_pools.lint.rule import RULES, Law, Rule, Scope, Severity
from hybrid_pools.lint.understanding import LAWS
from hybrid_pools.workload.rules import all_rules as all_workload_rules

ADMISSION_DOCUMENT = "docs/admission.md"


def all_rules() -> tuple[Rule, ...]:
    """Every rule of the lint's own, by id."""
    return tuple(RULES[rule_id] for rule_id in sorted(RULES))


RULES_ON = {scope: tuple(each for each in all_rules() if each.scope is scope) for scope in Scope}
"""The rules on each scope, by id."""

WORKLOAD_LAWS = {each.id: Law(each.id, each.title, Severity.ERROR, each.why, each.fix, ADMISSION_DOCUMENT) for each in all_workload_rules()}
"""The workload rules, which the cluster asks too."""


def all_laws() -> tuple[Law, ...]:
    """Everything that the lint may say, by id."""
    laws = (*LAWS, *(each.law for each in all_rules()), *WORKLOAD_LAWS.values())
    return tuple(sorted(laws, key=lambda law: law.id))


WORKLOAD_PLACES = {
    "WORK-002": f"metadata.labels.{CHECKPOINT_LABEL}",
    "WORK-003": f"metadata.labels.{CLASS_LABEL}",
    "WORK-004": f"metadata.annotations.{CHECKPOINT_URI_ANNOTATION}",
    "WORK-005": "spec.serviceAccountName",
    "WORK-006": f"metadata.annotations.{CHECKPOINT_SAVE_ANNOTATION}",
    "WORK-007": "spec.terminationGracePeriodSeconds",
    "WORK-008": "spec.restartPolicy",
    "WORK-011": "spec.priorityClassName",
    "WORK-012": "spec.nodeName",
    "WORK-013": "spec.schedulerName",
    "WORK-015": "spec.priorityClassName",
    "WORK-016": f"metadata.labels.{CLASS_LABEL}",
}
"""Where in a pod a workload rule looks, which finds with the pod as a whole: in a file the reader is led to the line."""
