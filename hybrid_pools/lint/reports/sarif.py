"""The report for GitHub's code scanning: SARIF 2.1.0 (docs.oasis-open.org/sarif), with the fields that GitHub reads."""

import json
from typing import Any
from urllib.parse import quote

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.reports.result import Result
from hybrid_pools.lint.rule import Law
from hybrid_pools.lint.rules import all_laws

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT = "hybridPoolsLint/v1"


def sarif(result: Result, version: str) -> str:
    """The report.

    Args:
        version: Of this package.
    """
    laws = all_laws()
    numbers = {law.id: number for number, law in enumerate(laws)}
    run = {
        "tool": {"driver": {"name": "hybrid-pools lint", "semanticVersion": version, "rules": [_rule(law) for law in laws]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, numbers[finding.law.id]) for finding in result.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(law: Law) -> dict[str, Any]:
    return {
        "id": law.id,
        "shortDescription": {"text": law.title},
        "fullDescription": {"text": law.why},
        "help": {"text": f"{law.fix} See {law.source}."},
        "defaultConfiguration": {"level": law.severity.value},
    }


def _result(finding: Finding, number: int) -> dict[str, Any]:
    law = finding.law
    return {
        "ruleId": law.id,
        "ruleIndex": number,
        "level": law.severity.value,
        "message": {"text": f"{finding.said}. {law.title}. {law.why} Fix: {law.fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.file)},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
        **({} if finding.excuse is None else {"suppressions": [{"kind": "external", "justification": finding.excuse}]}),
    }
