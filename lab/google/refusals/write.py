"""A create, an update or a delete, as the rules see it."""

from dataclasses import dataclass
from typing import Any

from lab.google.catalogue import Catalogue
from lab.google.store import Store
from lab.google.values import Document, first


@dataclass(frozen=True)
class Write:
    """A create or an update.

    Attributes:
        type: Pulumi's type.
        id: The resource's identifier.
        document: Its inputs, with its place filled in.
        old: All its properties before; None for a create.
        store: The rest of the cloud.
        catalogue: What the stand-in knows.
    """

    type: str
    id: str
    document: Document
    old: Document | None
    store: Store
    catalogue: Catalogue

    def get(self, place: str, default: Any = None) -> Any:
        """The first value at a place of the inputs."""
        return first(self.document, place, default)


@dataclass(frozen=True)
class Removal:
    """A delete.

    Attributes:
        type: Pulumi's type.
        id: The resource's identifier.
        document: All its properties.
        store: The rest of the cloud.
    """

    type: str
    id: str
    document: Document
    store: Store
