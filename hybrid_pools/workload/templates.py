"""The walk: where an object describes pods, and which queue it names."""

from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import QUEUE_LABEL
from hybrid_pools.workload.kinds import Kind
from hybrid_pools.workload.paths import follow
from hybrid_pools.workload.reading import Value


def pods_of(owner: Value, kind: Kind) -> list[Value]:
    """Every pod and pod template in an object of the kind: places with `metadata` and `spec`, or with `spec` alone.

    Raises:
        NotReadable: A path to one cannot be read.
    """
    templates = [template for path in kind.templates for template in follow(owner, path)]
    bare = [Value({"spec": spec.known()}, spec.path) for path in kind.specs for spec in follow(owner, path)]
    return templates + bare


def texts_of(owner: Value, kind: Kind) -> Iterator[Value]:
    """Every text in it that changes pods.

    Raises:
        NotReadable: A path to one cannot be read.
    """
    for path in kind.texts:
        yield from follow(owner, path)


def queue_of(owner: Value, kind: Kind) -> str | None:
    """Name of the Kueue queue that it goes through; None where it names none.

    Raises:
        NotReadable: Its labels cannot be read.
    """
    return (owner.at(kind.queue) if kind.queue else owner.at(kind.labels).of(QUEUE_LABEL)).text()
