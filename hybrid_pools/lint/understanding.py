"""Laws of being understood. Nothing passes because it was not: what breaks one of these fails the lint, and no waiver excuses it."""

from hybrid_pools.lint.rule import Law, Severity

_SOURCE = "docs/lint.md"


def _law(id_: str, title: str, why: str, fix: str) -> Law:
    return Law(id_, title, Severity.ERROR, why, fix, _SOURCE, waivable=False)


READABLE = _law(
    "LINT-001",
    "A file can be read",
    "What nobody reads may hold anything.",
    "Name a file that is there, save it as UTF-8 text of at most 16 MiB, and lint only manifests.",
)
PLAIN = _law(
    "LINT-002",
    "A document is YAML or JSON that every reader reads alike",
    "The cluster may see another object than the reviewer.",
    "Correct the place; write each key once, in quotes where it is no text, and no tags.",
)
OBJECT = _law(
    "LINT-003",
    "A document is a Kubernetes object",
    "Without apiVersion and kind nobody knows where its pods are.",
    "Write apiVersion and kind, or keep what is no manifest in another folder.",
)
RENDERED = _law(
    "LINT-004",
    "Templates are rendered first",
    "What a template becomes is decided later, and may be anything.",
    "Lint what it becomes: helm template CHART | hybrid-pools lint -, or kustomize build FOLDER | hybrid-pools lint -.",
)
UNDERSTOOD = _law(
    "LINT-005",
    "Every pod is in a place that is known, with values of the right type",
    "A pod that nobody sees is asked nothing.",
    "Correct the type, or use a kind that docs/admission.md lists.",
)
EXCUSED = _law(
    "LINT-006",
    "Every waiver is complete and in force",
    "An exception that nobody owns or that has ended hides what it was never meant to hide.",
    "Write rule, path, reason, owner and expires; mend what has expired, or agree on a new date.",
)
NEEDED = Law(
    "LINT-007",
    "Every waiver is needed",
    Severity.WARNING,
    "It would excuse the next violation in its place, which nobody has looked at.",
    "Remove it.",
    _SOURCE,
    waivable=False,
)

LAWS = (READABLE, PLAIN, OBJECT, RENDERED, UNDERSTOOD, EXCUSED, NEEDED)
