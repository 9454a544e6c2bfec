"""The report for programs."""

import json
from typing import Any

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.reports.result import Result
from hybrid_pools.lint.rule import Severity


def json_report(result: Result) -> str:
    """The report as a JSON object."""
    told = {
        "files": result.files,
        "errors": result.count(Severity.ERROR),
        "warnings": result.count(Severity.WARNING),
        "waived": result.waived,
        "findings": [_finding(finding) for finding in result.findings],
        "skipped": list(result.skipped),
    }
    return json.dumps(told, indent=2)


def _finding(finding: Finding) -> dict[str, Any]:
    law = finding.law
    return {
        "rule": law.id,
        "severity": law.severity.value,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "object": finding.subject,
        "path": finding.path,
        "detail": finding.detail,
        "title": law.title,
        "why": law.why,
        "fix": law.fix,
        "source": law.source,
        "waived": finding.excuse,
        "fingerprint": finding.fingerprint,
    }
