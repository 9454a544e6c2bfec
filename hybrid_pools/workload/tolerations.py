"""Whether a toleration tolerates a taint, as Kubernetes decides it (facts/policy-storage-monitoring.md A.1, A.2; core/v1 toleration.go).

An empty key tolerates every key, an empty effect every effect, and a left-out operator is `Equal`, which nothing fills in. `Lt` and `Gt`,
and whatever operators come, count as tolerating: to be wrong that way refuses a pod, to be wrong the other way lets one in.
"""

from hybrid_pools.blueprint.vocabulary import Taint
from hybrid_pools.workload.reading import Value

_EQUAL = ("", "Equal")


def tolerates(toleration: Value, taint: Taint) -> bool:
    """Whether a pod with this toleration may be placed on a node with this taint.

    Raises:
        NotReadable: It hangs on a value that cannot be read.
    """
    key, effect = toleration.of("key").text() or "", toleration.of("effect").text() or ""
    if key not in ("", taint.key) or effect not in ("", taint.effect.value):
        return False
    if (toleration.of("operator").text() or "") not in _EQUAL:
        return True
    return (toleration.of("value").text() or "") == taint.value


def tolerates_cel(toleration: str, taint: str) -> str:
    """The same as a CEL expression.

    Args:
        toleration: Expression of a toleration.
        taint: Expression of a taint as text, `key=value:Effect`.
    """
    t = toleration
    return (
        f"({t}.?key.orValue('') == '' || {taint}.startsWith({t}.key + '='))"
        f" && ({t}.?effect.orValue('') == '' || {taint}.endsWith(':' + {t}.effect))"
        f" && (!({t}.?operator.orValue('') in ['', 'Equal']) || {taint}.contains('=' + {t}.?value.orValue('') + ':'))"
    )
