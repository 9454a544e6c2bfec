"""What must hold for text that changes pods when a controller reads it (Argo's `podSpecPatch`)."""

import re

from hybrid_pools.workload.rule import Scope, Subject, rule

_PLACING = r"tolerations|node|affinity|schedulerName|priority|serviceAccount|[{][{]|\\"
"""Fields that decide where a pod goes and as whom, and what may turn into one of them: a template's parameter, an escaped letter."""


@rule(
    id="WORK-017",
    title="No text changes where pods go",
    why="It becomes part of the pod after everybody has looked, and its parameters are filled in later still.",
    fix="Take tolerations, selectors and the like out of podSpecPatch, and write them in the template.",
    cel=f"!text.matches(r'{_PLACING}')",
    scope=Scope.TEXT,
)
def text_places_no_pod(subject: Subject) -> str | None:
    found = re.search(_PLACING, subject.pod.text() or "")
    return f"mentions {found[0]}" if found else None
