"""GKE versions: parsing and order."""

import re
from functools import total_ordering
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

_FORM = re.compile(r"(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9})(?:-gke\.(\d{1,9}))?)?", re.ASCII)


@total_ordering
class GkeVersion:
    """A GKE version such as `1.35.0-gke.1171000`.

    Parts that are left out count as 0 when versions are compared: `1.35` stands for `1.35.0-gke.0`, the first of its minor version.
    `str()` gives the text back as it was written, without leading zeros.
    """

    __slots__ = ("_parts",)

    def __init__(self, text: str) -> None:
        """Parse a version.

        Raises:
            ValueError: The text is not `MAJOR.MINOR`, `MAJOR.MINOR.PATCH` or `MAJOR.MINOR.PATCH-gke.BUILD`.
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a GKE version; write it as 1.35, 1.35.1 or 1.35.0-gke.1171000")
        self._parts = tuple(int(part) for part in match.groups() if part is not None)

    @property
    def minor(self) -> str:
        """The minor version, `1.35` of `1.35.0-gke.1171000`: what a release channel and the support calendar speak of."""
        return f"{self._parts[0]}.{self._parts[1]}"

    def _key(self) -> tuple[int, ...]:
        return self._parts + (0,) * (4 - len(self._parts))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, GkeVersion) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, GkeVersion) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        written = ".".join(str(part) for part in self._parts[:3])
        return written if len(self._parts) < 4 else f"{written}-gke.{self._parts[3]}"

    def __repr__(self) -> str:
        return f"GkeVersion({str(self)!r})"

    @classmethod
    def _validate(cls, value: object) -> Self:
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(value)
        raise ValueError(f"{value!r} is not text; a GKE version is quoted, since YAML reads 1.30 as the number 1.3")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            json_schema_input_schema=core_schema.str_schema(pattern=f"^{_FORM.pattern}$"),
            serialization=core_schema.to_string_ser_schema(),
        )
