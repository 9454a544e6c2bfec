"""What the lint says of one place in one file."""

import hashlib
from dataclasses import dataclass

from hybrid_pools.lint.rule import Law, Severity


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        file: As it was named, with `/`; `<stdin>` for standard input.
        line: From 1.
        column: From 1.
        subject: The object, as in `Job team-audio/tone-7`; empty where there is none.
        name: The object's name, which waivers may name.
        path: Where in the object; empty for all of it.
        detail: What stands there.
        excuse: Reason of the waiver that excuses it; None for what counts.
    """

    law: Law
    file: str
    line: int
    column: int
    subject: str
    name: str
    path: str
    detail: str
    excuse: str | None = None

    @property
    def fails(self) -> bool:
        """Whether it fails the lint."""
        return self.law.severity is Severity.ERROR and self.excuse is None

    @property
    def said(self) -> str:
        """What is wrong, in one line, without where in the file."""
        what = " ".join(part for part in (self.path, self.detail) if part)
        return ": ".join(part for part in (self.subject, what) if part)

    @property
    def fingerprint(self) -> str:
        """The same as long as the same thing is wrong with the same object, wherever it moves in its file."""
        text = "\n".join((self.law.id, self.file, self.subject, self.path, self.detail))
        return hashlib.sha256(text.encode()).hexdigest()[:32]
