"""What the catalogue says when it is asked for something it does not know."""

from collections.abc import Iterable
from difflib import get_close_matches


class UnknownName(KeyError):  # noqa: N818 — the name says what is unknown
    """A name that is not in the catalogue.

    Attributes:
        name: What was asked for.
        closest: Known names that look like it, best first; empty when none does.
    """

    what = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.closest = tuple(get_close_matches(name, list(known), n=3))
        super().__init__(name)

    def __str__(self) -> str:
        meant = f"; did you mean {', '.join(self.closest)}?" if self.closest else ""
        return f"{self.what} {self.name!r} is not in the catalogue{meant}"


class UnknownMachineType(UnknownName):
    """A machine type that is not in `data/machine-types.json`. Either misspelt, or new: then its facts are to be added there."""

    what = "machine type"


class UnknownRegion(UnknownName):
    """A region that is not in `data/regions.json`."""

    what = "region"


class UnknownVersionGate(UnknownName):
    """A feature for which `data/version-gates.json` knows no minimum version."""

    what = "version gate"
