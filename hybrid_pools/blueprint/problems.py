"""What is wrong with a configuration, said so that the reader can mend it without asking."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One fault of a configuration.

    Attributes:
        rule: Stable id, documented in docs/configuration.md.
        path: Where, as keys from the top of the stack file's `config:`, for example `hybrid-node-pools:pools.trainers.zones[1]`.
        value: What stands there, as the file spells it; empty where nothing does.
        message: What is wrong and what it would lead to.
        allowed: What may stand there.
        fix: What to write or do instead.
    """

    rule: str
    path: str
    value: str
    message: str
    allowed: str
    fix: str


class ConfigurationError(Exception):
    """All problems of one stack file at once. Nothing has been registered when it is raised."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__(self.text())

    def text(self) -> str:
        """The report for people: one block a problem, file and path first."""
        count = len(self.problems)
        lines = [f"{self.file}: {count} problem{'' if count == 1 else 's'}, nothing was registered."]
        for problem in self.problems:
            shown = f" = {problem.value}" if problem.value else ""
            lines += [
                "",
                f"{self.file}: {problem.path}{shown}",
                f"  [{problem.rule}] {problem.message}",
                f"  allowed: {problem.allowed}",
                f"  fix:     {problem.fix}",
            ]
        return "\n".join(lines)
