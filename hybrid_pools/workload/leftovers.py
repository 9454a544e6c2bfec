"""What looks like a pod in places that nobody knows: found by shape, in objects of any kind."""

from collections.abc import Iterator, Mapping, Sequence

from hybrid_pools.workload.kinds import Kind
from hybrid_pools.workload.paths import follow
from hybrid_pools.workload.reading import NotReadable, Unknown, Value
from hybrid_pools.workload.rule import Finding, Verdict

_LISTS = ("tolerations", "containers")
_TEXTS = ("nodeName", "podSpecPatch")
_NO_PLACES = (str, int, float, type(None))
"""Most of what there is, in which nothing can be."""

_SAYING = "in a place that is known of no kind: nothing can be said of the pods that are made from it"


def leftovers(owner: Value, kind: Kind | None) -> Iterator[Finding]:
    """Everything pod-like outside the places that are known of the kind.

    An object whose shape nobody can see yet is no finding: whatever it becomes is judged once it is known.
    """
    known: set[str] = set()
    if kind is not None:
        for path in (*kind.templates, *kind.specs, *kind.texts):
            try:
                known.update(place.path for place in follow(owner, path))
            except NotReadable:
                return  # judging has said so already
    raw = owner.known()
    yield from _search(raw, "", known)


def _search(found: object, path: str, known: set[str]) -> Iterator[Finding]:
    if path in known:
        return
    if isinstance(found, Mapping):
        what = _pod_like(found)
        if what is not None:
            yield Finding(Verdict.NOT_UNDERSTOOD, None, f"{path}.{what}" if path else what, _SAYING)
            return
        for key, value in found.items():
            if not isinstance(value, _NO_PLACES):
                yield from _search(value, f"{path}.{key}" if path else str(key), known)
    elif isinstance(found, Sequence) and not isinstance(found, str | bytes):
        for index, value in enumerate(found):
            if not isinstance(value, _NO_PLACES):
                yield from _search(value, f"{path}[{index}]", known)


def _pod_like(found: Mapping[str, object]) -> str | None:
    """Key of what makes an object look like a pod's spec."""
    for key, value in found.items():
        if key in _LISTS and (isinstance(value, Unknown) or (isinstance(value, Sequence) and not isinstance(value, str))):
            return key
        if key in _TEXTS and (isinstance(value, Unknown) or (isinstance(value, str) and value)):
            return key
    return None
