"""What is wrong with a configuration, said so that the reader can mend it without asking."""

from collections.abc import Iterable, Sequence
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
        line: Line of the stack file, from 1; None where only the parsed configuration was at hand.
    """

    rule: str
    path: str
    value: str
    message: str
    allowed: str
    fix: str
    line: int | None = None


READING_RULES = {
    "CFG-001": "What is needed is there",
    "CFG-002": "Every key is a known one",
    "CFG-003": "Values are of the right type",
    "CFG-004": "Values are in their range or form",
    "CFG-005": "Values of one block go together",
    "CFG-006": "No value is encrypted",
    "CFG-010": "The stack file can be read",
    "CFG-011": "The stack file is UTF-8 text",
    "CFG-012": "The stack file is YAML",
    "CFG-013": "The stack file says something for this project",
    "CFG-014": "The stack file and its config are mappings",
    "CFG-015": "No key comes twice",
    "CFG-016": "The stack file has only the keys that Pulumi knows",
}
"""Titles of the rules that are checked while a file is read, by id. Those beyond are in `hybrid_pools.blueprint.rules`."""


class ConfigurationError(Exception):
    """All problems of one stack file at once. Nothing has been registered when it is raised."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__(self.text())

    def text(self) -> str:
        """The report for people."""
        return report(self.file, self.problems, "nothing was registered")


def report(file: str, problems: Sequence[Problem], consequence: str) -> str:
    """What people read of the problems of a file: one block a problem, file and path first."""
    count = len(problems)
    lines = [f"{file}: {count} problem{'' if count == 1 else 's'}, {consequence}."]
    for problem in problems:
        shown = f" = {problem.value}" if problem.value else ""
        at = file if problem.line is None else f"{file}:{problem.line}"
        lines += [
            "",
            f"{at}: {problem.path}{shown}",
            f"  [{problem.rule}] {problem.message}",
            f"  allowed: {problem.allowed}",
            f"  fix:     {problem.fix}",
        ]
    return "\n".join(lines)
