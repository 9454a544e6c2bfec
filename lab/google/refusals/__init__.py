"""What Google refuses although every property is well-formed: values that contradict each other, or that do not fit the rest of the cloud.

One table for writes and one for deletes; a rule yields the refusals it finds.
"""

from collections.abc import Callable, Iterator

from lab.google.refusal import Refusal
from lab.google.refusals import access, container, identity, monitoring, network, scheduler, storage
from lab.google.refusals.write import Removal, Write

__all__ = ["Removal", "Write", "of_delete", "of_write"]

_WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {
    **container.WRITES,
    **identity.WRITES,
    **monitoring.WRITES,
    **network.WRITES,
    **scheduler.WRITES,
    **storage.WRITES,
}
_DELETES: dict[str, tuple[Callable[[Removal], Iterator[Refusal]], ...]] = {
    **container.DELETES,
    **monitoring.DELETES,
    **network.DELETES,
    **storage.DELETES,
}


def of_write(write: Write) -> Iterator[Refusal]:
    """Everything that forbids a create or an update."""
    for rule in (*_WRITES.get(write.type, ()), *access.WRITES.get(write.type, ())):
        yield from rule(write)


def of_delete(removal: Removal) -> Iterator[Refusal]:
    """Everything that forbids a delete."""
    for rule in _DELETES.get(removal.type, ()):
        yield from rule(removal)
