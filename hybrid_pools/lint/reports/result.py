"""What a run of the lint came to."""

from dataclasses import dataclass

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.rule import Severity


@dataclass(frozen=True)
class Result:
    """Everything that a report tells.

    Attributes:
        findings: In the order of files and lines, those that a waiver excuses too.
        files: Number of files that were linted.
        skipped: What was not, of the folders that were named.
    """

    findings: tuple[Finding, ...]
    files: int
    skipped: tuple[str, ...]

    @property
    def fails(self) -> bool:
        """Whether something is wrong that no waiver excuses."""
        return any(finding.fails for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """Findings of a severity that no waiver excuses."""
        return sum(finding.law.severity is severity and finding.excuse is None for finding in self.findings)

    @property
    def waived(self) -> int:
        """Findings that a waiver excuses."""
        return sum(finding.excuse is not None for finding in self.findings)
